/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* embed.c - the mapper `grid`: finds the Cartesian grid that a task graph is,
 * and the best ways to lay it into the network */
#include "config.h"

#include "base/array.h"
#include "graph/csr.h"
#include "grid/find/grid_find.h"
#include "map/embed/embed_internal.h"
#include "map/mapper.h"
#include "metric/metric.h"

#include <string.h>

/* Passes behind those of the plans. */
#define HALVINGS 4

/* Plans of the same cost whose links are looked at. */
#define TIES 4

/* What the first passes are best by. */
enum { BY_HOPS, BY_LINK };
/* How the grid is looked for: in the ranks alone takes milliseconds, in the
 * structure where the ranks do not show it may take a while. */
enum { FIND_ANY, FIND_RANKS, FIND_STRUCTURE };

/* The grid, where it is to be laid, and the plans that are known. */
struct embedding {
    const struct map_problem *problem;
    const struct mapper_call *call;
    struct mapper_end *end;
    struct mapcore_grid *grid;
    struct embed_machine machine;
    struct embed_traffics traffics;
    bool by_time; /* what is best */
    bool fits;
    struct embed_plans plans; /* the best */
    uint32_t *halves;         /* the first halving, or NULL: not yet made */
    uint32_t halvings;        /* steps of it */
};

/* Whether a box does with the n plans laid so far: time or steps are up. */
static bool is_cut(const struct embedding *embedding, size_t n)
{
    const struct mapper_call *call = embedding->call;

    if (embedding->machine.is_prism ||
        (call->steps > 0
             ? n < call->steps
             : !call->may_cut ||
                   !map_deadline_passed(&embedding->problem->deadline)))
        return false;
    embedding->end->steps = (uint32_t)n;
    return true;
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

/* How many of the plans by hop-bytes an exact number may put into another
 * order. */
static size_t count_open(const struct embedding *embedding,
                         const struct embed_plans *plans)
{
    size_t n = 0;

    if (embedding->plans.by_time || embedding->machine.is_prism ||
        !is_star(embedding->grid))
        return plans->n;
    while (n < plans->n && plans->plan[n].cost <= plans->plan[0].cost)
        n++;
    return n < 2 ? 0 : n < TIES ? n : TIES;
}

/* Adds the plans that a search by hop-bytes or by the slowest link's time
 * finds, those that are open with exact numbers in the place of the estimates:
 * plans' own costs count edges that move in two dimensions as if these never
 * shared an axis. Those alone where it is cut. For links what an axis can carry
 * is its weight. */
static int search_plans(struct embedding *embedding, bool by_time)
{
    const struct map_problem *problem = embedding->problem;
    struct embed_machine *machine = &embedding->machine;
    struct arena *arena = embedding->call->arena;
    struct embed_plans plans = {.by_time = by_time}, *out = &embedding->plans;
    uint32_t ntasks = embedding->grid->ntasks;
    uint32_t *host = arena_alloc(arena, ntasks, sizeof(*host));
    size_t nopen;
    int error;

    if (!host)
        return MAPCORE_ENOMEM;
    for (uint32_t axis = 0; axis < machine->naxes; axis++)
        machine->weight[axis] = by_time ? embed_mean_cost(machine, axis) : 1;
    error = embed_search(&plans, &embedding->end->timed_out, machine,
                         &embedding->traffics, &problem->deadline, arena->err);
    if (error < 0 || embedding->end->timed_out)
        return error;
    nopen = count_open(embedding, &plans);
    for (size_t i = 0; i < plans.n; i++) {
        struct embed_plan plan = plans.plan[i];
        struct mapcore_metrics metrics;

        if (i < nopen && out->n > 0 && is_cut(embedding, i))
            break;
        if (i < nopen) {
            error = embed_lay(host, machine, embedding->grid, &plan,
                              problem->alloc, arena->err);
            if (error == MAPCORE_ERANGE)
                continue;
            if (error < 0 || (error = mapcore_metrics_compute(
                                  &metrics, problem->graph, problem->alloc,
                                  host, arena->err)) < 0)
                return error;
            plan.cost = metrics.avg_hop_bytes * ntasks / 2;
            plan.time = metrics.max_link_time;
        }
        embed_plans_add(out, &plan);
    }
    return 0;
}

/* Finds the best plans by hop-bytes, or of these and, on a torus, those whose
 * slowest link promises to be fast the best by the time of that link. */
static int find_plans(struct embedding *embedding, bool by_time)
{
    int error;

    embedding->plans = (struct embed_plans){.by_time = by_time};
    if (!embedding->fits)
        return 0;
    error = search_plans(embedding, false);
    if (error == 0 && !embedding->end->timed_out && by_time)
        error = search_plans(embedding, true);
    return error;
}

/* Of the prisms that routers around holes make, the one with the best plan is
 * the machine. */
static int choose_prism(struct embedding *embedding)
{
    struct embed_machine machine[EMBED_PRISMS];
    struct mapper_end *end = embedding->end;
    struct embed_plan plan = {0};
    size_t n, at = SIZE_MAX;
    int error = embed_prisms_open(machine, &n, &end->timed_out,
                                  embedding->problem, embedding->call->arena);

    for (size_t i = 0; i < n && error == 0 && !end->timed_out; i++) {
        const struct embed_plan *now = embedding->plans.plan;

        embedding->machine = machine[i];
        embedding->fits = true;
        error = find_plans(embedding, embedding->by_time);
        if (error < 0 || end->timed_out || embedding->plans.n == 0)
            continue;
        if (at == SIZE_MAX || (embedding->by_time ? now->time < plan.time
                                                  : now->cost < plan.cost)) {
            at = i;
            plan = *now;
        }
    }
    embedding->fits = at != SIZE_MAX;
    if (embedding->fits)
        embedding->machine = machine[at];
    return error;
}

/* Takes the first halving instead of host where it is better. */
static int halve_if_better(uint32_t *host, const struct embedding *embedding)
{
    const struct map_problem *problem = embedding->problem;
    struct mapcore_error *err = embedding->call->arena->err;
    struct mapcore_metrics have, other;
    int error;

    if ((error = mapcore_metrics_compute(&have, problem->graph, problem->alloc,
                                         host, err)) < 0 ||
        (error = mapcore_metrics_compute(&other, problem->graph, problem->alloc,
                                         embedding->halves, err)) < 0)
        return error;
    if (embedding->by_time ? other.max_link_time < have.max_link_time
                           : other.avg_hop_bytes < have.avg_hop_bytes)
        memcpy(host, embedding->halves,
               embedding->grid->ntasks * sizeof(*host));
    return 0;
}

/* Lays the grid as the call's pass has it. */
static int lay_pass(uint32_t *host, struct embedding *embedding)
{
    const struct mapcore_alloc *alloc = embedding->problem->alloc;
    const struct mapper_call *call = embedding->call;
    struct mapper_end *end = embedding->end;
    bool both = embedding->by_time ||
                mapcore_topo_has_capacities(mapcore_alloc_topo(alloc));
    size_t left = call->pass;
    int error;

    for (int list = 0; list < 1 + both; list++) {
        const struct embed_plans *plans = &embedding->plans;

        error = find_plans(embedding, embedding->by_time != (list > 0));
        if (error < 0 || end->timed_out)
            return error;
        end->is_random = true;
        if (left < plans->n) {
            error = embed_lay(host, &embedding->machine, embedding->grid,
                              &plans->plan[left], alloc, call->arena->err);
            return error < 0 || !embedding->halves
                       ? error
                       : halve_if_better(host, embedding);
        }
        left -= plans->n;
    }
    if (embedding->halves)
        memcpy(host, embedding->halves,
               embedding->grid->ntasks * sizeof(*host));
    error = embedding->halves
                ? 0
                : embed_halves(&embedding->halvings, embedding->grid, call,
                               (uint32_t)left);
    end->is_random = left + 1 < HALVINGS;
    return error;
}

/* Where the hosts are no box the first halving comes before the plans: it takes
 * a third of their time, and is what there is where time ends in them. */
static int lay_without_box(uint32_t *host, struct embedding *embedding)
{
    const struct mapper_call *call = embedding->call;
    struct mapper_end *end = embedding->end;
    uint32_t ntasks = embedding->grid->ntasks;
    int error;

    if (call->pass == 0) {
        error = embed_halves(&embedding->halvings, embedding->grid, call, 0);
        if (error < 0 || end->timed_out || end->steps > 0)
            return error;
        embedding->halves =
            arena_copy(call->arena, host, ntasks, sizeof(*host));
        if (!embedding->halves)
            return MAPCORE_ENOMEM;
    }
    error = choose_prism(embedding);
    if (error == 0 && !end->timed_out)
        error = lay_pass(host, embedding);
    if (error == 0 && end->timed_out && call->may_cut && embedding->halves) {
        memcpy(host, embedding->halves, ntasks * sizeof(*host));
        end->steps = embedding->halvings;
        end->timed_out = end->steps == 0;
    }
    return error;
}

/* ENOENT: there is none, or it is not for this way to find it. */
static int find_grid(struct mapcore_grid **out,
                     const struct mapcore_graph *graph,
                     uint32_t way,
                     struct mapcore_error *err)
{
    int error;

    if (way == FIND_ANY)
        return mapcore_grid_find(out, graph, err);
    error = mapcore_grid_find_by_rank(out, graph, err);
    if (way == FIND_RANKS || (error < 0 && error != MAPCORE_ENOENT))
        return error;
    if (error == 0) {
        bool whole = mapcore_grid_is_whole(*out);

        mapcore_grid_destroy(*out);
        *out = NULL;
        if (whole)
            return MAPCORE_ENOENT;
    }
    return mapcore_grid_find(out, graph, err);
}

static int run(const struct mapper_call *call)
{
    const struct map_problem *problem = call->problem;
    struct embedding *embedding =
        arena_alloc(call->arena, 1, sizeof(*embedding));
    struct mapcore_grid *grid = NULL;
    int error =
        find_grid(&grid, problem->graph, call->value[1], call->arena->err);

    if (error == MAPCORE_ENOENT)
        return mapper_block.run(call);
    if (error < 0 || !embedding)
        goto out;
    *embedding = (struct embedding){.problem = problem,
                                    .call = call,
                                    .end = call->end,
                                    .grid = grid,
                                    .by_time = call->value[0] == BY_LINK};
    if ((error = embed_machine_open(&embedding->machine, &embedding->fits,
                                    problem->alloc, call->arena)) < 0 ||
        (error = embed_traffics_open(&embedding->traffics, grid, problem->graph,
                                     call->arena)) < 0)
        goto out;
    error =
        (embedding->fits ? lay_pass : lay_without_box)(call->host, embedding);
out:
    mapcore_grid_destroy(grid);
    return error < 0 ? error : call->arena->error;
}

/* Pass k is the k-th best of the plans for the box that the
 * allocation is: by hop-bytes, then, where capacities are known, by the time of
 * the slowest link (Fiedler and Whalen, 2013, section II.A); with by=link first
 * by that, then by hop-bytes. Behind them come, and alone where it is no box or
 * nothing fits into it, halvings of grid and hosts together. Where the graph
 * is no grid, hosts are filled in the order of the ranks. */
const struct mapper mapper_grid = {
    .name = "grid",
    .summary =
        "the task graph's Cartesian grid, laid into torus, mesh or tree; "
        "by=hops|link, find=any|ranks|structure",
    .source = "search over embeddings: tiles, reflected Gray codes",
    .parameters = "by=hops|link,find=any|ranks|structure",
    .run = run,
};
