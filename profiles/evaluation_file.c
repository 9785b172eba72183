/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* evaluation_file.c - evaluations read from files and written to them */
#include "config.h"

#include "profiles/evaluation.h"

#include "profiles/catalogue/catalogue_names.h"

#include "base/array.h"
#include "base/file_read.h"
#include "base/file_replace.h"
#include "launch/plain_name.h"
#include "json/json_fields.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define FIELD(type, key, kind, member, need)                                   \
    {                                                                          \
        key, kind, offsetof(struct type, member), need                         \
    }

/* In the order in which they are written; `complete`, which the runs tell,
 * stands between the two. */
static const struct json_field request_fields[] = {
    FIELD(evaluation, "evaluated", JSON_STRING, evaluated, JSON_WRITTEN),
    FIELD(evaluation, "nodes", JSON_STRING, nodes, JSON_WRITTEN),
    FIELD(evaluation, "repeat", JSON_U32, repeat, JSON_NEEDED),
};

static const struct json_field verdict_fields[] = {
    FIELD(evaluation, "best", JSON_STRING, best, JSON_WRITTEN),
    FIELD(evaluation,
          "unmapped_is_best",
          JSON_BOOL,
          unmapped_is_best,
          JSON_NEEDED),
    FIELD(evaluation,
          "noise_seconds",
          JSON_AMOUNT,
          noise_seconds,
          JSON_WRITTEN),
};

static const struct json_field graph_fields[] = {
    FIELD(evaluation_graph, "graph", JSON_STRING, name, JSON_NEEDED),
    FIELD(evaluation_graph,
          "hops_per_byte",
          JSON_AMOUNT,
          hops_per_byte,
          JSON_OPTIONAL),
    FIELD(evaluation_graph,
          "unmapped_hops_per_byte",
          JSON_AMOUNT,
          before,
          JSON_OPTIONAL),
    FIELD(evaluation_graph,
          "max_hops_per_byte",
          JSON_AMOUNT,
          max_hops_per_byte,
          JSON_OPTIONAL),
    FIELD(evaluation_graph,
          "unmapped_max_hops_per_byte",
          JSON_AMOUNT,
          max_before,
          JSON_OPTIONAL),
};

/* What is known of single tasks: run_KEY, an array, and KEY, its median. */
static const struct {
    const char *key, *median_key;
    size_t offset;
} tasks_keys[] = {
    {"run_p2p_seconds", "p2p_seconds", offsetof(struct evaluation_tasks, p2p)},
    {"run_max_task_p2p_seconds", "max_task_p2p_seconds",
     offsetof(struct evaluation_tasks, most_p2p)},
    {"run_max_task_mpi_seconds", "max_task_mpi_seconds",
     offsetof(struct evaluation_tasks, most_mpi)},
};

static double *tasks_member(struct evaluation_tasks *tasks, size_t k)
{
    return (double *)(void *)((char *)tasks + tasks_keys[k].offset);
}

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

static int put_tasks(struct json_writer *writer,
                     const struct evaluation_graph *graph,
                     struct mapcore_error *err)
{
    double *values;
    int error = 0;

    if (!evaluation_knows_tasks(graph))
        return 0;
    values = array_alloc(graph->nruns, sizeof(*values), err);
    if (!values)
        return MAPCORE_ENOMEM;
    for (size_t k = 0; error == 0 && k < COUNT(tasks_keys); k++) {
        for (size_t i = 0; i < graph->nruns; i++)
            values[i] = *tasks_member(&graph->tasks[i], k);
        error = put_runs(writer, tasks_keys[k].key, tasks_keys[k].median_key,
                         values, graph->nruns, err);
    }
    free(values);
    return error;
}

static int put_phases(struct json_writer *writer,
                      const struct evaluation_graph *graph,
                      struct mapcore_error *err)
{
    bool any = false;
    double median;

    for (size_t i = 0; i < graph->phases.n; i++) {
        const struct evaluation_phase *phase = evaluation_phases_find(
            &graph->phases, graph->nruns, graph->phases.phase[i].name);

        if (!phase)
            continue;
        if (evaluation_median(&median, phase->seconds, graph->nruns, err) < 0)
            return MAPCORE_ENOMEM;
        if (!any)
            json_begin_array(writer, "phases");
        any = true;
        json_begin_object(writer, NULL);
        json_put_string(writer, "phase", phase->name);
        json_put_double(writer, "seconds", median);
        json_begin_array(writer, "run_phase_seconds");
        for (size_t k = 0; k < graph->nruns; k++)
            json_put_double(writer, NULL, phase->seconds[k]);
        json_end_array(writer);
        json_end_object(writer);
    }
    if (any)
        json_end_array(writer);
    return 0;
}

static int put_graph(struct json_writer *writer,
                     const struct evaluation_graph *graph,
                     struct mapcore_error *err)
{
    int error;

    json_begin_object(writer, NULL);
    json_write_fields(writer, graph, graph_fields, COUNT(graph_fields));
    error = put_runs(writer, "run_seconds", "seconds", graph->seconds,
                     graph->nruns, err);
    if (error == 0)
        error = put_runs(writer, "run_mpi_seconds", "mpi_seconds",
                         graph->mpi_seconds, graph->nruns, err);
    if (error == 0)
        error = put_tasks(writer, graph, err);
    if (error == 0)
        error = put_phases(writer, graph, err);
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
    json_write_fields(&writer, evaluation, request_fields,
                      COUNT(request_fields));
    json_put_bool(&writer, "complete", evaluation_is_complete(evaluation));
    json_write_fields(&writer, evaluation, verdict_fields,
                      COUNT(verdict_fields));
    json_begin_array(&writer, "graphs");
    for (size_t i = 0; error == 0 && i < evaluation->ngraphs; i++)
        error = put_graph(&writer, &evaluation->graphs[i], err);
    json_end_array(&writer);
    json_end_object(&writer);
    return error < 0 ? error : json_writer_end(&writer, err);
}

int evaluation_write(const struct evaluation *evaluation,
                     const char *folder,
                     struct mapcore_error *err)
{
    char *path = catalogue_join(folder, EVALUATION_FILE, err);
    struct file_replace output = {0};
    int error =
        path ? file_replace_open(&output, path, 0644, err) : MAPCORE_ENOMEM;

    if (error == 0)
        error = evaluation_print(evaluation, output.file, err);
    if (error == 0)
        error = file_replace_commit(&output, err);
    file_replace_abandon(&output);
    free(path);
    return error;
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

/* Older ones say nothing of it, or not of all runs. */
static int read_tasks(struct evaluation *evaluation,
                      size_t i,
                      size_t k,
                      const struct json_node *node,
                      struct mapcore_error *err)
{
    struct evaluation_tasks tasks;
    struct json_node array, item;
    int error = 0;

    for (size_t m = 0; error == 0 && m < COUNT(tasks_keys); m++) {
        if (!json_has(node, tasks_keys[m].key))
            return 0;
        error = json_get_array(&array, node, tasks_keys[m].key, err);
        if (error == 0 && k >= json_count(&array))
            return 0;
        if (error == 0 && (error = json_at(&item, &array, k, err)) == 0)
            error = take_amount(tasks_member(&tasks, m), &item, err);
    }
    return error < 0 ? error : evaluation_add_tasks(evaluation, i, &tasks, err);
}

static int read_phase(struct evaluation_graph *graph,
                      size_t run,
                      const struct json_node *node,
                      struct mapcore_error *err)
{
    struct json_node array, item;
    const char *name = NULL;
    double seconds = 0;
    int error;

    if ((error = json_get_string(&name, node, "phase", err)) < 0 ||
        (error = json_get_array(&array, node, "run_phase_seconds", err)) < 0)
        return error;
    if (!plain_name_check(name, PLAIN_NAME_MOST))
        return json_error(node, err, MAPCORE_EPARSE,
                          "'%.80s' cannot be the name of a phase", name);
    if (run >= json_count(&array))
        return 0;
    if ((error = json_at(&item, &array, run, err)) < 0 ||
        (error = json_as_double(&seconds, &item, err)) < 0)
        return error;
    if (seconds < 0)
        return json_error(&item, err, MAPCORE_EPARSE,
                          "expected a number that is not negative");
    return evaluation_phases_add(&graph->phases, graph->nruns, name, seconds,
                                 err);
}

static int read_phases(struct evaluation_graph *graph,
                       const struct json_node *node,
                       struct mapcore_error *err)
{
    struct json_node array, item;
    int error = 0;

    if (!json_has(node, "phases"))
        return 0;
    error = json_get_array(&array, node, "phases", err);
    for (size_t i = 0; error == 0 && i < json_count(&array); i++)
        if ((error = json_at(&item, &array, i, err)) == 0)
            error = read_phase(graph, graph->nruns - 1, &item, err);
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
            (error = take_amount(&b, &item, err)) == 0 &&
            (error = evaluation_add(evaluation, i, a, b, err)) == 0 &&
            (error = read_tasks(evaluation, i, k, node, err)) == 0)
            error = read_phases(&evaluation->graphs[i], node, err);
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
    if ((error = json_read_fields(graph, node, graph_fields,
                                  COUNT(graph_fields), err)) < 0 ||
        (error = json_get(&number, node, "graph", err)) < 0)
        return error;
    if (!is_graph_name(graph->name) ||
        (i == 0) != (strcmp(graph->name, EVALUATION_UNMAPPED) == 0))
        return json_error(&number, err, MAPCORE_EPARSE,
                          "'%.80s' cannot be the name of graph %zu",
                          graph->name, i);
    return read_runs(evaluation, i, node, err);
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

    if ((error = json_check_format(root, EVALUATION_FORMAT, err)) < 0 ||
        (error = json_read_fields(evaluation, root, request_fields,
                                  COUNT(request_fields), err)) < 0 ||
        (error = json_read_fields(evaluation, root, verdict_fields,
                                  COUNT(verdict_fields), err)) < 0 ||
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
    struct json *json = NULL;
    int error = json_open_memory(&json, name, bytes, n, err);

    if (error == 0)
        error = read_json(out, json, err);
    json_close(json);
    return error;
}
