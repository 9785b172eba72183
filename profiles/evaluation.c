/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* evaluation.c - evaluations read from files, printed, and what they decide */
#include "config.h"

#include "profiles/evaluation.h"

#include "profiles/catalogue/catalogue_names.h"

#include "base/array.h"
#include "base/error_set.h"
#include "base/file_read.h"
#include "launch/plain_name.h"
#include "json/json_fields.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void evaluation_destroy(struct evaluation *evaluation)
{
    int saved = errno;

    for (size_t i = 0; evaluation && i < evaluation->ngraphs; i++) {
        struct evaluation_graph *graph = &evaluation->graphs[i];

        for (size_t k = 0; k < EVALUATION_KINDS; k++)
            free(graph->series[k].seconds);
        for (size_t k = 0; k < graph->nphases; k++) {
            free(graph->phase[k].name);
            free(graph->phase[k].seconds);
        }
        free(graph->phase);
        free(graph->name);
    }
    if (evaluation) {
        free(evaluation->graphs);
        free(evaluation->evaluated);
        free(evaluation->nodes);
    }
    free(evaluation);
    errno = saved;
}

struct evaluation_series *evaluation_phase(const struct evaluation_graph *graph,
                                           const char *name)
{
    for (size_t i = 0; i < graph->nphases; i++)
        if (strcmp(graph->phase[i].name, name) == 0)
            return &graph->phase[i];
    return NULL;
}

static int add_phase(struct evaluation_series **out,
                     struct evaluation_graph *graph,
                     const char *name,
                     struct mapcore_error *err)
{
    struct evaluation_series *phase;
    size_t capacity = graph->nphases;
    int error = array_reserve(&graph->phase, &capacity, graph->nphases + 1,
                              sizeof(*phase), err);

    if (error < 0)
        return error;
    phase = &graph->phase[graph->nphases];
    *phase = (struct evaluation_series){
        .name = array_copy(name, strlen(name) + 1, 1, err)};
    if (!phase->name)
        return MAPCORE_ENOMEM;
    graph->nphases++;
    *out = phase;
    return 0;
}

static const struct evaluation_graph *best_graph(
    const struct evaluation *evaluation)
{
    for (size_t i = 1; i < evaluation->ngraphs; i++)
        if (evaluation->graphs[i].name == evaluation->best)
            return &evaluation->graphs[i];
    return NULL;
}

bool evaluation_decides(const struct evaluation *evaluation)
{
    const struct evaluation_graph *best = best_graph(evaluation);

    return best && best->nruns >= EVALUATION_FEW_RUNS &&
           evaluation->graphs[0].nruns >= EVALUATION_FEW_RUNS;
}

static double median_seconds(const struct evaluation_graph *graph)
{
    return evaluation_median(graph, &graph->series[EVALUATION_SECONDS]);
}

bool evaluation_is_sure(const struct evaluation *evaluation)
{
    return evaluation_decides(evaluation) &&
           fabs(median_seconds(best_graph(evaluation)) -
                median_seconds(&evaluation->graphs[0])) >
               evaluation->noise_seconds;
}

bool evaluation_is_complete(const struct evaluation *evaluation)
{
    for (size_t i = 0; i < evaluation->ngraphs; i++)
        if (evaluation->graphs[i].nruns < evaluation->repeat)
            return false;
    return true;
}

/* The one that would stand at k if they were sorted. */
static double select_value(const double *values, size_t n, size_t k)
{
    for (size_t i = 0; i < n; i++) {
        size_t below = 0, equal = 0;

        for (size_t j = 0; j < n; j++) {
            below += values[j] < values[i];
            equal += values[j] <= values[i] && values[j] >= values[i];
        }
        if (below <= k && k < below + equal)
            return values[i];
    }
    return -1;
}

double evaluation_median(const struct evaluation_graph *graph,
                         const struct evaluation_series *series)
{
    const size_t n = graph->nruns;

    if (n == 0 || series->n < n)
        return -1;
    return (select_value(series->seconds, n, (n - 1) / 2) +
            select_value(series->seconds, n, n / 2)) /
           2;
}

/* In the order in which they are written; `complete`, which the runs tell,
 * stands between the two. */
static const struct json_field request_fields[] = {
    JSON_FIELD(evaluation, "evaluated", JSON_STRING, evaluated, JSON_WRITTEN),
    JSON_FIELD(evaluation, "nodes", JSON_STRING, nodes, JSON_WRITTEN),
    JSON_FIELD(evaluation, "repeat", JSON_U32, repeat, JSON_NEEDED),
};

static const struct json_field verdict_fields[] = {
    JSON_FIELD(evaluation, "best", JSON_BORROWED, best, JSON_WRITTEN),
    JSON_FIELD(evaluation,
               "unmapped_is_best",
               JSON_BOOL,
               unmapped_is_best,
               JSON_NEEDED),
    JSON_FIELD(evaluation,
               "noise_seconds",
               JSON_AMOUNT,
               noise_seconds,
               JSON_WRITTEN),
};

#define HOPS(key, member)                                                      \
    JSON_FIELD(evaluation_graph, key, JSON_AMOUNT, member, JSON_OPTIONAL)
static const struct json_field graph_fields[] = {
    JSON_FIELD(evaluation_graph, "graph", JSON_STRING, name, JSON_NEEDED),
    HOPS("hops_per_byte", hops_per_byte),
    HOPS("unmapped_hops_per_byte", before),
    HOPS("max_hops_per_byte", max_hops_per_byte),
    HOPS("unmapped_max_hops_per_byte", max_before),
};

/* The array of the runs; behind its run_ is the key of the median. */
static const char *const series_keys[EVALUATION_KINDS] = {
    [EVALUATION_SECONDS] = "run_seconds",
    [EVALUATION_MPI] = "run_mpi_seconds",
    [EVALUATION_P2P] = "run_p2p_seconds",
    [EVALUATION_MOST_P2P] = "run_max_task_p2p_seconds",
    [EVALUATION_MOST_MPI] = "run_max_task_mpi_seconds",
};

static void put_series(struct json_writer *writer,
                       const char *key,
                       const struct evaluation_series *series,
                       const struct evaluation_graph *graph)
{
    const double median = evaluation_median(graph, series);

    /* NAN is null. */
    json_put_double(writer, series->name ? "seconds" : key + strlen("run_"),
                    median >= 0 ? median : NAN);
    json_begin_array(writer, key);
    for (size_t i = 0; i < series->n; i++)
        json_put_double(writer, NULL, series->seconds[i]);
    json_end_array(writer);
}

static void put_graph(struct json_writer *writer,
                      const struct evaluation_graph *graph)
{
    bool any = false;

    json_begin_object(writer, NULL);
    json_write_fields(writer, graph, JSON_FIELDS(graph_fields));
    for (size_t i = 0; i < EVALUATION_KINDS; i++)
        if (i <= EVALUATION_MPI ||
            evaluation_median(graph, &graph->series[i]) >= 0)
            put_series(writer, series_keys[i], &graph->series[i], graph);
    for (size_t i = 0; i < graph->nphases; i++) {
        if (evaluation_median(graph, &graph->phase[i]) < 0)
            continue;
        if (!any)
            json_begin_array(writer, "phases");
        any = true;
        json_begin_object(writer, NULL);
        json_put_string(writer, "phase", graph->phase[i].name);
        put_series(writer, "run_phase_seconds", &graph->phase[i], graph);
        json_end_object(writer);
    }
    if (any)
        json_end_array(writer);
    json_end_object(writer);
}

int evaluation_print(const struct evaluation *evaluation,
                     FILE *stream,
                     struct mapcore_error *err)
{
    struct json_writer writer;

    json_writer_start(&writer, stream);
    json_begin_object(&writer, NULL);
    json_put_u64(&writer, "format", EVALUATION_FORMAT);
    json_write_fields(&writer, evaluation, JSON_FIELDS(request_fields));
    json_put_bool(&writer, "complete", evaluation_is_complete(evaluation));
    json_write_fields(&writer, evaluation, JSON_FIELDS(verdict_fields));
    json_begin_array(&writer, "graphs");
    for (size_t i = 0; i < evaluation->ngraphs; i++)
        put_graph(&writer, &evaluation->graphs[i]);
    json_end_array(&writer);
    json_end_object(&writer);
    return json_writer_end(&writer, err);
}

/* Of nruns runs; what is known of another number of them is passed over. */
static int read_series(struct evaluation_series *series,
                       size_t nruns,
                       const struct json_node *array,
                       struct mapcore_error *err)
{
    int error = 0;

    if (json_count(array) == nruns && !series->seconds) {
        series->seconds = array_alloc(nruns, sizeof(*series->seconds), err);
        error = series->seconds ? json_read_items(series->seconds, array,
                                                  JSON_AMOUNT, nruns, err)
                                : MAPCORE_ENOMEM;
        series->n = nruns;
    }
    return error;
}

static int read_phase(struct evaluation_graph *graph,
                      const struct json_node *node,
                      struct mapcore_error *err)
{
    struct evaluation_series *phase;
    const char *name = NULL;
    struct json_node array;
    int error;

    if ((error = json_get_string(&name, node, "phase", err)) < 0 ||
        (error = json_get_array(&array, node, "run_phase_seconds", err)) < 0)
        return error;
    if (!plain_name_check(name, PLAIN_NAME_MOST))
        return json_error(node, err, MAPCORE_EPARSE,
                          "'%.80s' cannot be the name of a phase", name);
    if (graph->nphases == PROFILE_PHASES_MOST || evaluation_phase(graph, name))
        return 0;
    error = add_phase(&phase, graph, name, err);
    return error < 0 ? error : read_series(phase, graph->nruns, &array, err);
}

static int read_runs(struct evaluation_graph *graph,
                     const struct json_node *node,
                     struct mapcore_error *err)
{
    struct json_node array, item;
    int error = 0;

    for (size_t i = 0; error == 0 && i < EVALUATION_KINDS; i++) {
        if (i > EVALUATION_MPI && !json_has(node, series_keys[i]))
            continue;
        if ((error = json_get_array(&array, node, series_keys[i], err)) < 0)
            return error;
        if (i == EVALUATION_SECONDS &&
            (graph->nruns = json_count(&array)) > EVALUATION_RUNS_MOST)
            return json_error(&array, err, MAPCORE_ERANGE, "more than %d runs",
                              EVALUATION_RUNS_MOST);
        if (i == EVALUATION_MPI && json_count(&array) != graph->nruns)
            return json_error(&array, err, MAPCORE_EPARSE,
                              "not as many as run_seconds");
        error = read_series(&graph->series[i], graph->nruns, &array, err);
    }
    if (error < 0 || !json_has(node, "phases"))
        return error;
    error = json_get_array(&array, node, "phases", err);
    for (size_t i = 0; error == 0 && i < json_count(&array); i++)
        if ((error = json_at(&item, &array, i, err)) == 0)
            error = read_phase(graph, &item, err);
    return error;
}

/* A plain name, or two with an @ between them: that of a phase. */
static bool is_graph_name(const char *name)
{
    const char *at = strchr(name, '@');
    char type[PLAIN_NAME_MOST + 1];

    if (!at)
        return plain_name_check(name, PLAIN_NAME_MOST);
    if ((size_t)(at - name) >= sizeof(type))
        return false;
    memcpy(type, name, (size_t)(at - name));
    type[at - name] = '\0';
    return plain_name_check(type, PLAIN_NAME_MOST) &&
           plain_name_check(at + 1, PLAIN_NAME_MOST);
}

static int read_graph(struct evaluation *evaluation,
                      size_t i,
                      const struct json_node *node,
                      struct mapcore_error *err)
{
    struct evaluation_graph *graph = &evaluation->graphs[i];
    struct json_node number;
    int error;

    graph->hops_per_byte = graph->before = -1;
    graph->max_hops_per_byte = graph->max_before = -1;
    if ((error = json_read_fields(graph, node, JSON_FIELDS(graph_fields),
                                  err)) < 0 ||
        (error = json_get(&number, node, "graph", err)) < 0)
        return error;
    if (!is_graph_name(graph->name) ||
        (i == 0) != (strcmp(graph->name, EVALUATION_UNMAPPED) == 0))
        return json_error(&number, err, MAPCORE_EPARSE,
                          "'%.80s' cannot be the name of graph %zu",
                          graph->name, i);
    return read_runs(graph, node, err);
}

/* best must be one of the graphs, whose name it borrows. */
static int take_best(struct evaluation *evaluation,
                     const struct json_node *root,
                     struct mapcore_error *err)
{
    const char *best = evaluation->best;
    struct json_node node;
    int error;

    for (size_t i = 1; best && i < evaluation->ngraphs; i++)
        if (strcmp(best, evaluation->graphs[i].name) == 0) {
            evaluation->best = evaluation->graphs[i].name;
            return 0;
        }
    if (!best)
        return 0;
    error = json_get(&node, root, "best", err);
    return error < 0 ? error
                     : json_error(&node, err, MAPCORE_EPARSE,
                                  "'%.80s' is none of the graphs", best);
}

static int read_root(struct evaluation *evaluation,
                     const struct json_node *root,
                     struct mapcore_error *err)
{
    struct json_node array, node;
    size_t n;
    int error;

    if ((error = json_check_format(root, EVALUATION_FORMAT, err)) < 0 ||
        (error = json_read_fields(evaluation, root, JSON_FIELDS(request_fields),
                                  err)) < 0 ||
        (error = json_read_fields(evaluation, root, JSON_FIELDS(verdict_fields),
                                  err)) < 0 ||
        (error = json_get_array(&array, root, "graphs", err)) < 0)
        return error;
    n = json_count(&array);
    if (n == 0)
        return json_error(&array, err, MAPCORE_EPARSE, "holds no graph");
    evaluation->graphs = array_alloc(n, sizeof(*evaluation->graphs), err);
    if (!evaluation->graphs)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; error == 0 && i < n; i++) {
        evaluation->ngraphs = i + 1;
        error = json_at(&node, &array, i, err);
        if (error == 0)
            error = read_graph(evaluation, i, &node, err);
    }
    return error < 0 ? error : take_best(evaluation, root, err);
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

    if (error == 0 && (error = json_root(&root, json, err)) == 0 &&
        (error = read_root(made, &root, err)) == 0) {
        *out = made;
        made = NULL;
    }
    evaluation_destroy(made);
    json_close(json);
    return error;
}
