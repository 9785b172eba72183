/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* embed.c - the mapper `grid`: finds the Cartesian grid that a task graph is,
 * and the best ways to lay it into the network */
#include "config.h"

#include "base/array.h"
#include "graph/csr.h"
#include "grid/find/grid_find.h"
#include "map/embed/embed_internal.h"
#include "map/mappers.h"
#include "metric/metric.h"

#include <stdlib.h>
#include <string.h>

/* Passes behind those of the plans. */
#define HALVINGS 4

/* Plans of the same cost whose links are looked at. */
#define TIES 4

/* What the first passes are best by. */
enum { BY_HOPS, BY_LINK };
static const char *const by_words[] = {"hops", "link", NULL};
/* How the grid is looked for: in the ranks alone takes milliseconds, in the
 * structure where the ranks do not show it may take a while. */
enum { FIND_ANY, FIND_RANKS, FIND_STRUCTURE };
static const char *const find_words[] = {"any", "ranks", "structure", NULL};
static const struct mapper_parameter parameters[] = {
    {"by", by_words, MAPPER_WORD},
    {"find", find_words, MAPPER_WORD},
    {NULL, NULL, MAPPER_WORD}};

/* The grid, where it is to be laid, and the plans that are known. */
struct embedding {
    const struct map_problem *problem;
    struct mapcore_grid *grid;
    struct embed_machine machine;
    struct embed_traffics traffics;
    bool fits;
    struct embed_plans plans; /* the best */
    struct embed_plans found; /* by a search */
    uint32_t *halves;         /* the first halving, or NULL: not yet made */
    uint32_t halvings;        /* steps of it */
    const struct mapper_call *call;
    struct mapper_end *end;
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

/* Adds plans to out, the first n of them with exact numbers in the place of the
 * estimates: plans' own costs count edges that move in two dimensions as if
 * these never shared an axis. Those alone where it is cut. */
static int add_plans(struct embed_plans *out,
                     const struct embed_plans *plans,
                     size_t n,
                     const struct embedding *embedding,
                     struct mapcore_error *err)
{
    const struct map_problem *problem = embedding->problem;
    uint32_t ntasks = embedding->grid->ntasks;
    uint32_t *host = array_alloc(ntasks, sizeof(*host), err);
    int error = host ? 0 : MAPCORE_ENOMEM;

    for (size_t i = 0; i < plans->n && error == 0; i++) {
        struct embed_plan plan = plans->plan[i];
        struct mapcore_metrics metrics;

        if (i < n && out->n > 0 && is_cut(embedding, i))
            break;
        if (i < n) {
            error = embed_lay(host, &embedding->machine, embedding->grid, &plan,
                              problem->alloc, err);
            if (error == MAPCORE_ERANGE) {
                error = 0;
                continue;
            }
            if (error == 0)
                error = mapcore_metrics_compute(&metrics, problem->graph,
                                                problem->alloc, host, err);
            if (error < 0)
                break;
            plan.cost = metrics.avg_hop_bytes * ntasks / 2;
            plan.time = metrics.max_link_time;
        }
        embed_plans_add(out, &plan);
    }
    free(host);
    return error;
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

    if (!is_star(embedding->grid))
        return plans->n;
    while (n < plans->n && plans->plan[n].cost <= plans->plan[0].cost)
        n++;
    return n < 2 ? 0 : n < TIES ? n : TIES;
}

/* The plans that the search finds. For links what an axis can carry is its
 * weight. */
static int search_plans(struct embed_plans *out,
                        bool *timed_out,
                        struct embedding *embedding,
                        bool by_time,
                        struct mapcore_error *err)
{
    struct embed_machine *machine = &embedding->machine;

    *out = (struct embed_plans){.by_time = by_time};
    for (uint32_t axis = 0; axis < machine->naxes; axis++)
        machine->weight[axis] = by_time ? embed_mean_cost(machine, axis) : 1;
    return (machine->tree ? embed_search_tree : embed_search_torus)(
        out, timed_out, machine, &embedding->traffics,
        &embedding->problem->deadline, err);
}

/* Finds the best plans by hop-bytes, or of these and those whose slowest link
 * promises to be fast the best by the time of that link. */
static int find_plans(struct embedding *embedding,
                      bool *timed_out,
                      bool by_time,
                      struct mapcore_error *err)
{
    struct embed_plans *found = &embedding->found;
    int error;

    embedding->plans = (struct embed_plans){.by_time = by_time};
    if (!embedding->fits)
        return 0;
    error = search_plans(found, timed_out, embedding, false, err);
    if (error < 0 || *timed_out)
        return error;
    error = add_plans(&embedding->plans, found,
                      by_time || embedding->machine.is_prism
                          ? found->n
                          : count_open(embedding, found),
                      embedding, err);
    if (error < 0 || !by_time)
        return error;
    if (embedding->machine.is_prism) {
        /* Other plans that are cheap: some have fast links. */
        embedding->machine.by_place = true;
        error = search_plans(found, timed_out, embedding, false, err);
        embedding->machine.by_place = false;
        if (error < 0 || *timed_out ||
            (error = add_plans(&embedding->plans, found, found->n, embedding,
                               err)) < 0)
            return error;
    }
    error = search_plans(found, timed_out, embedding, true, err);
    return error < 0 || *timed_out
               ? error
               : add_plans(&embedding->plans, found, found->n, embedding, err);
}

/* Of the prisms that routers around holes make, the one with the best plan is
 * the machine. */
static int choose_prism(struct embedding *embedding,
                        bool *timed_out,
                        bool by_time,
                        struct mapcore_error *err)
{
    const struct map_problem *problem = embedding->problem;
    struct embed_machine machine[EMBED_PRISMS];
    const struct embed_machine none = {0};
    struct embed_plan plan = {0};
    size_t n, at = SIZE_MAX;
    int error = embed_prisms_open(machine, &n, timed_out, problem, err);

    for (size_t i = 0; i < n && error == 0 && !*timed_out; i++) {
        const struct embed_plan *now = embedding->plans.plan;

        embedding->machine = machine[i];
        embedding->fits = true;
        error = find_plans(embedding, timed_out, by_time, err);
        if (error < 0 || *timed_out || embedding->plans.n == 0)
            continue;
        if (at == SIZE_MAX ||
            (by_time ? now->time < plan.time : now->cost < plan.cost)) {
            at = i;
            plan = *now;
        }
    }
    embedding->fits = at != SIZE_MAX;
    embedding->machine = at != SIZE_MAX ? machine[at] : none;
    for (size_t i = 0; i < n; i++)
        if (i != at)
            embed_machine_clear(&machine[i]);
    return error;
}

/* Lays a plan into a prism, from that end of each axis where it comes out best:
 * what is dislocated lies at the far ends, and the edges of the grid, which
 * have fewest neighbours, are best there. */
static int lay_best_way(uint32_t *host,
                        struct mapper_end *end,
                        const struct embedding *embedding,
                        const struct embed_plan *plan,
                        bool by_time,
                        struct mapcore_error *err)
{
    const struct map_problem *problem = embedding->problem;
    uint32_t ntasks = embedding->grid->ntasks;
    uint32_t *now = array_alloc(ntasks, sizeof(*now), err);
    struct embed_plan way = *plan;
    double best[2] = {0};
    int error = now ? 0 : MAPCORE_ENOMEM;

    for (; error == 0 && way.mirrored < 1u << embedding->machine.naxes;
         way.mirrored++) {
        struct mapcore_metrics metrics;
        double keys[2];

        end->timed_out = map_deadline_passed(&problem->deadline);
        if (end->timed_out)
            break;
        error = embed_lay(now, &embedding->machine, embedding->grid, &way,
                          problem->alloc, err);
        if (error == MAPCORE_ERANGE && way.mirrored > 0) {
            error = 0; /* larger cells had room for more at the other end */
            continue;
        }
        if (error < 0 ||
            (error = mapcore_metrics_compute(&metrics, problem->graph,
                                             problem->alloc, now, err)) < 0)
            break;
        keys[by_time] = metrics.avg_hop_bytes;
        keys[!by_time] = metrics.max_link_time;
        if (way.mirrored > 0 &&
            (keys[0] > best[0] || (keys[0] == best[0] && keys[1] >= best[1])))
            continue;
        memcpy(best, keys, sizeof(best));
        memcpy(host, now, ntasks * sizeof(*host));
    }
    free(now);
    return error;
}

/* Grid and hosts halved together, as far as time and the call's steps go. */
static int lay_halves(uint32_t *host,
                      struct embedding *embedding,
                      uint32_t variant,
                      struct mapcore_error *err)
{
    const struct mapper_call *call = embedding->call;
    struct mapper_end *end = embedding->end;
    struct embed_halving halving = {.variant = variant, .steps = call->steps};
    int error =
        embed_halves(host, &halving, embedding->grid, embedding->problem, err);

    end->timed_out = end->timed_out || halving.timed_out;
    embedding->halvings = halving.steps;
    if (end->timed_out ? call->may_cut : embedding->halvings == call->steps)
        end->steps = embedding->halvings;
    end->timed_out = end->timed_out && end->steps == 0;
    return error;
}

/* Takes the first halving instead of host where it is better. */
static int halve_if_better(uint32_t *host,
                           const struct embedding *embedding,
                           bool by_time,
                           struct mapcore_error *err)
{
    const struct map_problem *problem = embedding->problem;
    struct mapcore_metrics have, other;
    int error;

    if ((error = mapcore_metrics_compute(&have, problem->graph, problem->alloc,
                                         host, err)) < 0 ||
        (error = mapcore_metrics_compute(&other, problem->graph, problem->alloc,
                                         embedding->halves, err)) < 0)
        return error;
    if (by_time ? other.max_link_time < have.max_link_time
                : other.avg_hop_bytes < have.avg_hop_bytes)
        memcpy(host, embedding->halves,
               embedding->grid->ntasks * sizeof(*host));
    return 0;
}

/* Lays the grid as the call's pass has it. */
static int lay_pass(uint32_t *host,
                    struct mapper_end *end,
                    struct embedding *embedding,
                    bool by_time,
                    const struct mapper_call *call,
                    struct mapcore_error *err)
{
    const struct mapcore_alloc *alloc = embedding->problem->alloc;
    bool both =
        by_time || mapcore_topo_has_capacities(mapcore_alloc_topo(alloc));
    size_t left = call->pass;

    for (int list = 0; list < 1 + both; list++) {
        int error =
            find_plans(embedding, &end->timed_out, by_time != (list > 0), err);

        if (error < 0 || end->timed_out)
            return error;
        end->is_random = true;
        if (left < embedding->plans.n) {
            const struct embed_plan *plan = &embedding->plans.plan[left];

            if (!embedding->machine.is_prism)
                return embed_lay(host, &embedding->machine, embedding->grid,
                                 plan, alloc, err);
            error = lay_best_way(host, end, embedding, plan,
                                 by_time != (list > 0), err);
            return error < 0 || end->timed_out || !embedding->halves
                       ? error
                       : halve_if_better(host, embedding, by_time, err);
        }
        left -= embedding->plans.n;
    }
    end->is_random = left + 1 < HALVINGS;
    if (!embedding->halves)
        return lay_halves(host, embedding, (uint32_t)left, err);
    memcpy(host, embedding->halves, embedding->grid->ntasks * sizeof(*host));
    return 0;
}

/* Where the hosts are no box the first halving comes before the plans: it takes
 * a third of their time, and is what there is where time ends in them. */
static int lay_without_box(uint32_t *host,
                           struct mapper_end *end,
                           struct embedding *embedding,
                           bool by_time,
                           const struct mapper_call *call,
                           struct mapcore_error *err)
{
    uint32_t ntasks = embedding->grid->ntasks;
    int error;

    if (call->pass == 0) {
        end->is_random = true;
        error = lay_halves(host, embedding, 0, err);
        if (error < 0 || end->timed_out || end->steps > 0)
            return error;
        embedding->halves = array_copy(host, ntasks, sizeof(*host), err);
        if (!embedding->halves)
            return MAPCORE_ENOMEM;
    }
    error = choose_prism(embedding, &end->timed_out, by_time, err);
    if (error == 0 && !end->timed_out)
        error = lay_pass(host, end, embedding, by_time, call, err);
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
                     int way,
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

static int lay_grid(uint32_t *host,
                    struct mapper_end *end,
                    struct embedding *embedding,
                    const struct mapper_call *call,
                    struct mapcore_error *err)
{
    const struct map_problem *problem = embedding->problem;
    bool by_time = call->value[0] == BY_LINK;
    int error;

    if ((error = embed_machine_open(&embedding->machine, &embedding->fits,
                                    problem->alloc, err)) < 0 ||
        (error = embed_traffics_open(&embedding->traffics, embedding->grid,
                                     problem->graph, err)) < 0)
        return error;
    if (!embedding->fits) {
        embed_machine_clear(&embedding->machine);
        return lay_without_box(host, end, embedding, by_time, call, err);
    }
    return lay_pass(host, end, embedding, by_time, call, err);
}

static int run(uint32_t *host,
               struct mapper_end *end,
               const struct map_problem *problem,
               const struct mapper_call *call)
{
    struct mapcore_error *err = call->arena->err;
    struct embedding *embedding = NULL;
    struct mapcore_grid *grid = NULL;
    int error = find_grid(&grid, problem->graph, (int)call->value[1], err);

    if (error == MAPCORE_ENOENT)
        return mapper_block.run(host, end, problem, call);
    if (error < 0)
        return error;
    embedding = array_alloc(1, sizeof(*embedding), err);
    if (!embedding) {
        mapcore_grid_destroy(grid);
        return MAPCORE_ENOMEM;
    }
    *embedding = (struct embedding){
        .problem = problem, .grid = grid, .call = call, .end = end};
    error = lay_grid(host, end, embedding, call, err);
    embed_traffics_clear(&embedding->traffics);
    embed_machine_clear(&embedding->machine);
    mapcore_grid_destroy(grid);
    free(embedding->halves);
    free(embedding);
    return error;
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
    .parameters = parameters,
    .run = run,
};
