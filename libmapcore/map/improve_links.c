/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* improve_links.c - the last part of a search for the least time of the
 * slowest link */
#include "config.h"

#include "map/improve.h"

#include "base/array.h"
#include "graph/csr.h"
#include "map/chains.h"
#include "map/purpose.h"
#include "map/relief.h"

#include <stdlib.h>
#include <string.h>

/* Rounds of a run, and turns of runs. */
#define ROUNDS     4
#define MOST_TURNS 1024
/* Turns that must bring this share together, or it is over. */
#define PATIENCE 4
static const double WORTH = 0.002;

/* Chains that go on from the best mapping so far. */
struct turn {
    const struct search *search;
    uint32_t number;
};

static int run_chain(uint32_t *host,
                     bool *done,
                     const void *arg,
                     uint32_t i,
                     struct mapcore_error *err)
{
    const struct turn *turn = arg;
    bool cut = false;
    struct rng rng;
    int code;

    rng_init(&rng, turn->search->seed, PURPOSE_RELIEF,
             (uint64_t)turn->number * CHAINS + i);
    code = relief_run(host, &cut, &turn->search->problem, ROUNDS, &rng, err);
    *done = !cut;
    return code;
}

int improve_links(struct search *search, struct mapcore_error *err)
{
    size_t size = search->problem.graph->ntasks * sizeof(uint32_t);
    uint32_t *host =
        array_alloc(search->problem.graph->ntasks, sizeof(*host), err);
    double before[PATIENCE] = {0};
    bool is_cut = false;
    int code = host ? 0 : MAPCORE_ENOMEM;

    for (uint32_t i = 0; code == 0 && i < MOST_TURNS && !is_cut; i++) {
        struct turn turn = {.search = search, .number = i};
        struct chains chains = {.search = search,
                                .from = search->best,
                                .start = host,
                                .run = run_chain,
                                .arg = &turn};
        double now = search->metrics[search->best].max_link_time;
        size_t ran;

        if (!(now > 0) ||
            (i >= PATIENCE && now > before[i % PATIENCE] * (1 - WORTH)))
            break;
        before[i % PATIENCE] = now;
        memcpy(host, search->settled[search->best].host, size);
        code = chains_run(&ran, &chains, err);
        is_cut = ran < CHAINS;
    }
    search->cut = search->cut || is_cut;
    free(host);
    return code;
}
