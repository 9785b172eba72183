/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* greedymap.c - Algorithm 1 of ICS'17: GreedyMap */
#include "config.h"

#include "map/greedy/greedymap.h"

#include "base/array.h"
#include "graph/csr.h"
#include "map/greedy/cost.h"

#include <stdlib.h>
#include <string.h>

/* Elementary steps between two looks at the deadline: well below a millisecond.
 */
#define STEPS_BETWEEN_LOOKS ((size_t)1 << 18)

/* The paper's names: n_l is the host used last, K the hosts to draw from. */
struct run {
    struct cost *cost;
    struct distances *rows; /* closeness: with or without wrapping */
    uint32_t nhosts;
    uint32_t delta;
    uint32_t last;  /* n_l */
    uint32_t *room; /* [nhosts] freeProcessors */
    uint32_t *open; /* [nopen] hosts with room, ascending */
    uint32_t nopen;
    uint32_t *near;    /* [delta] the closest of them */
    uint64_t *price;   /* [nhosts] cost of each host examined */
    uint16_t *scratch; /* [nhosts] */
    uint32_t *count;   /* [UINT16_MAX + 1] hosts at each distance, zero between
                          calls; NULL when delta takes all */
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

static int begin(struct run *run,
                 const struct map_problem *problem,
                 const struct greedymap_config *config,
                 uint32_t *host,
                 struct mapcore_error *err)
{
    const struct mapcore_alloc *alloc = problem->alloc;
    uint32_t n = mapcore_alloc_nhosts(alloc);
    int error;

    *run = (struct run){.nhosts = n};
    run->rows = config->wrap ? problem->near : problem->flat;
    run->delta = resolve_delta(config->delta, n);
    run->room = array_alloc(n, sizeof(*run->room), err);
    run->open = array_alloc(n, sizeof(*run->open), err);
    run->near = array_alloc(run->delta, sizeof(*run->near), err);
    run->price = array_alloc(n, sizeof(*run->price), err);
    run->scratch = array_alloc(n, sizeof(*run->scratch), err);
    if (!run->room || !run->open || !run->near || !run->price || !run->scratch)
        return MAPCORE_ENOMEM;
    if (run->delta < n) {
        run->count =
            array_alloc((size_t)UINT16_MAX + 1, sizeof(*run->count), err);
        if (!run->count)
            return MAPCORE_ENOMEM;
    }
    if ((error = cost_create(&run->cost, problem, config->cost, host, err)) < 0)
        return error;
    for (uint32_t i = 0; i < n; i++) {
        run->room[i] = mapcore_alloc_slots(alloc, i);
        if (run->room[i] > 0)
            run->open[run->nopen++] = i;
    }
    return 0;
}

static void end_run(struct run *run)
{
    cost_destroy(run->cost);
    free(run->room);
    free(run->open);
    free(run->near);
    free(run->price);
    free(run->scratch);
    free(run->count);
}

/* The delta open hosts closest to n_l. One pass counts hosts by distance, one
 * takes those below the distance at which delta is reached, and of those at it
 * the first ones: no sorting. */
static const uint32_t *closest(struct run *run, uint32_t *n)
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

/* Lines 8 and 10: the hosts of least cost, and one of their free processors
 * by lot. */
static uint32_t draw(struct run *run,
                     const uint32_t *candidate,
                     uint32_t n,
                     struct rng *rng,
                     bool *drew)
{
    uint64_t least = UINT64_MAX;
    uint32_t processors = 0, hosts = 0, lot, i;

    for (i = 0; i < n; i++)
        if (run->price[i] < least)
            least = run->price[i];
    for (i = 0; i < n; i++)
        if (run->price[i] == least) {
            processors += run->room[candidate[i]];
            hosts++;
        }
    lot = 0;
    if (hosts > 1) {
        lot = rng_below(rng, processors);
        *drew = true;
    }
    for (i = 0;; i++) {
        if (run->price[i] != least)
            continue;
        if (lot < run->room[candidate[i]])
            return candidate[i];
        lot -= run->room[candidate[i]];
    }
}

/* Lines 11 to 13. */
static void assign(struct run *run, uint32_t task, uint32_t host)
{
    cost_place(run->cost, task, host);
    run->last = host;
    if (--run->room[host] > 0)
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

int greedymap_run(uint32_t *host,
                  enum greedymap_end *end,
                  bool *drew,
                  const struct map_problem *problem,
                  const struct greedymap_config *config,
                  const uint32_t *list,
                  struct rng *rng,
                  struct mapcore_error *err)
{
    struct run run;
    size_t steps = 0;
    int error;

    *end = GREEDYMAP_DONE;
    *drew = false;
    if ((error = begin(&run, problem, config, host, err)) < 0)
        goto out;
    for (uint32_t k = 0; k < problem->graph->ntasks; k++) {
        uint32_t task = list[k], to = run.last;

        if (!config->pack || run.room[to] == 0) {
            uint32_t n;
            const uint32_t *candidate = closest(&run, &n);

            steps += run.delta < run.nhosts ? run.nopen : 0;
            steps += cost_evaluate(run.price, run.cost, task, candidate, n);
            to = draw(&run, candidate, n, rng, drew);
        }
        assign(&run, task, to);
        if (steps < STEPS_BETWEEN_LOOKS)
            continue;
        steps = 0;
        if (map_deadline_passed(&problem->deadline)) {
            *end = GREEDYMAP_CUT;
            break;
        }
    }
out:
    end_run(&run);
    return error;
}
