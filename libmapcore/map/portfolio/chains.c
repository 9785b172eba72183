/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* chains.c - runs in a pool, added to the results in their order */
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
        int error;
        struct mapcore_error why;
    } chain[CHAINS];
};

static bool work(void *arg, size_t i)
{
    struct job *job = arg;
    const struct chains *chains = job->chains;
    const struct map_problem *problem = &chains->search->problem;
    struct chain *chain = &job->chain[i];
    bool timed_out = false;
    struct rng rng;

    rng_init(&rng, chains->search->seed, chains->stream,
             (uint64_t)chains->number * CHAINS + i);
    chain->host = array_copy(chains->start, problem->graph->ntasks,
                             sizeof(*chains->start), &chain->why);
    chain->error = !chain->host
                       ? MAPCORE_ENOMEM
                       : chains->run(chain->host, &timed_out, chains->arg,
                                     (uint32_t)i, &rng, &chain->why);
    if (chain->error == 0 && !timed_out)
        chain->error =
            mapcore_metrics_compute(&chain->metrics, problem->graph,
                                    problem->alloc, chain->host, &chain->why);
    return chain->error == 0 && !timed_out;
}

static void add(void *arg, size_t i)
{
    struct job *job = arg;
    struct search *search = job->chains->search;
    struct results *results = &search->results;
    struct result result = {.candidate =
                                results->result[job->chains->from].candidate,
                            .is_refined = true,
                            .is_kept = job->chains->keeps,
                            .host = job->chain[i].host};

    job->chain[i].host = NULL;
    results_add(results, &result, &job->chain[i].metrics);
    results_count(results, 1);
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
    size_t left = search->limit - search->results.work;
    struct job job = {.chains = chains};
    struct pool_job pooled = {.n = left < CHAINS ? left : CHAINS,
                              .work = work,
                              .settle = add,
                              .stop = stop,
                              .arg = &job};
    int error = results_reserve(&search->results, pooled.n, err);

    *ran = 0;
    if (error < 0)
        return error;
    *ran = pool_run(chains->are_short ? NULL : search->pool, &pooled);
    for (size_t i = 0; i < CHAINS; i++)
        free(job.chain[i].host);
    if (*ran < pooled.n && job.chain[*ran].error < 0) {
        error = job.chain[*ran].error;
        if (err)
            *err = job.chain[*ran].why;
    }
    return error;
}

int refined_add(struct search *search,
                struct refine *refine,
                size_t from,
                struct mapcore_error *err)
{
    const struct map_problem *problem = &search->problem;
    struct result result = {.candidate = search->results.result[from].candidate,
                            .is_refined = true};
    struct mapcore_metrics metrics;
    int error = refine_descend(refine, search->pool, err);

    if (error < 0)
        return error;
    result.host =
        array_alloc(problem->graph->ntasks, sizeof(*result.host), err);
    if (!result.host)
        return MAPCORE_ENOMEM;
    refine_get_mapping(result.host, refine);
    if ((error = mapcore_metrics_compute(
             &metrics, problem->graph, problem->alloc, result.host, err)) < 0 ||
        (error = results_reserve(&search->results, 1, err)) < 0) {
        free(result.host);
        return error;
    }
    results_add(&search->results, &result, &metrics);
    return 0;
}
