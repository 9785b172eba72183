/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* improve.c - which results are refined, and for how long */
#include "config.h"

#include "map/improve.h"

#include "base/array.h"
#include "graph/csr.h"
#include "map/refine.h"
#include "pool/pool.h"

#include <stdlib.h>
#include <string.h>

/* Problems of fewer tasks are small: one region, refined in a moment. */
#define SMALL 1024

/* Epochs of the first round and rounds at most for small problems. */
#define FIRST_EPOCHS 4
#define MOST_ROUNDS  9

/* Of the time or work left, what lumps get; where time that is planned for
 * ends; epochs that time must be left for at the end. */
static const double LUMPS_SHARE = 0.25, END_SHARE = 0.96;
#define SPARE_EPOCHS 2

/* The start: the least average of the results that are still there. */
static size_t pick_start(const struct search *search)
{
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < search->n; i++)
        if (search->settled[i].host &&
            (best == SIZE_MAX || search->metrics[i].avg_hop_bytes <
                                     search->metrics[best].avg_hop_bytes))
            best = i;
    return best;
}

/* Settles the mapping that a refinement of start has come to. */
static int settle_refined(struct search *search,
                          size_t start,
                          uint32_t *host,
                          struct mapcore_error *err)
{
    struct settled result = {.candidate = search->settled[start].candidate,
                             .refined = true,
                             .host = host};
    struct mapcore_metrics metrics;
    int code = mapcore_metrics_compute(&metrics, search->problem.graph,
                                       search->problem.alloc, host, err);

    if (code == 0)
        code = portfolio_reserve(search, 1, err);
    if (code < 0) {
        free(host);
        return code;
    }
    portfolio_settle(search, &result, &metrics);
    return 0;
}

static int quench(struct refine *refine,
                  unsigned threads,
                  struct mapcore_error *err)
{
    bool done = true;
    uint32_t n;
    int code = refine_begin(&n, refine, REFINE_QUENCH, err);

    for (uint32_t i = 0; code == 0 && done && i < n; i++)
        code = refine_epoch(&done, refine, i, n, threads, err);
    return code;
}

/* A stage of a large problem under way. */
struct stage {
    struct search *search;
    enum refine_stage which;
    uint32_t most;  /* epochs that make sense */
    uint32_t n;     /* epochs planned */
    double began;   /* share of the time spent when it began */
    double epoch_s; /* share of the time that an epoch takes */
    bool timed;     /* n comes from the clock, once an epoch was measured */
};

/* Epochs as far as they are known before the first one. */
static void plan_stage(struct stage *stage)
{
    const struct search *search = stage->search;
    const struct mapcore_search *options = search->options;
    size_t left = search->limit - search->work;
    bool lumps = stage->which == REFINE_LUMPS;
    uint32_t planned =
        lumps ? options->schedule.lumps : options->schedule.tasks;

    stage->n = stage->most;
    if (options->schedule.starts > 0)
        stage->n = planned;
    else if (options->work > 0)
        left = lumps ? (size_t)((double)left * LUMPS_SHARE) : left;
    else
        stage->timed = options->spent != NULL;
    if (stage->n > stage->most)
        stage->n = stage->most;
    if (stage->n > left)
        stage->n = (uint32_t)left;
    stage->began = search_spent(search);
}

/* The same after the first one, when it is known how long an epoch takes. */
static void plan_rest(struct stage *stage)
{
    double left = END_SHARE - stage->began;

    stage->epoch_s = search_spent(stage->search) - stage->began;
    if (!stage->timed || !(stage->epoch_s > 0))
        return;
    left -= SPARE_EPOCHS * stage->epoch_s;
    if (stage->which == REFINE_LUMPS)
        left *= LUMPS_SHARE;
    left /= stage->epoch_s;
    if (left < 1)
        stage->n = 1;
    else if (left < stage->n)
        stage->n = (uint32_t)left;
}

/* Whether what is left of the time is needed for the end. */
static bool is_late(const struct stage *stage)
{
    return map_clock_expired(&stage->search->problem.clock) ||
           search_spent(stage->search) + SPARE_EPOCHS * stage->epoch_s > 1;
}

/* Runs a stage; *ran: its epochs. */
static int run_stage(uint32_t *ran,
                     struct search *search,
                     struct refine *refine,
                     enum refine_stage which,
                     struct mapcore_error *err)
{
    struct stage stage = {.search = search, .which = which};
    bool done = true;
    int code = refine_begin(&stage.most, refine, which, err);
    uint32_t i = 0;

    *ran = 0;
    if (code < 0)
        return code;
    plan_stage(&stage);
    for (; i < stage.n; i++) {
        if (is_late(&stage))
            break;
        code = refine_epoch(&done, refine, i, stage.n, search->options->threads,
                            err);
        if (code < 0 || !done)
            break;
        if (i == 0)
            plan_rest(&stage);
        portfolio_count(search, 1);
    }
    search->cut = search->cut || i < stage.n || stage.n < stage.most;
    *ran = stage.n;
    return code;
}

static int improve_large(struct search *search,
                         const struct refine_base *base,
                         size_t start,
                         struct mapcore_error *err)
{
    uint32_t ntasks = search->problem.graph->ntasks, *host = NULL;
    struct refine *refine = NULL;
    int code;

    if ((code = refine_create(&refine, base, search->settled[start].host, 0,
                              err)) < 0 ||
        (code = run_stage(&search->schedule.lumps, search, refine, REFINE_LUMPS,
                          err)) < 0 ||
        (code = run_stage(&search->schedule.tasks, search, refine, REFINE_TASKS,
                          err)) < 0 ||
        (code = quench(refine, search->options->threads, err)) < 0)
        goto out;
    host = array_alloc(ntasks, sizeof(*host), err);
    if (!host) {
        code = MAPCORE_ENOMEM;
        goto out;
    }
    refine_read(host, refine);
    code = settle_refined(search, start, host, err);
out:
    refine_destroy(refine);
    return code;
}

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
                      uint32_t share,
                      struct mapcore_error *err)
{
    uint32_t most, n = (FIRST_EPOCHS << round->number) / share;
    int code = refine_begin(&most, refine, stage, err);

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
        code = run_epochs(&done, round, refine, REFINE_LUMPS, 4, err);
    else
        refine_heat(refine);
    if (code < 0 ||
        (code = run_epochs(&done, round, refine, REFINE_TASKS, 1, err)) < 0 ||
        !done || (code = quench(refine, 1, err)) < 0)
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

static int improve_small(struct search *search,
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

int improve_run(struct search *search, struct mapcore_error *err)
{
    size_t start = pick_start(search);
    struct refine_base *base;
    int code;

    if (search->problem.graph->row[search->problem.graph->ntasks] == 0 ||
        mapcore_alloc_nhosts(search->problem.alloc) < 2)
        return 0;
    if (search->work >= search->limit ||
        map_clock_expired(&search->problem.clock)) {
        search->cut = true;
        return 0;
    }
    if ((code = refine_base_create(&base, &search->problem, search->seed,
                                   err)) < 0)
        return code;
    code = (search->problem.graph->ntasks < SMALL
                ? improve_small
                : improve_large)(search, base, start, err);
    refine_base_destroy(base);
    return code;
}
