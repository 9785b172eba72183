/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* compare_rows.c - makes the mappings that are compared, and measures them */
#include "config.h"

#include "tools/compare/compare_rows.h"

#include "base/array.h"
#include "base/text.h"
#include "tools/common/graph_messages.h"
#include "tools/common/mapping_word.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* time[types.n] of a mapping, as they are estimated. */
static int estimate_types(double *time,
                          const struct compare_scale *scale,
                          const uint32_t *host,
                          struct mapcore_error *err)
{
    struct mapcore_estimate estimate;
    int error = 0;

    for (size_t i = 0; error == 0 && i < scale->types.n; i++) {
        error = graphs_type_estimate(&estimate, &scale->types, i,
                                     scale->inputs->alloc, host,
                                     &scale->inputs->rates, err);
        if (error == 0)
            time[i] = estimate.time;
    }
    return error;
}

int compare_scale_open(struct compare_scale *out,
                       const struct inputs *inputs,
                       struct mapcore_error *err)
{
    struct mapcore_mapping *block = NULL;
    int error;

    *out = (struct compare_scale){.inputs = inputs};
    error = graphs_open_types(&out->types, &inputs->source, inputs->graph, err);
    if (error == 0 &&
        !(out->block = array_alloc(out->types.n, sizeof(*out->block), err)))
        error = MAPCORE_ENOMEM;
    if (error == 0)
        error = graph_messages_open_source(&out->types, &inputs->source,
                                           &inputs->rates, err);
    if (error == 0)
        error = mapcore_mapping_block(&block, inputs->alloc,
                                      mapcore_graph_ntasks(inputs->graph), err);
    if (error == 0)
        error = estimate_types(out->block, out, block->host, err);
    out->unit = inputs_time_unit(inputs, out->types.is_profile);
    mapcore_mapping_destroy(block);
    return error;
}

void compare_scale_close(struct compare_scale *scale)
{
    graphs_clear_types(&scale->types);
    free(scale->block);
    *scale = (struct compare_scale){0};
}

bool compare_needs_bound(const char *word)
{
    return strcmp(word, COMPARE_PORTFOLIO) == 0 ||
           strcmp(word, "parmapper") == 0 || strstr(word, "+refine") != NULL;
}

int compare_row_prepare(struct compare_row *row,
                        const struct inputs *inputs,
                        struct mapcore_error *err)
{
    row->title = text_last_part(row->word);
    if (strcmp(row->word, COMPARE_PORTFOLIO) == 0)
        return 0;
    if (mapping_word_is_mapper(row->word)) {
        row->title = row->word; /* parameters may have a slash */
        return 0;
    }
    row->is_file = true;
    return mapping_word_open(&row->mapping, row->word, inputs, err);
}

static int search(struct compare_row *row,
                  int *signal,
                  const struct inputs *inputs,
                  const struct mapcore_search *how,
                  const struct timed_search *which,
                  struct mapcore_error *err)
{
    struct mapcore_search copy = *how;
    struct timed_search named = *which;
    struct mapcore_result result = {0};
    const double start = tool_now();
    int error;

    named.mapper = strcmp(row->word, COMPARE_PORTFOLIO) == 0 ? NULL : row->word;
    error = timed_search_run(&result, signal, inputs->graph, inputs->alloc,
                             &named, &copy, err);
    if (error < 0)
        return error;
    row->search_s = tool_now() - start;
    row->work = result.work;
    row->was_cut = result.interrupted;
    timed_search_print_mapper(row->found, &result);
    row->mapping = result.mapping;
    result.mapping = NULL;
    mapcore_result_clear(&result);
    return 0;
}

int compare_row_fill(struct compare_row *row,
                     int *signal,
                     const struct compare_scale *scale,
                     const struct mapcore_search *how,
                     const struct timed_search *which,
                     struct mapcore_error *err)
{
    const struct inputs *inputs = scale->inputs;
    double *time = array_alloc(scale->types.n, sizeof(*time), err);
    int error = time ? 0 : MAPCORE_ENOMEM;

    *signal = 0;
    if (error == 0 && !row->mapping)
        error = search(row, signal, inputs, how, which, err);
    if (error == 0)
        error = mapcore_metrics_compute(&row->metrics, inputs->graph,
                                        inputs->alloc, row->mapping->host, err);
    if (error == 0)
        error = estimate_types(time, scale, row->mapping->host, err);
    row->time = 0;
    for (size_t i = 0; error == 0 && i < scale->types.n; i++)
        row->time +=
            graphs_type_seconds(&scale->types, i, time[i], scale->block[i]);
    if (error < 0) {
        mapcore_mapping_destroy(row->mapping);
        row->mapping = NULL;
    }
    free(time);
    return error;
}

static double key_of(const struct compare_row *row, enum compare_sort by)
{
    if (!row->mapping)
        return INFINITY;
    switch (by) {
    case COMPARE_TIME:
        return row->time;
    case COMPARE_LINKS:
        return row->metrics.hops_per_byte;
    case COMPARE_TASK:
        return row->metrics.max_hop_bytes;
    case COMPARE_BUSIEST:
        return row->metrics.max_link_bytes;
    case COMPARE_SEARCH:
        return row->is_file ? 0 : row->search_s;
    case COMPARE_GIVEN:
        break;
    }
    return 0;
}

static int ascending(const void *a, const void *b)
{
    const struct compare_row *x = a, *y = b;

    if (x->key < y->key || x->key > y->key)
        return x->key < y->key ? -1 : 1;
    return (x->given > y->given) - (x->given < y->given);
}

void compare_rows_sort(struct compare_row *row, size_t n, enum compare_sort by)
{
    for (size_t i = 0; i < n; i++)
        row[i].key = key_of(&row[i], by);
    qsort(row, n, sizeof(*row), ascending);
}

void compare_rows_close(struct compare_row *row, size_t n)
{
    for (size_t i = 0; row && i < n; i++)
        mapcore_mapping_destroy(row[i].mapping);
    free(row);
}
