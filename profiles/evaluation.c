/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* evaluation.c - evaluations read from files: which graph is best, and whether
 * that can be relied on */
#include "config.h"

#include "profiles/evaluation.h"

#include "profiles/catalogue/catalogue_names.h"

#include "base/array.h"
#include "base/error_set.h"
#include "base/file_read.h"
#include "base/text.h"
#include "launch/plain_name.h"
#include "json/json_fields.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct evaluation_file {
    const char *best;
    bool unmapped_is_best;
    double noise_seconds;
    uint32_t repeat;
    struct json_node graphs;
};
static const struct json_field file_fields[] = {
    JSON_MEMBER(evaluation_file, repeat, JSON_NEEDED),
    JSON_MEMBER(evaluation_file, best, JSON_WRITTEN),
    JSON_MEMBER(evaluation_file, unmapped_is_best, JSON_NEEDED),
    JSON_MEMBER(evaluation_file, noise_seconds, JSON_WRITTEN),
    JSON_MEMBER(evaluation_file, graphs, JSON_NEEDED),
};

/* The runs with one graph. */
struct evaluation_runs {
    const char *graph;
    struct json_node run_seconds; /* MPI_Init to MPI_Finalize of each */
    size_t n;
    double median; /* of an even number of runs the mean of the middle two */
};
static const struct json_field runs_fields[] = {
    JSON_MEMBER(evaluation_runs, graph, JSON_NEEDED),
    JSON_MEMBER(evaluation_runs, run_seconds, JSON_NEEDED),
};

void evaluation_destroy(struct evaluation *evaluation)
{
    if (evaluation)
        free(evaluation->best);
    free(evaluation);
}

/* A plain name, or two with an @ between them: that of a phase. */
static bool is_graph_name(const char *name)
{
    const char *at = strchr(name, '@');
    char type[PLAIN_NAME_MOST + 1];

    if (!at)
        return plain_name_check(name, PLAIN_NAME_MOST);
    snprintf(type, sizeof(type), "%.*s", (int)(at - name), name);
    return (size_t)(at - name) < sizeof(type) &&
           plain_name_check(type, PLAIN_NAME_MOST) &&
           plain_name_check(at + 1, PLAIN_NAME_MOST);
}

static int read_runs(struct evaluation_runs *out,
                     size_t i,
                     const struct json_node *graphs)
{
    struct json_node node;
    double *seconds = NULL;
    int error;

    if ((error = json_at(&node, graphs, i)) < 0 ||
        (error = json_read_fields(out, &node, JSON_FIELDS(runs_fields))) < 0)
        return error;
    if (!is_graph_name(out->graph) ||
        (i == 0) != (strcmp(out->graph, EVALUATION_UNMAPPED) == 0))
        return json_error(&node, MAPCORE_EPARSE,
                          "'%.80s' cannot be the name of graph %zu", out->graph,
                          i);
    if ((out->n = json_count(&out->run_seconds)) > EVALUATION_RUNS_MOST)
        return json_error(&out->run_seconds, MAPCORE_ERANGE,
                          "more than %d runs", EVALUATION_RUNS_MOST);
    if (out->n == 0)
        return 0;
    if (!(seconds = array_alloc(out->n, sizeof(*seconds), json_err(&node))))
        return MAPCORE_ENOMEM;
    error = json_read_items(seconds, &out->run_seconds, JSON_AMOUNT, out->n);
    array_sort_double(seconds, out->n);
    out->median = (seconds[(out->n - 1) / 2] + seconds[out->n / 2]) / 2;
    free(seconds);
    return error;
}

static int read_root(struct evaluation *evaluation,
                     const struct json_node *root)
{
    struct evaluation_file file = {.noise_seconds = 0};
    struct evaluation_runs unmapped = {.n = 0}, best = {.n = 0};
    int error;

    if ((error = json_check_format(root, EVALUATION_FORMAT)) < 0 ||
        (error = json_read_fields(&file, root, JSON_FIELDS(file_fields))) < 0)
        return error;
    if (json_count(&file.graphs) == 0)
        return json_error(&file.graphs, MAPCORE_EPARSE, "holds no graph");
    for (size_t i = 0; i < json_count(&file.graphs); i++) {
        struct evaluation_runs runs = {.n = 0};

        if ((error = read_runs(&runs, i, &file.graphs)) < 0)
            return error;
        if (i == 0)
            unmapped = runs;
        else if (file.best && strcmp(runs.graph, file.best) == 0)
            best = runs;
    }
    if (file.best && !best.graph)
        return json_error(root, MAPCORE_EPARSE,
                          "best: '%.80s' is none of the graphs", file.best);
    if (file.best &&
        (error = text_copy(&evaluation->best, file.best, json_err(root))) < 0)
        return error;
    evaluation->unmapped_is_best = file.unmapped_is_best;
    evaluation->decides =
        best.n >= EVALUATION_FEW_RUNS && unmapped.n >= EVALUATION_FEW_RUNS;
    evaluation->is_sure =
        evaluation->decides &&
        fabs(best.median - unmapped.median) > file.noise_seconds;
    return 0;
}

int evaluation_read(struct evaluation **out,
                    const char *folder,
                    struct mapcore_error *err)
{
    char *path = catalogue_join(folder, EVALUATION_FILE, err);
    struct buffer bytes = {0};
    struct stat st;
    int error = MAPCORE_ENOMEM;

    if (path && lstat(path, &st) < 0 && errno == ENOENT)
        error = error_set(err, MAPCORE_ENOENT, "%.400s: not there", path);
    else if (path)
        error = file_read_all(&bytes, path, FILE_REGULAR, JSON_BYTES_MAX, err);
    if (error == 0)
        error = evaluation_parse(out, path, bytes.bytes, bytes.n, err);
    buffer_clear(&bytes);
    free(path);
    return error;
}

int evaluation_parse(struct evaluation **out,
                     const char *name,
                     const char *bytes,
                     size_t n,
                     struct mapcore_error *err)
{
    struct evaluation *made = array_alloc(1, sizeof(*made), err);
    struct json *json = NULL;
    struct json_node root;
    int error =
        made ? json_open_memory(&json, name, bytes, n, err) : MAPCORE_ENOMEM;

    if (error == 0 && (error = json_root(&root, json)) == 0 &&
        (error = read_root(made, &root)) == 0) {
        *out = made;
        made = NULL;
    }
    evaluation_destroy(made);
    json_close(json);
    return error;
}
