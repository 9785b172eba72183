/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rb.c - the mappers that halve the task graph and the hosts together, level by
 * level */
#include "config.h"

#include "graph/csr.h"
#include "map/bisection/dual.h"
#include "map/bisection/exchange.h"
#include "map/mappers.h"

/* How thoroughly the parts of a level are halved and exchange tasks. */
struct thoroughness {
    const struct dual_effort *effort;
    uint32_t partners, rounds;
    uint32_t apart; /* parts that are halved at the same time: of a level one
                       in so many at most, which lie far apart and hardly know
                       of each other; 0: one by one */
};

/* First cuts: 8 took a quarter more time than 5 for the same hop-bytes, 3 gave
 * 1% more of them. */
static const struct dual_effort full = {5, {150, 8}, true};
/* The first good mapping of many tasks: in half of that time, and less than
 * Scotch's, for 3% more hop-bytes (a tenth where grids are numbered along, but
 * those are found otherwise). */
static const struct dual_effort quick = {2, {50, 2}, false};

/* Graphs of fewer than MAP_LARGE tasks are halved part by part: each then knows
 * how those before it were halved. With more there is more to do than one
 * thread should, and refinement makes up for the 1% of hop-bytes that it costs;
 * what is quick shall be so on all threads. */
#define APART       8
#define APART_QUICK 16

static int halve_level(struct dual *dual,
                       bool *timed_out,
                       uint32_t begin,
                       uint32_t end,
                       uint32_t apart,
                       unsigned threads,
                       struct mapcore_error *err)
{
    uint32_t together = apart > 0 ? (end - begin) / apart : 1, stride;

    together = together > DUAL_CUTS ? DUAL_CUTS : together;
    together = together < 1 ? 1 : together;
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
            error = halve_level(dual, timed_out, p, end, thorough->apart,
                                threads, err);
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
                        call->pass, thorough->effort, err);
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

static uint32_t apart_of(const struct map_problem *problem)
{
    return problem->graph->ntasks < MAP_LARGE ? 0 : APART;
}

static const char *const effort_words[] = {"full", "quick", NULL};
static const struct mapper_parameter rb_parameters[] = {
    {"effort", effort_words, MAPPER_WORD},
    {NULL, NULL, MAPPER_WORD}};

static int run_rb(uint32_t *host,
                  struct mapper_end *end,
                  const struct map_problem *problem,
                  const struct mapper_call *call,
                  struct mapcore_error *err)
{
    struct thoroughness thorough = {.effort = &full,
                                    .apart = apart_of(problem)};

    if (call->value[0] == 1) {
        thorough.effort = &quick;
        thorough.apart = APART_QUICK;
    }
    return run(host, end, problem, call, &thorough, err);
}

const struct mapper mapper_rb = {
    .name = "rb",
    .summary = "graph and machine are halved together, down to hosts; "
               ":effort=full|quick",
    .source = "Pellegrini, Roman, HPCN 1996 (dual recursive bipartitioning)",
    .parameters = rb_parameters,
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
    struct thoroughness thorough = {&full, partners[call->value[0]],
                                    rounds[call->value[1]], apart_of(problem)};

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
