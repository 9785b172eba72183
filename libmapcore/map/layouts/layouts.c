/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* layouts.c - how launchers place tasks by themselves: default, block, cyclic,
 * and Slurm's layout between the two */
#include "config.h"

#include "map/mapper.h"

#include "base/array.h"
#include "graph/csr.h"

#include <string.h>

/* Each host in turn takes the next n tasks (0: half of its slots), as far as it
 * has slots left. */
static int lay(const struct mapper_call *call, uint32_t n)
{
    const struct mapcore_alloc *alloc = call->problem->alloc;
    uint32_t nhosts = mapcore_alloc_nhosts(alloc), t = 0;
    uint32_t ntasks = call->problem->graph->ntasks;
    uint32_t *used = arena_alloc(call->arena, nhosts, sizeof(*used));

    while (used && t < ntasks)
        for (uint32_t h = 0; h < nhosts && t < ntasks; h++) {
            uint32_t slots = mapcore_alloc_slots(alloc, h);
            uint32_t left = n > 0 ? n : slots / 2 + slots % 2;

            for (; left > 0 && used[h] < slots && t < ntasks; left--) {
                used[h]++;
                call->host[t++] = h;
            }
        }
    return used ? 0 : MAPCORE_ENOMEM;
}

static int run_block(const struct mapper_call *call)
{
    return lay(call, UINT32_MAX);
}

static int run_cyclic(const struct mapper_call *call)
{
    return lay(call, 1);
}

static int run_default(const struct mapper_call *call)
{
    const struct map_problem *problem = call->problem;

    if (!problem->baseline)
        return run_block(call);
    memcpy(call->host, problem->baseline,
           problem->graph->ntasks * sizeof(*call->host));
    return 0;
}

static const uint32_t numbers[] = {0, 1, 2, 4, 8, 16, 32, 64};

static int run_plane(const struct mapper_call *call)
{
    return lay(call, numbers[call->value[0]]);
}

const struct mapper mapper_default = {
    .name = "default",
    .summary = "the layout without topomap (Slurm's own, or block)",
    .source = "Slurm, --distribution",
    .is_layout = true,
    .run = run_default,
};

const struct mapper mapper_block = {
    .name = "block",
    .summary = "nodes filled one after the other",
    .source = "Slurm, --distribution=block",
    .is_layout = true,
    .run = run_block,
};

const struct mapper mapper_cyclic = {
    .name = "cyclic",
    .summary = "one task a node in turn",
    .source = "Slurm, --distribution=cyclic",
    .is_layout = true,
    .run = run_cyclic,
};

const struct mapper mapper_plane = {
    .name = "plane",
    .summary = "blocks of tasks, a node in turn; :size=half|1|2|4|8|16|32|64 "
               "tasks a block (half: of a node's slots)",
    .source = "Slurm, --distribution=plane",
    .parameters = "size=half|1|2|4|8|16|32|64",
    .run = run_plane,
};
