/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* refine_small.c - small problems: whole refinements side by side, again and
 * again */
#include "config.h"

#include "map/portfolio/refine_small.h"

#include "base/array.h"
#include "graph/csr.h"
#include "map/portfolio/chains.h"
#include "map/portfolio/refine_descent.h"

#include <stdlib.h>

/* Refinements of a small problem that run side by side. */
struct round {
    const struct search *search;
    const struct refine_base *base;
    uint32_t number;
};

static int run_epochs(bool *done,
                      const struct round *round,
                      struct refine *refine,
                      enum refine_stage stage,
                      struct refine_temperatures range,
                      struct mapcore_error *err)
{
    uint32_t most,
        n = (uint32_t)schedule_refinement.round_epochs << round->number;
    int error = refine_begin(&most, refine, stage, range, err);

    if (stage == REFINE_CLUSTERS)
        n /= 4;

    for (uint32_t i = 0; error == 0 && *done && most > 0 && i < n; i++) {
        error = refine_epoch(done, refine, i, n, 1, err);
        if (map_deadline_passed(&round->search->problem.deadline))
            *done = false;
    }
    return error;
}

/* Every second chain begins with clusters, the others are so hot that they
 * forget where they began. */
static int run_chain(uint32_t *host,
                     bool *done,
                     const void *arg,
                     uint32_t i,
                     struct mapcore_error *err)
{
    const struct round *round = arg;
    bool clusters = i % 2 == 0;
    struct refine *refine = NULL;
    int error = refine_create(&refine, round->base, host,
                              round->number * CHAINS + i, err);

    if (error == 0 && clusters)
        error = run_epochs(done, round, refine, REFINE_CLUSTERS,
                           schedule_temperatures.all, err);
    if (error == 0)
        error = run_epochs(done, round, refine, REFINE_TASKS,
                           clusters ? schedule_temperatures.tasks
                                    : schedule_temperatures.all,
                           err);
    if (error == 0 && *done && (error = refine_descend(refine, 1, err)) == 0)
        refine_get_mapping(host, refine);
    refine_destroy(refine);
    return error;
}

/* Least average of the results from the n-th last on, and whether all came to
 * it. */
static double least(bool *agree, const struct search *search, size_t n)
{
    const struct mapcore_metrics *metrics =
        search->results.metrics + (search->results.n - n);
    double best = metrics[0].avg_hop_bytes;

    *agree = true;
    for (size_t i = 1; i < n; i++) {
        *agree = *agree && metrics[i].avg_hop_bytes == best;
        if (metrics[i].avg_hop_bytes < best)
            best = metrics[i].avg_hop_bytes;
    }
    return best;
}

int refine_small(struct search *search,
                 const struct refine_base *base,
                 size_t start,
                 struct mapcore_error *err)
{
    uint32_t *host =
        array_copy(search->results.result[start].host,
                   search->problem.graph->ntasks, sizeof(*host), err);
    double best = search->results.metrics[start].avg_hop_bytes;
    unsigned agreed = 0, useless = 0;
    int error = host ? 0 : MAPCORE_ENOMEM;

    for (uint32_t r = 0; error == 0 && r < schedule_refinement.rounds &&
                         !search->interrupted && agreed < 2 && useless < 3;
         r++) {
        struct round round = {.search = search, .base = base, .number = r};
        struct chains chains = {.search = search,
                                .from = start,
                                .start = host,
                                .run = run_chain,
                                .arg = &round,
                                .keeps = search->results.rule.choice ==
                                         MAPCORE_CHOOSE_TIME};
        bool agree = false;
        size_t ran;
        double now;

        error = chains_run(&ran, &chains, err);
        search->interrupted = ran < CHAINS;
        now = ran > 0 ? least(&agree, search, ran) : best;
        agreed = !search->interrupted && agree && now <= best ? agreed + 1 : 0;
        useless = now < best ? 0 : useless + 1;
        best = now < best ? now : best;
    }
    free(host);
    return error;
}
