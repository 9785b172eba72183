/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* embed.c - the mapper `grid`: finds the Cartesian grid that a task graph is,
 * and the best ways to lay it into the network */
#include "config.h"

#include "map/embed.h"

#include "base/array.h"
#include "graph/csr.h"

#include <stdlib.h>
#include <string.h>

/* Passes behind those of the plans. */
#define HALVINGS 4

/* Hosts filled in the order of the ranks: what is left where there is no
 * grid. */
static void lay_blocks(uint32_t *host, const struct map_problem *problem)
{
    uint32_t h = 0, used = 0;

    for (uint32_t t = 0; t < problem->graph->ntasks; t++) {
        while (used == mapcore_alloc_slots(problem->alloc, h)) {
            h++;
            used = 0;
        }
        host[t] = h;
        used++;
    }
}

/* Bytes times hops of a layout, exactly: the plans' own costs count edges that
 * move in two dimensions as if these never shared an axis. */
static double measure(const uint32_t *host, const struct map_problem *problem)
{
    const struct mapcore_graph *graph = problem->graph;
    double cost = 0;

    for (uint32_t t = 0; t < graph->ntasks; t++)
        for (size_t e = graph->row[t]; e < graph->row[t + 1]; e++) {
            uint32_t a = host[t], b = host[graph->task[e]];

            if (graph->task[e] > t && a != b)
                cost += (double)graph->bytes[e] *
                        mapcore_alloc_distance(problem->alloc, a, b);
        }
    return cost;
}

/* Replaces the plans' costs by exact ones, and sorts again. */
static int measure_plans(struct embed_plans *plans,
                         const struct embed_machine *machine,
                         const struct mapcore_grid *grid,
                         const struct map_problem *problem,
                         struct mapcore_error *err)
{
    struct embed_plans exact = {0};
    uint32_t *host = array_alloc(grid->ntasks, sizeof(*host), err);

    if (!host)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < plans->n; i++) {
        int code = embed_lay(host, machine, grid, &plans->plan[i],
                             problem->alloc, err);

        if (code == MAPCORE_ERANGE)
            continue;
        if (code < 0) {
            free(host);
            return code;
        }
        plans->plan[i].cost = measure(host, problem);
        embed_plans_add(&exact, &plans->plan[i]);
    }
    free(host);
    *plans = exact;
    return 0;
}

/* Whether every edge moves in one dimension alone: costs are exact then. */
static bool is_star(const struct mapcore_grid *grid)
{
    if (grid->explained < grid->total)
        return false;
    for (size_t o = 0; o < grid->noffsets; o++) {
        uint32_t moved = 0;

        for (uint32_t i = 0; i < grid->ndims; i++)
            moved += grid->offset[o].step[i] != 0;
        if (moved > 1)
            return false;
    }
    return true;
}

static int plan_box(struct embed_plans *plans,
                    bool *cut,
                    const struct embed_machine *machine,
                    const struct mapcore_grid *grid,
                    const struct map_problem *problem,
                    struct mapcore_error *err)
{
    struct embed_traffics traffics;
    int code = embed_traffics_open(&traffics, grid, problem->graph, err);

    if (code == 0)
        code = (machine->tree ? embed_search_tree : embed_search_torus)(
            plans, cut, machine, &traffics, &problem->clock, err);
    embed_traffics_clear(&traffics);
    if (code == 0 && !*cut && !is_star(grid))
        code = measure_plans(plans, machine, grid, problem, err);
    return code;
}

static int run(uint32_t *host,
               struct mapper_end *end,
               const struct map_problem *problem,
               const struct mapper_call *call,
               struct mapcore_error *err)
{
    struct mapcore_grid *grid = NULL;
    struct embed_machine machine = {0};
    struct embed_plans *plans = NULL;
    bool fits = false;
    int code = mapcore_grid_find(&grid, problem->graph, err);

    if (code == MAPCORE_ENOENT) {
        lay_blocks(host, problem);
        return 0;
    }
    if (code < 0)
        return code;
    plans = array_alloc(1, sizeof(*plans), err);
    code = plans ? embed_machine_open(&machine, &fits, problem->alloc, err)
                 : MAPCORE_ENOMEM;
    if (code == 0 && fits)
        code = plan_box(plans, &end->cut, &machine, grid, problem, err);
    if (code < 0 || end->cut)
        goto out;
    end->drew = call->pass + 1 < plans->n + HALVINGS;
    if (call->pass < plans->n)
        code = embed_lay(host, &machine, grid, &plans->plan[call->pass],
                         problem->alloc, err);
    else
        code = embed_halves(host, &end->cut, grid, problem,
                            (uint32_t)(call->pass - plans->n), err);
out:
    free(plans);
    embed_machine_clear(&machine);
    mapcore_grid_destroy(grid);
    return code;
}

const struct mapper embed_mapper = {
    .name = "grid",
    .summary = "the task graph's Cartesian grid, laid into torus, mesh or tree",
    .source = "search over embeddings: tiles, reflected Gray codes",
    .run = run,
};
