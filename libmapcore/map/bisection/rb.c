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
/* The first good mapping of many tasks: in half of that time, for 1 to 5% more
 * hop-bytes (a fifth where grids are numbered along, but those are found
 * otherwise). */
static const struct dual_effort quick = {2, {50, 2}, false};

/* Graphs of fewer than MAP_LARGE tasks are halved part by part: each then knows
 * how those before it were halved. With more there is more to do than one
 * thread should, and refinement makes up for the 1% of hop-bytes that it costs;
 * what is quick shall be so on all threads. */
#define APART       8
#define APART_QUICK 16

/* A descent under way. A step of it halves parts of a level together. */
struct descent {
    struct dual *dual;
    const struct thoroughness *thorough;
    struct exchange *exchange; /* NULL: none */
    unsigned threads;
    uint32_t steps, most; /* made, and that may be made */
    bool timed_out;
};

static int halve_level(struct descent *descent,
                       uint32_t begin,
                       uint32_t end,
                       struct mapcore_error *err)
{
    struct dual *dual = descent->dual;
    uint32_t apart = descent->thorough->apart;
    uint32_t together = apart > 0 ? (end - begin) / apart : 1, stride;

    together = together > DUAL_CUTS ? DUAL_CUTS : together;
    together = together < 1 ? 1 : together;
    stride = (end - begin + together - 1) / together;
    for (uint32_t first = begin;
         first < begin + stride && descent->steps < descent->most; first++) {
        uint32_t part[DUAL_CUTS], n = 0;
        int error;

        for (uint32_t p = first; p < end; p += stride)
            if (dual->tree->part[p].half != MAPCORE_NONE)
                part[n++] = p;
        if (n == 0)
            continue;
        error = dual_halve(dual, &descent->timed_out, part, n, descent->threads,
                           err);
        if (error < 0 || descent->timed_out)
            return error;
        descent->steps++;
    }
    return 0;
}

/* Breadth first: so what is outside of a part is known as exactly as what is
 * inside. When a level is through its parts exchange tasks, before any of them
 * is halved. */
static int descend(struct descent *descent, struct mapcore_error *err)
{
    const struct host_tree *tree = descent->dual->tree;
    const struct thoroughness *thorough = descent->thorough;

    for (uint32_t p = 0, end; p < tree->nparts; p = end) {
        int error = 0;

        for (end = p; end < tree->nparts &&
                      tree->part[end].level == tree->part[p].level;)
            end++;
        if (descent->exchange && tree->part[p].level > 1)
            error = exchange_run(descent->exchange, &descent->timed_out,
                                 thorough->partners, thorough->rounds, err);
        if (error == 0 && !descent->timed_out)
            error = halve_level(descent, p, end, err);
        if (error < 0 || descent->timed_out)
            return error;
    }
    return 0;
}

/* Every part's tasks onto its hosts: one that was not halved down to single
 * hosts fills them in the order of its tasks. */
static void fill_hosts(uint32_t *host, const struct dual *dual)
{
    const struct host_tree *tree = dual->tree;

    for (uint32_t p = 0; p < tree->nparts; p++) {
        const uint32_t *task = dual->task + dual->begin[p];
        uint32_t at = tree->part[p].begin, left = 0;

        for (uint32_t i = 0; i < dual->count[p]; i++, left--) {
            while (left == 0)
                left = mapcore_alloc_slots(tree->alloc, tree->host[at++]);
            host[task[i]] = tree->host[at - 1];
        }
    }
}

static int run(uint32_t *host,
               struct mapper_end *end,
               const struct map_problem *problem,
               const struct mapper_call *call,
               const struct thoroughness *thorough,
               struct mapcore_error *err)
{
    struct descent descent = {.thorough = thorough,
                              .threads = call->threads,
                              .most =
                                  call->steps > 0 ? call->steps : UINT32_MAX};
    int error;

    end->is_random = true;
    error = dual_create(&descent.dual, problem,
                        call->seed ^ (uint64_t)call->pass << 32, call->pass,
                        thorough->effort, err);
    if (error < 0)
        return error;
    if ((thorough->rounds > 0 &&
         (error = exchange_create(&descent.exchange, descent.dual, err)) < 0) ||
        (error = descend(&descent, err)) < 0)
        goto out;
    if (descent.timed_out ? call->may_cut : descent.steps == descent.most)
        end->steps = descent.steps;
    end->timed_out = descent.timed_out && end->steps == 0;
    if (!end->timed_out)
        fill_hosts(host, descent.dual);
out:
    exchange_destroy(descent.exchange);
    dual_destroy(descent.dual);
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
    .summary = "graph and machine are halved together, down to nodes; "
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
