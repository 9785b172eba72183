/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plane.c - Slurm's layout between block and cyclic */
#include "config.h"

#include "map/mappers.h"

#include "base/array.h"
#include "graph/csr.h"

#include <stdlib.h>

static const char *const sizes[] = {"half", "1",  "2",  "4", "8",
                                    "16",   "32", "64", NULL};
static const uint32_t numbers[] = {0, 1, 2, 4, 8, 16, 32, 64};
static const struct mapper_parameter parameters[] = {
    {"size", sizes, MAPPER_WORD},
    {NULL, NULL, MAPPER_WORD}};

/* Each host in turn takes the next tasks, as many as size says and as it has
 * slots left. */
static int run(uint32_t *host,
               struct mapper_end *end,
               const struct map_problem *problem,
               const struct mapper_call *call,
               struct mapcore_error *err)
{
    const struct mapcore_alloc *alloc = problem->alloc;
    uint32_t nhosts = mapcore_alloc_nhosts(alloc);
    uint32_t ntasks = problem->graph->ntasks, t = 0;
    uint32_t *vacant = array_alloc(nhosts, sizeof(*vacant), err);

    (void)end;
    if (!vacant)
        return MAPCORE_ENOMEM;
    for (uint32_t h = 0; h < nhosts; h++)
        vacant[h] = mapcore_alloc_slots(alloc, h);
    while (t < ntasks)
        for (uint32_t h = 0; h < nhosts && t < ntasks; h++) {
            uint32_t n = numbers[call->value[0]];

            if (n == 0)
                n = mapcore_alloc_slots(alloc, h) / 2 +
                    mapcore_alloc_slots(alloc, h) % 2;
            for (; n > 0 && vacant[h] > 0 && t < ntasks; n--, vacant[h]--)
                host[t++] = h;
        }
    free(vacant);
    return 0;
}

const struct mapper mapper_plane = {
    .name = "plane",
    .summary = "blocks of tasks, a node in turn; :size=half|1|2|4|8|16|32|64 "
               "tasks a block (half: of a node's slots)",
    .source = "Slurm, --distribution=plane",
    .parameters = parameters,
    .run = run,
};
