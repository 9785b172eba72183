/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* eval_rows.c - makes the mappings that are compared, and measures them */
#include "config.h"

#include "tools/eval/eval.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

int eval_row_prepare(struct eval_row *row,
                     const struct inputs *inputs,
                     struct mapcore_error *err)
{
    row->is.title = row->word; /* parameters may have a slash */
    if (strcmp(row->word, EVAL_PORTFOLIO) == 0 ||
        timed_search_is_mapper(row->word))
        return 0;
    row->is_file = true;
    row->is.title = text_last_part(row->word);
    return eval_mapping_read(&row->is.mapping, row->word, inputs, err);
}

static int search(struct eval_row *row,
                  struct eval *e,
                  const struct timed_search *which,
                  bool is_once,
                  struct mapcore_error *err)
{
    const struct inputs *inputs = &e->options->inputs;
    struct mapcore_search copy = e->search;
    struct timed_search named = *which;
    struct mapcore_result result = {0};
    const double start = tool_now();
    int error;

    if (is_once)
        copy.work = 1;
    named.graph = inputs->graph;
    named.alloc = inputs->alloc;
    named.mapper = strcmp(row->word, EVAL_PORTFOLIO) == 0 ? NULL : row->word;
    error = timed_search_run(&result, &e->signal, &named, &copy, err);
    if (error < 0)
        return error;
    row->search_s = tool_now() - start;
    row->work = result.work;
    /* Of one run nobody asked for more. */
    row->was_cut = result.interrupted && (!is_once || e->signal != 0);
    timed_search_print_mapper(row->found, &result);
    row->is.mapping = result.mapping;
    result.mapping = NULL;
    mapcore_result_clear(&result);
    return 0;
}

int eval_row_fill(struct eval_row *row,
                  struct eval *e,
                  const struct timed_search *which,
                  bool is_once,
                  struct mapcore_error *err)
{
    int error = 0;

    if (!row->is.mapping)
        error = search(row, e, which, is_once, err);
    if (error == 0)
        error = eval_mapping_take(&row->is, row->is.title, row->is.mapping,
                                  &e->options->inputs, e->options->routes, err);
    if (!e->options->links) {
        free(row->is.load);
        row->is.load = NULL;
    }
    if (error == 0)
        error = eval_times_compute(row, e, err);
    if (error < 0) {
        mapcore_mapping_destroy(row->is.mapping);
        row->is.mapping = NULL;
    }
    return error;
}

void eval_row_clear(struct eval_row *row)
{
    eval_mapping_clear(&row->is);
    free(row->type);
}
