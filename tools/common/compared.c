/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* compared.c - opens mappings beside the block layout */
#include "config.h"

#include "tools/common/compared.h"

#include "base/array.h"
#include "base/text.h"

#include <stdlib.h>

static int read_mapping(struct mapcore_mapping **out,
                        const struct inputs *inputs,
                        const char *path,
                        struct mapcore_error *err)
{
    uint32_t ntasks = mapcore_graph_ntasks(inputs->graph);
    int error = mapcore_mapping_read_form(out, inputs->alloc, path,
                                          MAPCORE_MAPPING_ANY, err);

    if (error == 0 && (*out)->ntasks != ntasks)
        error =
            error_set(err, MAPCORE_EINVAL, "%s places %u task%s, not %u", path,
                      (*out)->ntasks, text_plural((*out)->ntasks), ntasks);
    return error;
}

int compared_open(struct compared **out,
                  const struct tool_list *paths,
                  const struct inputs *inputs,
                  struct mapcore_error *err)
{
    size_t n = paths->n + 1;
    struct compared *compared = array_alloc(n, sizeof(*compared), err);
    int error;

    if (!compared)
        return MAPCORE_ENOMEM;
    compared[0].name = "block";
    error = mapcore_mapping_block(&compared[0].mapping, inputs->alloc,
                                  mapcore_graph_ntasks(inputs->graph), err);
    for (size_t i = 1; error == 0 && i < n; i++) {
        compared[i].name = paths->item[i - 1];
        error =
            read_mapping(&compared[i].mapping, inputs, compared[i].name, err);
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
