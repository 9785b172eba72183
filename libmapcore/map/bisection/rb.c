/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rb.c - the mappers that halve the task graph and the hosts together, level by
 * level */
#include "config.h"

#include "graph/csr.h"
#include "map/bisection/dual.h"
#include "map/bisection/exchange.h"
#include "map/mappers.h"

/* How thoroughly the parts of a level exchange tasks. */
struct thoroughness {
    uint32_t partners, rounds;
};

/* Graphs of fewer than MAP_LARGE tasks are halved part by part: each then knows
 * how those before it were halved. With more there is more to do than one
 * thread should, and refinement makes up for the 1% of hop-bytes that it costs.
 * Parts that are halved at the same time: of a level one in so many at most,
 * which lie far apart and hardly know of each other. */
#define APART 8

static int halve_level(struct dual *dual,
                       bool *timed_out,
                       uint32_t begin,
                       uint32_t end,
                       unsigned threads,
                       struct mapcore_error *err)
{
    uint32_t together = (end - begin) / APART, stride;

    together = together > DUAL_CUTS ? DUAL_CUTS : together;
    if (together < 1 || dual->problem->graph->ntasks < MAP_LARGE)
        together = 1;
    stride = (end - begin + together - 1) / together;
    for (uint32_t first = begin; first < begin + stride; first++) {
        uint32_t part[DUAL_CUTS], n = 0;
        int error;

        for (uint32_t p = first; p < end; p += stride)
            if (dual->tree->part[p].half != MAPCORE_NONE)
                part[n++] = p;
        if (n == 0)
            continue;
        error = dual_halve(dual, timed_out, part, n, threads, err);
        if (error < 0 || *timed_out)
            return error;
    }
    return 0;
}

/* Breadth first: so what is outside of a part is known as exactly as what is
 * inside. When a level is through its parts exchange tasks, before any of them
 * is halved. */
static int descend(struct dual *dual,
                   bool *timed_out,
                   const struct thoroughness *thorough,
                   struct exchange *exchange,
                   unsigned threads,
                   struct mapcore_error *err)
{
    const struct host_tree *tree = dual->tree;

    for (uint32_t p = 0, end; p < tree->nparts; p = end) {
        int error = 0;

        for (end = p; end < tree->nparts &&
                      tree->part[end].level == tree->part[p].level;)
            end++;
        if (exchange && tree->part[p].level > 1)
            error = exchange_run(exchange, timed_out, thorough->partners,
                                 thorough->rounds, err);
        if (error == 0 && !*timed_out)
            error = halve_level(dual, timed_out, p, end, threads, err);
        if (error < 0 || *timed_out)
            return error;
    }
    return 0;
}

static int run(uint32_t *host,
               struct mapper_end *end,
               const struct map_problem *problem,
               const struct mapper_call *call,
               const struct thoroughness *thorough,
               struct mapcore_error *err)
{
    struct exchange *exchange = NULL;
    struct dual *dual = NULL;
    int error;

    end->is_random = true;
    error = dual_create(&dual, problem, call->seed ^ (uint64_t)call->pass << 32,
                        call->pass, err);
    if (error < 0)
        return error;
    if ((thorough->rounds > 0 &&
         (error = exchange_create(&exchange, dual, err)) < 0) ||
        (error = descend(dual, &end->timed_out, thorough, exchange,
                         call->threads, err)) < 0)
        goto out;
    for (uint32_t t = 0; t < problem->graph->ntasks && !end->timed_out; t++)
        host[t] = dual->tree->host[dual->tree->part[dual->at[t]].begin];
out:
    exchange_destroy(exchange);
    dual_destroy(dual);
    return error;
}

static int run_rb(uint32_t *host,
                  struct mapper_end *end,
                  const struct map_problem *problem,
                  const struct mapper_call *call,
                  struct mapcore_error *err)
{
    return run(host, end, problem, call, &(struct thoroughness){0}, err);
}

const struct mapper mapper_rb = {
    .name = "rb",
    .summary = "graph and machine are halved together, down to hosts",
    .source = "Pellegrini, Roman, HPCN 1996 (dual recursive bipartitioning)",
    .run = run_rb,
};

static const char *const partners_words[] = {"6", "3", "10", NULL};
static const char *const rounds_words[] = {"1", "2", "4", NULL};
static const struct mapper_parameter multilevel_parameters[] = {
    {"partners", partners_words, MAPPER_WORD},
    {"rounds", rounds_words, MAPPER_WORD},
    {NULL, NULL, MAPPER_WORD}};

static int run_multilevel(uint32_t *host,
                          struct mapper_end *end,
                          const struct map_problem *problem,
                          const struct mapper_call *call,
                          struct mapcore_error *err)
{
    static const uint32_t partners[] = {6, 3, 10}, rounds[] = {1, 2, 4};
    struct thoroughness thorough = {partners[call->value[0]],
                                    rounds[call->value[1]]};

    return run(host, end, problem, call, &thorough, err);
}

const struct mapper mapper_multilevel = {
    .name = "multilevel",
    .summary = "as rb, and the parts of every level exchange tasks; "
               ":partners=6|3|10,rounds=1|2|4",
    .source = "topomap",
    .parameters = multilevel_parameters,
    .run = run_multilevel,
};
