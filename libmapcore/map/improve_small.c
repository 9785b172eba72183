/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* improve_small.c - small problems: whole refinements side by side, again and
 * again */
#include "config.h"

#include "map/improve.h"

#include "base/array.h"
#include "graph/csr.h"
#include "pool/pool.h"

#include <stdlib.h>
#include <string.h>

/* Epochs of the first round and rounds at most. */
#define FIRST_EPOCHS 4
#define MOST_ROUNDS  9

static const struct refine_heat heat_tasks = {0.1, 0.015},
                                heat_all = {1, 0.015};

/* Refinements of a small problem that run side by side. */
struct round {
    struct search *search;
    const struct refine_base *base;
    const uint32_t *start; /* [ntasks] */
    size_t from;           /* index of start */
    uint32_t number;
    struct {
        uint32_t *host; /* owned */
        struct mapcore_metrics metrics;
        int code;
        struct mapcore_error error;
    } chain[IMPROVE_CHAINS];
};

static int run_epochs(bool *done,
                      const struct round *round,
                      struct refine *refine,
                      enum refine_stage stage,
                      struct refine_heat heat,
                      struct mapcore_error *err)
{
    uint32_t most, n = FIRST_EPOCHS << round->number;
    int code = refine_begin(&most, refine, stage, heat, err);

    if (stage == REFINE_LUMPS)
        n /= 4;

    for (uint32_t i = 0; code == 0 && *done && most > 0 && i < n; i++) {
        code = refine_epoch(done, refine, i, n, 1, err);
        if (map_clock_expired(&round->search->problem.clock))
            *done = false;
    }
    return code;
}

/* Every second chain begins with lumps, the others are so hot that they forget
 * where they began. */
static bool work(void *arg, size_t i)
{
    struct round *round = arg;
    struct mapcore_error *err = &round->chain[i].error;
    uint32_t ntasks = round->search->problem.graph->ntasks;
    struct refine *refine = NULL;
    bool done = true;
    int code;

    round->chain[i].host = array_alloc(ntasks, sizeof(uint32_t), err);
    code = round->chain[i].host ? 0 : MAPCORE_ENOMEM;
    if (code < 0 ||
        (code = refine_create(&refine, round->base, round->start,
                              round->number * IMPROVE_CHAINS + (uint32_t)i,
                              err)) < 0)
        goto out;
    if (i % 2 == 0)
        code = run_epochs(&done, round, refine, REFINE_LUMPS, heat_all, err);
    if (code < 0 ||
        (code = run_epochs(&done, round, refine, REFINE_TASKS,
                           i % 2 == 0 ? heat_tasks : heat_all, err)) < 0 ||
        !done || (code = improve_quench(refine, 1, err)) < 0)
        goto out;
    refine_read(round->chain[i].host, refine);
    code = mapcore_metrics_compute(
        &round->chain[i].metrics, round->search->problem.graph,
        round->search->problem.alloc, round->chain[i].host, err);
out:
    refine_destroy(refine);
    round->chain[i].code = code;
    return code == 0 && done;
}

static void settle(void *arg, size_t i)
{
    struct round *round = arg;
    struct settled result = {.candidate =
                                 round->search->settled[round->from].candidate,
                             .refined = true,
                             .host = round->chain[i].host};

    round->chain[i].host = NULL;
    portfolio_settle(round->search, &result, &round->chain[i].metrics);
    portfolio_count(round->search, 1);
}

static bool stop(void *arg)
{
    const struct round *round = arg;

    return map_clock_expired(&round->search->problem.clock);
}

/* Runs a round of at most n chains; *ran of them counted. */
static int run_round(size_t *ran,
                     struct round *round,
                     size_t n,
                     struct mapcore_error *err)
{
    struct pool_job job = {.n = n,
                           .threads = round->search->options->threads,
                           .work = work,
                           .settle = settle,
                           .stop = stop,
                           .arg = round};
    int code = portfolio_reserve(round->search, n, err);

    if (code < 0)
        return code;
    *ran = pool_run(&job);
    for (size_t i = 0; i < IMPROVE_CHAINS; i++)
        free(round->chain[i].host);
    if (*ran < n && round->chain[*ran].code < 0) {
        code = round->chain[*ran].code;
        if (err)
            *err = round->chain[*ran].error;
    }
    return code;
}

/* Whether all of a round's chains came to this average. */
static bool agrees(const struct round *round, double average)
{
    for (size_t i = 0; i < IMPROVE_CHAINS; i++)
        if (round->chain[i].metrics.avg_hop_bytes > average)
            return false;
    return true;
}

int improve_small(struct search *search,
                  const struct refine_base *base,
                  size_t start,
                  struct mapcore_error *err)
{
    uint32_t ntasks = search->problem.graph->ntasks;
    struct round *round = array_alloc(1, sizeof(*round), err);
    uint32_t *host =
        array_copy(search->settled[start].host, ntasks, sizeof(*host), err);
    double best = search->metrics[start].avg_hop_bytes;
    unsigned agreed = 0, useless = 0;
    int code = round && host ? 0 : MAPCORE_ENOMEM;

    for (uint32_t r = 0; code == 0 && r < MOST_ROUNDS && !search->cut &&
                         agreed < 2 && useless < 3;
         r++) {
        size_t left = search->limit - search->work, ran = 0;
        double before = best;

        memset(round, 0, sizeof(*round));
        *round = (struct round){.search = search,
                                .base = base,
                                .start = host,
                                .from = start,
                                .number = r};
        code = run_round(&ran, round,
                         left < IMPROVE_CHAINS ? left : IMPROVE_CHAINS, err);
        search->cut = ran < IMPROVE_CHAINS;
        for (size_t i = search->n - ran; i < search->n; i++)
            if (search->metrics[i].avg_hop_bytes < best)
                best = search->metrics[i].avg_hop_bytes;
        agreed = !search->cut && agrees(round, best) ? agreed + 1 : 0;
        useless = best < before ? 0 : useless + 1;
    }
    free(round);
    free(host);
    return code;
}
