/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* greedymap.c - Algorithm 1 of ICS'17, GreedyMap, and the mapper made of it */
#include "config.h"

#include "map/greedy/greedymap.h"

#include "alloc/distances.h"
#include "base/array.h"
#include "graph/csr.h"
#include "map/rng_streams.h"
#include "topo/shape.h"

#include <stdlib.h>
#include <string.h>

/* Elementary steps between two looks at the deadline: well below a millisecond.
 */
#define STEPS_BETWEEN_LOOKS ((size_t)1 << 18)

/* Of METIS, for each end of an edge: measured. */
#define METIS_STEPS 40

/* The paper's names: n_l is the host used last, K the hosts to draw from. */
struct greedymap_run {
    struct cost *cost;
    struct distances *rows; /* closeness: with or without wrapping */
    uint32_t nhosts;
    uint32_t delta;
    uint32_t last;    /* n_l */
    uint32_t *vacant; /* [nhosts] freeProcessors, slots */
    uint32_t *open;   /* [nopen] hosts that are not full, ascending */
    uint32_t nopen;
    uint32_t *near;    /* [delta] the closest of them */
    uint64_t *price;   /* [nhosts] cost of each host examined */
    uint16_t *scratch; /* [nhosts] */
    uint32_t *count;   /* [ncounts()] hosts at each distance, zero between
                          calls; NULL when delta takes all */
    uint64_t *rank;    /* [nhosts] the least of equals is taken; NULL: by lot */
};

static uint32_t resolve_delta(uint32_t delta, uint32_t nhosts)
{
    uint32_t root = 0;

    if (delta == GREEDYMAP_ALL)
        return nhosts;
    if (delta != GREEDYMAP_SQRT)
        return delta < nhosts ? delta : nhosts;
    while ((uint64_t)root * root < nhosts)
        root++;
    return root;
}

/* No way is more than twice as long where torus links do not wrap. */
static size_t ncounts(const struct map_problem *problem)
{
    size_t most =
        (size_t)mapcore_topo_diameter(mapcore_alloc_topo(problem->alloc)) * 2;

    return (most < UINT16_MAX ? most : UINT16_MAX) + 1;
}

static int begin(struct greedymap_run *run,
                 const struct map_problem *problem,
                 const struct greedymap_config *config,
                 uint32_t *host,
                 struct arena *arena)
{
    const struct mapcore_alloc *alloc = problem->alloc;
    uint32_t n = mapcore_alloc_nhosts(alloc);
    uint32_t delta = resolve_delta(config->delta, n);

    *run = (struct greedymap_run){
        .rows = config->wrap ? alloc_distances(alloc)
                             : alloc_distances_no_wrap(alloc),
        .nhosts = n,
        .delta = delta,
        .vacant = arena_alloc(arena, n, sizeof(*run->vacant)),
        .open = arena_alloc(arena, n, sizeof(*run->open)),
        .near = arena_alloc(arena, delta, sizeof(*run->near)),
        .price = arena_alloc(arena, n, sizeof(*run->price)),
        .scratch = arena_alloc(arena, n, sizeof(*run->scratch)),
    };
    if (delta < n)
        run->count = arena_alloc(arena, ncounts(problem), sizeof(*run->count));
    run->cost = cost_create(problem, config->cost, host, arena);
    if (arena->error)
        return MAPCORE_ENOMEM;
    for (uint32_t i = 0; i < n; i++) {
        run->vacant[i] = mapcore_alloc_slots(alloc, i);
        if (run->vacant[i] > 0)
            run->open[run->nopen++] = i;
    }
    return 0;
}

/* The delta open hosts closest to n_l. One pass counts hosts by distance, one
 * takes those below the distance at which delta is reached, and of those at it
 * the first ones: no sorting. */
static const uint32_t *closest(struct greedymap_run *run, uint32_t *n)
{
    const uint16_t *row;
    uint32_t taken = 0, within = 0, limit = 0, furthest = 0, at_limit;

    if (run->delta >= run->nopen) {
        *n = run->nopen;
        return run->open;
    }
    row = distances_row(run->rows, run->last, run->scratch);
    for (uint32_t i = 0; i < run->nopen; i++) {
        uint32_t d = row[run->open[i]];

        run->count[d]++;
        if (d > furthest)
            furthest = d;
    }
    while (within + run->count[limit] < run->delta)
        within += run->count[limit++];
    at_limit = run->delta - within;
    memset(run->count, 0, (furthest + 1) * sizeof(*run->count));
    for (uint32_t i = 0; taken < run->delta; i++) {
        uint32_t d = row[run->open[i]];

        if (d < limit || (d == limit && at_limit > 0)) {
            run->near[taken++] = run->open[i];
            at_limit -= d == limit;
        }
    }
    *n = run->delta;
    return run->near;
}

/* What line 10 draws once for the whole run: see the header. */
static int rank_hosts(struct greedymap_run *run,
                      const struct mapcore_alloc *alloc,
                      struct rng *rng,
                      struct arena *arena)
{
    struct topo_shape shape;
    uint32_t n = run->nhosts;

    topo_shape(&shape, mapcore_alloc_topo(alloc));
    if (rng && (shape.kind != TOPO_TORUS || rng_below(rng, 2) == 0))
        return 0;
    run->rank = arena_alloc(arena, n, sizeof(*run->rank));
    if (!run->rank)
        return MAPCORE_ENOMEM;
    for (uint32_t h = 0; !rng && h < n; h++)
        run->rank[h] = h;
    for (uint32_t left = rng ? shape.ndims : 0, taken = 0; left > 0; left--) {
        uint32_t axis = rng_below(rng, left), mirror = rng_below(rng, 2), d = 0;

        for (; taken >> d & 1 || axis > 0; d++)
            axis -= !(taken >> d & 1);
        taken |= 1u << d;
        for (uint32_t h = 0; h < n; h++) {
            uint32_t x = map_coordinate(alloc, &shape, h, d);

            run->rank[h] = run->rank[h] * shape.dims[d] +
                           (mirror ? shape.dims[d] - 1 - x : x);
        }
    }
    return 0;
}

/* Lines 8 and 10: the hosts of least cost, and one of their free processors.
 */
static uint32_t draw(struct greedymap_run *run,
                     const uint32_t *candidate,
                     uint32_t n,
                     struct rng *rng,
                     bool *is_random)
{
    uint64_t least = UINT64_MAX;
    uint32_t processors = 0, hosts = 0, lot, i;

    for (i = 0; i < n; i++)
        if (run->price[i] < least)
            least = run->price[i];
    for (i = 0; i < n; i++)
        if (run->price[i] == least) {
            processors += run->vacant[candidate[i]];
            hosts++;
        }
    lot = 0;
    *is_random = *is_random || hosts > 1;
    if (run->rank) {
        uint32_t first = MAPCORE_NONE;

        for (i = 0; i < n; i++)
            if (run->price[i] == least &&
                (first == MAPCORE_NONE ||
                 run->rank[candidate[i]] < run->rank[first]))
                first = candidate[i];
        return first;
    }
    if (hosts > 1)
        lot = rng_below(rng, processors);
    for (i = 0;; i++) {
        if (run->price[i] != least)
            continue;
        if (lot < run->vacant[candidate[i]])
            return candidate[i];
        lot -= run->vacant[candidate[i]];
    }
}

/* Lines 11 to 13. */
static void assign(struct greedymap_run *run, uint32_t task, uint32_t host)
{
    cost_place(run->cost, task, host);
    run->last = host;
    if (--run->vacant[host] > 0)
        return;
    for (uint32_t low = 0, high = run->nopen;;) {
        uint32_t middle = low + (high - low) / 2;

        if (run->open[middle] < host) {
            low = middle + 1;
        } else if (run->open[middle] > host) {
            high = middle;
        } else {
            run->nopen--;
            memmove(&run->open[middle], &run->open[middle + 1],
                    (run->nopen - middle) * sizeof(*run->open));
            return;
        }
    }
}

int greedymap_place(uint32_t *host,
                    struct mapper_end *end,
                    const struct map_problem *problem,
                    const struct greedymap_config *config,
                    struct rng *rng,
                    struct arena *arena)
{
    struct greedymap_run run;
    size_t steps = 0;

    *end = (struct mapper_end){0};
    if (begin(&run, problem, config, host, arena) < 0 ||
        rank_hosts(&run, problem->alloc, rng, arena) < 0)
        return MAPCORE_ENOMEM;
    for (uint32_t k = 0; k < problem->graph->ntasks; k++) {
        uint32_t task = config->list[k], to = run.last;

        if (!config->pack || run.vacant[to] == 0) {
            uint32_t n;
            const uint32_t *candidate = closest(&run, &n);

            steps += run.delta < run.nhosts ? run.nopen : 0;
            steps += cost_evaluate(run.price, run.cost, task, candidate, n);
            to = draw(&run, candidate, n, rng, &end->is_random);
        }
        assign(&run, task, to);
        end->timed_out =
            map_deadline_look(&problem->deadline, &steps, STEPS_BETWEEN_LOOKS);
        if (end->timed_out)
            break;
    }
    return 0;
}

void greedymap_take(struct greedymap_config *out, const uint32_t *value)
{
    uint32_t delta = value[GREEDYMAP_DELTA];

    *out = (struct greedymap_config){
        .order = (enum order_kind)value[GREEDYMAP_ORDER],
        .delta = delta == GREEDYMAP_DELTA_ALL    ? GREEDYMAP_ALL
                 : delta == GREEDYMAP_DELTA_SQRT ? GREEDYMAP_SQRT
                                                 : delta - 1,
        .pack = value[GREEDYMAP_PACK] == GREEDYMAP_YES,
        .cost = (enum cost_kind)value[GREEDYMAP_COST],
        .wrap = value[GREEDYMAP_WRAP] == GREEDYMAP_YES,
    };
}

double greedymap_cost(const struct greedymap_config *config,
                      const struct mapcore_graph *graph,
                      const struct mapcore_alloc *alloc)
{
    uint32_t nhosts = mapcore_alloc_nhosts(alloc);
    double ntasks = graph->ntasks, ends = (double)graph->row[graph->ntasks];
    double searches = config->pack ? nhosts : ntasks;
    double ends_each = ntasks > 0 ? ends / ntasks : 0;
    double order = config->order == ORDER_GPART ? METIS_STEPS * ends : ntasks;
    /* There and back on routes of half the diameter. */
    double links = config->cost == COST_LINK
                       ? mapcore_topo_diameter(mapcore_alloc_topo(alloc))
                       : 1;

    return order + ends + searches * nhosts +
           searches * ends_each * links * resolve_delta(config->delta, nhosts);
}

/* A number that no other configuration has (files all count as one), below
 * 2^40: part of what a seed means. */
static uint64_t number(const struct greedymap_config *config)
{
    uint64_t number = config->delta;

    number = number << 3 | (uint64_t)config->order;
    number = number << 2 | (uint64_t)config->cost;
    return number << 2 | (uint64_t)config->pack << 1 | (uint64_t)config->wrap;
}

/* A word that is none was taken for a file. */
static int explain(int error, struct mapcore_error *err)
{
    struct mapcore_error why;

    if (error != MAPCORE_EIO || !err)
        return error;
    why = *err;
    return error_set(err, error,
                     "%s (order is OO, BFS, BFS-DFS, GPART, GRID or a file of "
                     "task numbers)",
                     why.text);
}

static int run_mapper(const struct mapper_call *call)
{
    const struct map_problem *problem = call->problem;
    uint32_t ntasks = problem->graph->ntasks;
    uint32_t *list = arena_alloc(call->arena, ntasks, sizeof(*list));
    struct mapper_end *end = call->end;
    struct greedymap_config config;
    struct order_key key;
    struct rng rng;
    int error;

    greedymap_take(&config, call->value);
    config.list = list;
    key = (struct order_key){config.order, call->path, call->seed, call->pass};
    error = list ? order_make(list, &end->timed_out, problem, &key,
                              call->arena->err)
                 : MAPCORE_ENOMEM;
    if (error < 0 || end->timed_out)
        return explain(error, call->arena->err);
    rng_init(&rng, call->seed, RNG_STREAM_GREEDYMAP,
             number(&config) << 16 | call->pass);
    error = greedymap_place(call->host, end, problem, &config,
                            call->pass > 0 ? &rng : NULL, call->arena);
    end->is_random = end->is_random || order_depends_on_pass(config.order);
    return error;
}

const struct mapper mapper_greedymap = {
    .name = "greedymap",
    .summary = "greedy placement; "
               ":order=OO|BFS|BFS-DFS|GPART|GRID|FILE,delta=all|sqrt|N,"
               "pack=0|1,cost=hop|max|link,wrap=0|1",
    .source = "Galvez, Jain, Kale, ICS 2017, Algorithm 1",
    .parameters = "order=OO|BFS|BFS-DFS|GPART|GRID|FILE,delta=all|sqrt|N,"
                  "pack=1|0,cost=hop|max|link,wrap=1|0",
    .run = run_mapper,
};
