/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* compared.c - opens mappings beside the block layout */
#include "config.h"

#include "tools/common/compared.h"

#include "base/array.h"
#include "tools/common/mapping_word.h"

#include <stdlib.h>

int compared_open(struct compared **out,
                  const struct tool_list *words,
                  const struct inputs *inputs,
                  struct mapcore_error *err)
{
    size_t n = words->n + 1;
    struct compared *compared = array_alloc(n, sizeof(*compared), err);
    int error;

    if (!compared)
        return MAPCORE_ENOMEM;
    compared[0].name = "block";
    error = mapcore_mapping_block(&compared[0].mapping, inputs->alloc,
                                  mapcore_graph_ntasks(inputs->graph), err);
    for (size_t i = 1; error == 0 && i < n; i++) {
        compared[i].name = words->item[i - 1];
        error = mapping_word_open(&compared[i].mapping, compared[i].name,
                                  inputs, err);
    }
    if (error < 0) {
        compared_close(compared, n);
        return error;
    }
    *out = compared;
    return 0;
}

void compared_close(struct compared *compared, size_t n)
{
    for (size_t i = 0; compared && i < n; i++)
        mapcore_mapping_destroy(compared[i].mapping);
    free(compared);
}

size_t compared_best(const double *time, size_t n)
{
    size_t best = 0;

    for (size_t i = 1; i < n; i++)
        if (time[i] < time[best] && time[i] <= (1 - COMPARED_WORTH) * time[0])
            best = i;
    return best;
}
