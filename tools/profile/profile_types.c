/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_types.c - topomap profile show; and graphs: the types of call, which
 * of them are critical, and the task graphs that come of them */
#include "config.h"

#include "tools/profile/profile_tool.h"

#include "base/array.h"
#include "profiles/taskgraphs.h"

#include <stdlib.h>

/* A graph that may be asked for, and its size. */
struct type_row {
    const char *name;
    size_t edges;
    uint64_t bytes;
    size_t degree; /* of the task with most neighbours */
};

struct type_table {
    const struct catalogue_entry *entry;
    const struct profile *profile;
    struct taskgraphs graphs;
    struct type_row *row;
    size_t n, capacity;
};

static int add_row(struct type_table *table,
                   const char *name,
                   struct mapcore_error *err)
{
    struct mapcore_graph *graph = NULL;
    struct type_row row = {.name = name};
    int error =
        taskgraphs_make(&graph, &table->graphs, table->entry->path, name, err);

    if (error == 0)
        error = array_reserve(&table->row, &table->capacity, table->n + 1,
                              sizeof(*table->row), err);
    if (error < 0) {
        mapcore_graph_destroy(graph);
        return error;
    }
    row.edges = mapcore_graph_nedges(graph);
    row.bytes = mapcore_graph_bytes(graph);
    for (uint32_t t = 0; t < mapcore_graph_ntasks(graph); t++) {
        const uint32_t *tasks;
        const uint64_t *bytes;
        size_t degree = mapcore_graph_neighbours(graph, t, &tasks, &bytes);

        if (degree > row.degree)
            row.degree = degree;
    }
    mapcore_graph_destroy(graph);
    table->row[table->n++] = row;
    return 0;
}

/* One of each critical type, and their sums when there are several. */
static int add_rows(struct type_table *table, struct mapcore_error *err)
{
    int error = 0;

    for (size_t i = 0; error == 0 && i < table->profile->ntypes; i++)
        if (table->graphs.role[i] == TASKGRAPHS_CRITICAL)
            error = add_row(table, table->profile->types[i].name, err);
    if (error == 0 && table->graphs.ncritical > 1)
        error = add_row(table, "sum", err);
    if (error == 0 && table->graphs.ncritical > 0)
        error = add_row(table, "weighted-sum", err);
    return error;
}

static void put_type(struct json_writer *writer,
                     const struct type_table *table,
                     size_t i)
{
    const struct profile_type *type = &table->profile->types[i];
    bool critical = table->graphs.role[i] == TASKGRAPHS_CRITICAL;

    json_begin_object(writer, NULL);
    json_put_string(writer, "type", type->name);
    json_put_u64(writer, "calls", type->calls);
    json_put_u64(writer, "bytes", type->bytes);
    json_put_double(writer, "seconds", type->seconds);
    json_put_double(
        writer, "share",
        table->graphs.total > 0 ? type->seconds / table->graphs.total : 0);
    json_put_double(writer, "seconds_without_large", table->graphs.seconds[i]);
    json_begin_array(writer, "communicator_sizes");
    for (size_t k = 0; k < type->ncommunicators; k++)
        json_put_u64(writer, NULL, type->communicators[k].size);
    json_end_array(writer);
    json_put_bool(writer, "critical", critical);
    if (!critical)
        json_put_string(writer, "why", taskgraphs_why_not(&table->graphs, i));
    json_end_object(writer);
}

static int print(const struct type_table *table,
                 const struct profile_options *options)
{
    struct answer answer;
    struct json_writer *writer =
        answer_begin(&answer, stdout, &options->form, "graphs", "graphs");

    json_put_string(writer, "folder", table->entry->path);
    json_put_u64(writer, "ntasks", table->profile->ntasks);
    json_put_double(writer, "share", table->graphs.share);
    json_put_double(writer, "seconds", table->graphs.total);
    json_put_double(writer, "seconds_without_large", table->graphs.counted);
    json_begin_array(writer, "types");
    for (size_t i = 0; i < table->profile->ntypes; i++)
        put_type(writer, table, i);
    json_end_array(writer);
    json_begin_array(writer, "graphs");
    for (size_t i = 0; i < table->n; i++) {
        json_begin_object(writer, NULL);
        json_put_string(writer, "graph", table->row[i].name);
        json_put_u64(writer, "pairs", table->row[i].edges);
        json_put_u64(writer, "bytes", table->row[i].bytes);
        json_put_u64(writer, "most_neighbours", table->row[i].degree);
        json_end_object(writer);
    }
    return answer_end(&answer, 0, options->err);
}

static int show_graphs(void *arg,
                       const struct profile_options *options,
                       const struct catalogue_entry *entry,
                       const struct profile *profile)
{
    struct type_table table = {.entry = entry, .profile = profile};
    int error =
        taskgraphs_select(&table.graphs, profile, options->share, options->err);

    (void)arg;
    if (error == 0)
        error = add_rows(&table, options->err);
    if (error == 0)
        error = print(&table, options);
    taskgraphs_clear(&table.graphs);
    free(table.row);
    return error;
}

int profile_graphs_run(const struct profile_options *options)
{
    return profile_with(options, show_graphs, NULL);
}

/* For people tables looks at what topomap tune has measured of it, and at what
 * production runs have shown, which is in the user's own catalogue. */
static int show(void *arg,
                const struct profile_options *options,
                const struct catalogue_entry *entry,
                const struct profile *profile)
{
    struct answer answer;
    struct json_writer *writer =
        answer_begin(&answer, stdout, &options->form, "show", NULL);
    char *own = NULL;

    (void)arg;
    json_put_string(writer, "folder", entry->path);
    json_put_string(writer, "catalogue", entry->root);
    json_put_string(writer, "version", entry->version);
    if (profile->partial)
        json_put_string(writer, "partial", profile->partial);
    profile_put(writer, profile);
    if (!options->form.json && catalogue_user_root(&own, NULL) == 0)
        json_put_string(writer, "own", own);
    free(own);
    return answer_end(&answer, 0, options->err);
}

int profile_show_run(const struct profile_options *options)
{
    return profile_with(options, show, NULL);
}
