/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* layouts.c - how launchers place tasks by themselves: default, block, cyclic
 */
#include "config.h"

#include "map/mappers.h"

#include "alloc/mapping.h"
#include "graph/csr.h"

#include <string.h>

typedef int layout(struct mapcore_mapping **out,
                   const struct mapcore_alloc *alloc,
                   uint32_t ntasks,
                   struct mapcore_error *err);

static int lay_out(uint32_t *host,
                   const struct map_problem *problem,
                   layout *create,
                   struct mapcore_error *err)
{
    uint32_t ntasks = problem->graph->ntasks;
    struct mapcore_mapping *mapping = NULL;
    int error = create(&mapping, problem->alloc, ntasks, err);

    if (error == 0)
        memcpy(host, mapping->host, ntasks * sizeof(*host));
    mapcore_mapping_destroy(mapping);
    return error;
}

static int run_block(uint32_t *host,
                     struct mapper_end *end,
                     const struct map_problem *problem,
                     const struct mapper_call *call,
                     struct mapcore_error *err)
{
    (void)end;
    (void)call;
    return lay_out(host, problem, mapcore_mapping_block, err);
}

static int run_cyclic(uint32_t *host,
                      struct mapper_end *end,
                      const struct map_problem *problem,
                      const struct mapper_call *call,
                      struct mapcore_error *err)
{
    (void)end;
    (void)call;
    return lay_out(host, problem, mapcore_mapping_cyclic, err);
}

static int run_default(uint32_t *host,
                       struct mapper_end *end,
                       const struct map_problem *problem,
                       const struct mapper_call *call,
                       struct mapcore_error *err)
{
    if (!problem->baseline)
        return run_block(host, end, problem, call, err);
    memcpy(host, problem->baseline, problem->graph->ntasks * sizeof(*host));
    return 0;
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
