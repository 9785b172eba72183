/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* chains.c - runs in a pool, settled in their order */
#include "config.h"

#include "map/portfolio/chains.h"

#include "base/array.h"
#include "graph/csr.h"
#include "pool/pool.h"

#include <stdlib.h>

struct job {
    const struct chains *chains;
    struct chain {
        uint32_t *host; /* owned */
        struct mapcore_metrics metrics;
        int code;
        struct mapcore_error error;
    } chain[CHAINS];
};

static bool work(void *arg, size_t i)
{
    struct job *job = arg;
    const struct chains *chains = job->chains;
    const struct map_problem *problem = &chains->search->problem;
    struct chain *chain = &job->chain[i];
    bool done = true;

    chain->host = array_copy(chains->start, problem->graph->ntasks,
                             sizeof(*chains->start), &chain->error);
    chain->code = !chain->host ? MAPCORE_ENOMEM
                               : chains->run(chain->host, &done, chains->arg,
                                             (uint32_t)i, &chain->error);
    if (chain->code == 0 && done)
        chain->code =
            mapcore_metrics_compute(&chain->metrics, problem->graph,
                                    problem->alloc, chain->host, &chain->error);
    return chain->code == 0 && done;
}

static void settle(void *arg, size_t i)
{
    struct job *job = arg;
    struct search *search = job->chains->search;
    size_t candidate = search->settled[job->chains->from].candidate;
    struct settled result = {
        .candidate = candidate, .refined = true, .host = job->chain[i].host};

    job->chain[i].host = NULL;
    portfolio_settle(search, &result, &job->chain[i].metrics);
    portfolio_count(search, 1);
}

static bool stop(void *arg)
{
    const struct job *job = arg;

    return map_deadline_passed(&job->chains->search->problem.deadline);
}

int chains_run(size_t *ran,
               const struct chains *chains,
               struct mapcore_error *err)
{
    struct search *search = chains->search;
    size_t left = search->limit - search->work;
    struct job job = {.chains = chains};
    struct pool_job pool = {.n = left < CHAINS ? left : CHAINS,
                            .threads = search->options->threads,
                            .work = work,
                            .settle = settle,
                            .stop = stop,
                            .arg = &job};
    int code = portfolio_reserve(search, pool.n, err);

    *ran = 0;
    if (code < 0)
        return code;
    *ran = pool_run(&pool);
    for (size_t i = 0; i < CHAINS; i++)
        free(job.chain[i].host);
    if (*ran < pool.n && job.chain[*ran].code < 0) {
        code = job.chain[*ran].code;
        if (err)
            *err = job.chain[*ran].error;
    }
    return code;
}
