/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* evaluation_file.c - evaluations read from files and written to them */
#include "config.h"

#include "profiles/evaluation.h"

#include "profiles/catalogue_names.h"

#include "base/array.h"
#include "base/buffer.h"
#include "launch/plain_name.h"
#include "json/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int put_runs(struct json_writer *writer,
                    const char *key,
                    const char *median_key,
                    const double *values,
                    size_t n,
                    struct mapcore_error *err)
{
    double median;

    if (n > 0 && evaluation_median(&median, values, n, err) < 0)
        return MAPCORE_ENOMEM;
    if (n > 0)
        json_put_double(writer, median_key, median);
    else
        json_put_null(writer, median_key);
    json_begin_array(writer, key);
    for (size_t i = 0; i < n; i++)
        json_put_double(writer, NULL, values[i]);
    json_end_array(writer);
    return 0;
}

static int put_graph(struct json_writer *writer,
                     const struct evaluation_graph *graph,
                     struct mapcore_error *err)
{
    int error;

    json_begin_object(writer, NULL);
    json_put_string(writer, "graph", graph->name);
    if (graph->hops_per_byte >= 0)
        json_put_double(writer, "hops_per_byte", graph->hops_per_byte);
    if (graph->before >= 0)
        json_put_double(writer, "unmapped_hops_per_byte", graph->before);
    error = put_runs(writer, "run_seconds", "seconds", graph->seconds,
                     graph->nruns, err);
    if (error == 0)
        error = put_runs(writer, "run_mpi_seconds", "mpi_seconds",
                         graph->mpi_seconds, graph->nruns, err);
    json_end_object(writer);
    return error;
}

int evaluation_print(const struct evaluation *evaluation,
                     FILE *stream,
                     struct mapcore_error *err)
{
    struct json_writer writer;
    int error = 0;

    json_writer_start(&writer, stream);
    json_begin_object(&writer, NULL);
    json_put_u64(&writer, "format", EVALUATION_FORMAT);
    json_put_string(&writer, "evaluated", evaluation->evaluated);
    json_put_string(&writer, "nodes", evaluation->nodes);
    json_put_u64(&writer, "repeat", evaluation->repeat);
    json_put_bool(&writer, "complete", evaluation_is_complete(evaluation));
    json_put_string(&writer, "best", evaluation->best);
    json_put_bool(&writer, "unmapped_is_best", evaluation->unmapped_is_best);
    json_put_double(&writer, "noise_seconds", evaluation->noise_seconds);
    json_begin_array(&writer, "graphs");
    for (size_t i = 0; error == 0 && i < evaluation->ngraphs; i++)
        error = put_graph(&writer, &evaluation->graphs[i], err);
    json_end_array(&writer);
    json_end_object(&writer);
    return error < 0 ? error : json_writer_end(&writer, err);
}

static int write_file(const struct evaluation *evaluation,
                      const char *path,
                      struct mapcore_error *err)
{
    int fd =
        open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    int error;

    if (!file) {
        error = error_set(err, MAPCORE_EIO, "cannot write %.400s: %s", path,
                          strerror(errno));
        if (fd >= 0)
            close(fd);
        return error;
    }
    error = evaluation_print(evaluation, file, err);
    if (error == 0 && fsync(fd) < 0 && errno != EINVAL && errno != ENOTSUP)
        error = error_set(err, MAPCORE_EIO, "cannot store %.400s: %s", path,
                          strerror(errno));
    if (fclose(file) != 0 && error == 0)
        error = error_set(err, MAPCORE_EIO, "cannot write %.400s: %s", path,
                          strerror(errno));
    return error;
}

int evaluation_write(const struct evaluation *evaluation,
                     const char *folder,
                     struct mapcore_error *err)
{
    char *path = catalogue_join(folder, EVALUATION_FILE, err);
    struct buffer beside = {0};
    int error =
        path ? buffer_printf(&beside, err, "%s.new-%ld", path, (long)getpid())
             : MAPCORE_ENOMEM;

    if (error == 0)
        error = write_file(evaluation, beside.bytes, err);
    if (error == 0 && rename(beside.bytes, path) < 0)
        error = error_set(err, MAPCORE_EIO, "cannot rename %.400s: %s",
                          beside.bytes, strerror(errno));
    if (error < 0 && beside.n > 0)
        unlink(beside.bytes);
    buffer_clear(&beside);
    free(path);
    return error;
}

static int take_string(char **out,
                       const struct json_node *object,
                       const char *key,
                       struct mapcore_error *err)
{
    const char *string;
    int error;

    if (!json_has(object, key))
        return 0;
    error = json_get_string(&string, object, key, err);
    if (error < 0)
        return error;
    *out = array_copy(string, strlen(string) + 1, 1, err);
    return *out ? 0 : MAPCORE_ENOMEM;
}

/* A finite number that is not negative. */
static int take_amount(double *out,
                       const struct json_node *node,
                       struct mapcore_error *err)
{
    int error = json_as_double(out, node, err);

    if (error == 0 && *out < 0)
        error = json_error(node, err, MAPCORE_EPARSE,
                           "expected a number that is not negative");
    return error;
}

static int read_runs(struct evaluation *evaluation,
                     size_t i,
                     const struct json_node *node,
                     struct mapcore_error *err)
{
    struct json_node seconds, mpi, item;
    double a, b;
    int error;

    if ((error = json_get_array(&seconds, node, "run_seconds", err)) < 0 ||
        (error = json_get_array(&mpi, node, "run_mpi_seconds", err)) < 0)
        return error;
    if (json_count(&seconds) != json_count(&mpi))
        return json_error(&mpi, err, MAPCORE_EPARSE,
                          "not as many as run_seconds");
    for (size_t k = 0; error == 0 && k < json_count(&seconds); k++)
        if ((error = json_at(&item, &seconds, k, err)) == 0 &&
            (error = take_amount(&a, &item, err)) == 0 &&
            (error = json_at(&item, &mpi, k, err)) == 0 &&
            (error = take_amount(&b, &item, err)) == 0)
            error = evaluation_add(evaluation, i, a, b, err);
    return error;
}

static int read_graph(struct evaluation *evaluation,
                      size_t i,
                      const struct json_node *node,
                      struct mapcore_error *err)
{
    struct evaluation_graph *graph = &evaluation->graphs[i];
    struct json_node number;
    int error;

    if ((error = json_get(&number, node, "graph", err)) < 0 ||
        (error = take_string(&graph->name, node, "graph", err)) < 0)
        return error;
    if (!plain_name_check(graph->name, PLAIN_NAME_MOST) ||
        (i == 0) != (strcmp(graph->name, EVALUATION_UNMAPPED) == 0))
        return json_error(&number, err, MAPCORE_EPARSE,
                          "'%.80s' cannot be the name of graph %zu",
                          graph->name, i);
    graph->hops_per_byte = graph->before = -1;
    if (json_has(node, "hops_per_byte") &&
        ((error = json_get(&number, node, "hops_per_byte", err)) < 0 ||
         (error = take_amount(&graph->hops_per_byte, &number, err)) < 0))
        return error;
    if (json_has(node, "unmapped_hops_per_byte") &&
        ((error = json_get(&number, node, "unmapped_hops_per_byte", err)) < 0 ||
         (error = take_amount(&graph->before, &number, err)) < 0))
        return error;
    return read_runs(evaluation, i, node, err);
}

static int check_format(const struct json_node *root, struct mapcore_error *err)
{
    struct json_node node;
    uint64_t format;
    int error = json_get(&node, root, "format", err);

    if (error == 0)
        error = json_as_u64(&format, &node, err);
    if (error == 0 && format > EVALUATION_FORMAT)
        error = json_error(&node, err, MAPCORE_EVERSION,
                           "format %llu is later than this topomap knows (%d)",
                           (unsigned long long)format, EVALUATION_FORMAT);
    if (error == 0 && format == 0)
        error = json_error(&node, err, MAPCORE_EPARSE, "there is no format 0");
    return error;
}

/* best must be one of the graphs that were run. */
static int check_best(const struct evaluation *evaluation,
                      const struct json_node *root,
                      struct mapcore_error *err)
{
    struct json_node node;
    int error;

    if (!evaluation->best)
        return 0;
    for (size_t i = 1; i < evaluation->ngraphs; i++)
        if (strcmp(evaluation->best, evaluation->graphs[i].name) == 0)
            return 0;
    error = json_get(&node, root, "best", err);
    return error < 0
               ? error
               : json_error(&node, err, MAPCORE_EPARSE,
                            "'%.80s' is none of the graphs", evaluation->best);
}

static int read_root(struct evaluation *evaluation,
                     const struct json_node *root,
                     struct mapcore_error *err)
{
    struct json_node array, node;
    size_t n;
    int error;

    if ((error = take_string(&evaluation->evaluated, root, "evaluated", err)) <
            0 ||
        (error = take_string(&evaluation->nodes, root, "nodes", err)) < 0 ||
        (error = take_string(&evaluation->best, root, "best", err)) < 0 ||
        (error = json_get_u32(&evaluation->repeat, root, "repeat", err)) < 0 ||
        (error = json_get_bool(&evaluation->unmapped_is_best, root,
                               "unmapped_is_best", err)) < 0 ||
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
    return error < 0 ? error : check_best(evaluation, root, err);
}

static int read_json(struct evaluation **out,
                     const struct json *json,
                     struct mapcore_error *err)
{
    struct evaluation *made = array_alloc(1, sizeof(*made), err);
    struct json_node root;
    int error = MAPCORE_ENOMEM;

    if (!made || (error = json_root(&root, json, err)) < 0 ||
        (error = check_format(&root, err)) < 0 ||
        (error = read_root(made, &root, err)) < 0) {
        evaluation_destroy(made);
        return error;
    }
    *out = made;
    return 0;
}

int evaluation_read(struct evaluation **out,
                    const char *folder,
                    struct mapcore_error *err)
{
    char *path = catalogue_join(folder, EVALUATION_FILE, err);
    struct json *json = NULL;
    struct stat st;
    int error = MAPCORE_ENOMEM;

    if (path && lstat(path, &st) < 0 && errno == ENOENT)
        error = error_set(err, MAPCORE_ENOENT, "%.400s: not there", path);
    else if (path)
        error = json_open(&json, path, err);
    if (error == 0)
        error = read_json(out, json, err);
    json_close(json);
    free(path);
    return error;
}

int evaluation_parse(struct evaluation **out,
                     const char *name,
                     const char *bytes,
                     size_t n,
                     struct mapcore_error *err)
{
    struct json *json = NULL;
    int error = json_open_memory(&json, name, bytes, n, err);

    if (error == 0)
        error = read_json(out, json, err);
    json_close(json);
    return error;
}
