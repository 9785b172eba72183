/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* schedule.c - the tables of schedule.h */
#include "config.h"

#include "map/portfolio/schedule.h"

#define GROUP(name) (1u << CANDIDATE_##name)
/* Passes have numbers of 16 bits, which are part of what a seed means. */
#define PASSES_MOST 65536

const struct schedule_shares schedule_shares[] = {
    [SHARE_OPEN] = {1, 1, 1},       [SHARE_EARLY] = {.1, .1, .2},
    [SHARE_LATE] = {.75, .75, .75}, [SHARE_LATEST] = {.9, .9, .9},
    [SHARE_CLUSTERS] = {.2, 1, 1},
};

#define LAYOUTS                                                                \
    {                                                                          \
        .groups = GROUP(CERTAIN), .is_certain = true                           \
    }

/* Of the time that is left for it: starts that are not often the best, and
 * GreedyMap's configurations. */
#define OTHER_STARTS(of, joined)                                               \
    {(of), .is_joined = (joined), .begin = SHARE_EARLY, .end = SHARE_LATE},    \
    {                                                                          \
        .groups = GROUP(GREEDYMAP), .is_joined = true, .begin = SHARE_EARLY,   \
        .end = SHARE_EARLY                                                     \
    }

/* All of it takes a moment. */
static const struct schedule_stage portfolio_small[] = {
    LAYOUTS,
    {GROUP(LEADER) | GROUP(STRUCTURE) | GROUP(BETTER) | GROUP(CLUSTERS),
     .end = SHARE_LATE},
    OTHER_STARTS(GROUP(BEST) | GROUP(OTHER), true),
};

/* By the time of links or types what comes behind forgets where it begins, or
 * warms it: a few good beginnings are enough. */
static const struct schedule_stage portfolio_time[] = {
    LAYOUTS,
    {GROUP(LEADER) | GROUP(STRUCTURE) | GROUP(FIRST) | GROUP(BETTER) |
         GROUP(CLUSTERS),
     .end = SHARE_LATE},
};

/* The first good mapping comes first and alone: a run beside it would
 * make it late. It takes five to fifteen times as long as the layouts, but is
 * something in less time, too: where that ends, the parts that there are by
 * then are filled as they are. Until most of it is through, though, a sketch is
 * better, which takes a quarter of its time: that comes before it. */
#define FIRST_STARTS                                                           \
    {GROUP(LEADER) | GROUP(SKETCH), .may_cut = true, .one_by_one = true,       \
     .end = SHARE_LATEST},                                                     \
    {                                                                          \
        .groups = GROUP(FIRST), .is_first = true, .one_by_one = true,          \
        .end = SHARE_LATEST, .cost = 1                                         \
    }

/* Clusters gain more than the best start where there is time for them. */
#define BEST_START                                                             \
    {                                                                          \
        .groups = GROUP(BEST), .is_joined = true, .begin = SHARE_CLUSTERS,     \
        .end = SHARE_LATE, .cost = 5.5                                         \
    }

/* Costs are about the middle of what was measured on the instances of make
 * bench-anytime: 1.9 to 3.3 for a better start, 0.1 to 2 for a structure, 0.7
 * to 2 for clusters, 6 to 12 for the best. */
#define GOOD_STARTS                                                            \
    {GROUP(BETTER), .end = SHARE_LATE, .cost = 2.8},                           \
        {GROUP(STRUCTURE), .is_joined = true, .end = SHARE_LATE, .cost = 0.8}, \
        {GROUP(CLUSTERS), .is_joined = true, .for_clusters = true,             \
         .end = SHARE_LATE, .cost = 1},                                        \
        BEST_START

static const struct schedule_stage portfolio[] = {
    LAYOUTS,
    FIRST_STARTS,
    GOOD_STARTS,
    OTHER_STARTS(GROUP(OTHER), true),
};

/* There better starts are worth more than refinement: passes of them behind the
 * first choose from 4, 16 and 32 drafts, a better one from 2 (map/bisection/
 * rb.c); with 4 the best takes no longer than in its first. */
static const struct schedule_stage portfolio_tree[] = {
    LAYOUTS,
    FIRST_STARTS,
    {GROUP(BETTER), .first_pass = 1, .one_by_one = true, .end = SHARE_LATE,
     .cost = 3.1},
    {GROUP(STRUCTURE), .end = SHARE_LATE, .cost = 0.8},
    {GROUP(CLUSTERS), .is_joined = true, .for_clusters = true,
     .end = SHARE_LATE, .cost = 1},
    {GROUP(BEST), .first_pass = 1, .one_by_one = true, .end = SHARE_LATE,
     .cost = 6},
    {GROUP(BEST), .first_pass = 2, .one_by_one = true, .if_bounded = true,
     .end = SHARE_LATE, .cost = 17},
    {GROUP(BEST), .first_pass = 3, .more = 1, .one_by_one = true,
     .if_bounded = true, .end = SHARE_LATE, .cost = 26},
    OTHER_STARTS(GROUP(OTHER), false),
};

/* The better start is worth all threads, too, and clusters are no longer worth
 * waiting for behind it; a grid is. */
static const struct schedule_stage portfolio_large[] = {
    LAYOUTS,
    FIRST_STARTS,
    {GROUP(BETTER), .one_by_one = true, .end = SHARE_LATE, .cost = 2.8},
    {GROUP(STRUCTURE), .end = SHARE_LATE, .cost = 1.2},
    {GROUP(CLUSTERS), .is_joined = true, .for_clusters = true,
     .begin = SHARE_EARLY, .end = SHARE_LATE},
    BEST_START,
    OTHER_STARTS(GROUP(OTHER), true),
};

/* As the paper runs it: new seeds as long as there is time. A run of those of
 * the busiest link takes as long as a hundred others: under a bound each of
 * them has its first one when the others have had as much time. */
static const struct schedule_stage parmapper[] = {
    LAYOUTS,
    {.groups = GROUP(GREEDYMAP)},
    {GROUP(CERTAIN) | GROUP(GREEDYMAP) | GROUP(GREEDYMAP_LINK), .first_pass = 1,
     .more = PASSES_MOST - 2, .is_fair = true, .if_bounded = true},
    {GROUP(CERTAIN) | GROUP(GREEDYMAP), .first_pass = 1, .more = 14,
     .while_better = true, .if_unbounded = true},
    {GROUP(GREEDYMAP_LINK), .if_unbounded = true},
};

static const struct schedule_stage mapper[] = {
    LAYOUTS,
    {GROUP(CERTAIN), .first_pass = 1, .more = 4095, .passes_together = 64,
     .if_bounded = true},
};

#define ROWS(table)                                                            \
    {                                                                          \
        (table), sizeof(table) / sizeof(*(table))                              \
    }

const struct schedule_stage *schedule_stages(size_t *n, enum schedule_kind kind)
{
    static const struct {
        const struct schedule_stage *row;
        size_t n;
    } of[] = {
        [SCHEDULE_PORTFOLIO_SMALL] = ROWS(portfolio_small),
        [SCHEDULE_PORTFOLIO_TIME] = ROWS(portfolio_time),
        [SCHEDULE_PORTFOLIO] = ROWS(portfolio),
        [SCHEDULE_PORTFOLIO_TREE] = ROWS(portfolio_tree),
        [SCHEDULE_PORTFOLIO_LARGE] = ROWS(portfolio_large),
        [SCHEDULE_PARMAPPER] = ROWS(parmapper),
        [SCHEDULE_MAPPER] = ROWS(mapper),
        [SCHEDULE_MAPPER_REFINED] = {mapper, 1}, /* the first run alone */
    };

    *n = of[kind].n;
    return of[kind].row;
}

size_t schedule_most_runs(const struct schedule_stage *stages,
                          size_t n,
                          size_t nlist)
{
    size_t most = nlist;

    for (size_t i = 0; i < n; i++)
        if (nlist * stages[i].passes_together > most)
            most = nlist * stages[i].passes_together;
    return most;
}

/* Of warm rounds: what was embedded, and hot chains never find again, is the
 * better for them (stages of half of the tasks and rings on tori by 6%), and
 * they take a moment. */
const struct schedule_rounds schedule_rounds[] = {
    [ROUNDS_SMALL] = {.most = 9,
                      .idle = 3,
                      .restarts = true,
                      .keeps = true,
                      .agree = 2,
                      .longer = 2},
    [ROUNDS_SMALL_LINKS] = {.most = 9,
                            .idle = 1,
                            .restarts = true,
                            .keeps = true,
                            .agree = 2,
                            .longer = 2},
    [ROUNDS_FEW] = {.most = 10,
                    .idle = 3,
                    .restarts = true,
                    .keeps = true,
                    .agree = 2,
                    .longer = 2},
    [ROUNDS_WARM] = {.most = 4, .idle = 1},
    [ROUNDS_SINGLE] = {.most = UINT32_MAX,
                       .idle = 12,
                       .restarts = true,
                       .keeps = true,
                       .agree = UINT32_MAX,
                       .longer = 1},
    [ROUNDS_SLOWEST] = {.most = 1024, .idle = 4, .worth = 0.0005},
    [ROUNDS_MORE] = {.most = UINT32_MAX,
                     .idle = 4,
                     .or_half = true,
                     .worth = 0.0005,
                     .longer = 1},
    [ROUNDS_ROTATION] = {.most = UINT32_MAX,
                         .idle = 4,
                         .or_half = true,
                         .longer = 1},
    [ROUNDS_TYPES] = {.most = 12, .keeps = true, .worth = 0.005},
    [ROUNDS_TYPES_ALONE] = {.most = 64,
                            .keeps = true,
                            .agree = 3,
                            .longer = 1.5},
};

/* Measured on geometric and power-law graphs of 16,384 tasks: tori and other
 * networks get clusters and then hot tasks; on a tree a good start is never
 * found again, so it is only warmed; so is the best start of all where clusters
 * have come to nothing. single: measured on dense graphs of 72 to 150 tasks on
 * meshes; what ends at 0.015 is 0.07% behind at equal work. */
const struct schedule_temperatures schedule_temperatures = {
    .clusters = {0.4, 0.02},
    .tasks = {0.1, 0.015},
    .start = {0.03, 0.012},
    .tree = {0.035, 0.01},
    .all = {1, 0.015},
    .single = {0.1, 0.007},
    .warm = {{0.05, 0.015}, {0.05, 0.015}, {0.12, 0.015}, {0.1, 0.015}},
    .warm_clusters = {0.1, 0.02},
};
