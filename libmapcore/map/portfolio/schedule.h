/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* schedule.h - what a search does when, and how much of the time that gets:
 * tables, and no code that runs anything
 *
 * Words of this folder:
 *   candidate  a mapper with its parameters, in a fixed list (candidates.h)
 *   pass       which random numbers: 0 at first, others repeat a candidate
 *   run        a candidate in a pass; the unit of work of the list
 *   batch      runs that the thread pool is given together
 *   stage      what a row and those joined to it do: runs of some candidates
 *   result     a mapping that counts, with its metrics (search.h)
 *   share      of the time that a search has, 0 .. 1
 *   epoch      a fixed number of proposals of refinement (map/refine/refine.h)
 *   round      CHAINS runs of an engine side by side, from one mapping
 *   chain      one of them (rounds.h) */
#ifndef MAPCORE_MAP_SCHEDULE_H
#define MAPCORE_MAP_SCHEDULE_H

#include "map/map.h"
#include "map/portfolio/candidates.h"
#include "map/refine/refine.h"

/* Shares of the time that rows of the list have. */
enum schedule_share {
    SHARE_OPEN,     /* as long as there is time */
    SHARE_EARLY,    /* refinement gains more than most candidates: nine tenths
                       of the time are its, eight on a tree, where it has no
                       clusters to begin with */
    SHARE_LATE,     /* what is worth most of the time must leave something for
                       refinement */
    SHARE_LATEST,   /* what very many tasks wait for is better than anything
                       that could be done without it */
    SHARE_CLUSTERS, /* clusters gain more where there is time for them */
};
/* 0 .. 1: where refinement begins with clusters, where time is too short for
 * them, and on trees, where they are of no use. */
extern const struct schedule_shares {
    double clusters, start, tree;
} schedule_shares[];

struct schedule_stage {
    unsigned groups; /* of candidates: sum of 1 << enum candidate_group */
    bool is_joined;  /* side by side with the row above */
    bool is_certain; /* counts always: no deadline */
    bool one_by_one; /* each on all threads; else side by side, one thread
                        each */
    enum schedule_share begin, end; /* no run is begun, or goes on, behind */
    /* What a run takes on one thread, as a multiple of the first good mapping:
     * none is begun that would go on behind the end. 0: not known. */
    double cost;
    bool is_first;     /* this is the first good mapping, which is timed, and
                          cut short where time ends; its cost is a multiple of
                          the certain ones' */
    bool may_cut;      /* so it is where this is the last of the list, which
                          it is where time ends within it */
    bool for_clusters; /* left out where time is too short for clusters */
    uint32_t first_pass, more; /* passes; behind pass 0 only what is random */
    uint32_t passes_together;  /* in one batch */
    bool is_fair; /* a candidate is in one of candidate.every passes, so that
                     all have about the same time; but for those that have come
                     to no less than SCHEDULE_FAR times the best average: a
                     SCHEDULE_FAR_SHARE-th of it */
    bool while_better; /* a pass follows one that found something better */
    bool if_bounded;   /* only under a bound of time or work */
    bool if_unbounded; /* only without */
};

enum schedule_kind {
    SCHEDULE_PORTFOLIO_SMALL, /* what refine_small refines */
    SCHEDULE_PORTFOLIO_TIME,  /* small, and chosen by time */
    SCHEDULE_PORTFOLIO,
    SCHEDULE_PORTFOLIO_TREE,
    SCHEDULE_PORTFOLIO_LARGE, /* from MAP_LARGE tasks on */
    SCHEDULE_PARMAPPER,
    SCHEDULE_MAPPER,
    SCHEDULE_MAPPER_REFINED,
};

#define SCHEDULE_FAR       1.25
#define SCHEDULE_FAR_SHARE 8

/* The rows of a kind; *n: how many. */
const struct schedule_stage *schedule_stages(size_t *n,
                                             enum schedule_kind kind);
/* The most runs in one batch of a list of nlist candidates. */
size_t schedule_most_runs(const struct schedule_stage *stages,
                          size_t n,
                          size_t nlist);

/* How refinement shares the time. make bench-map shows what a change of one of
 * them does. It is not begun behind this share: what is begun later cannot be
 * ended in time. */
#define REFINEMENT_LATE 0.85
/* Nor where less time is left, as a multiple of the first good mapping's, or
 * without that of the certain ones'. */
#define REFINEMENT_LEAST         0.9
#define REFINEMENT_LEAST_CERTAIN 8
/* Share of the time or work left that clusters get; less time left than the
 * second, as such a multiple, on one thread, and the best start is refined
 * without them; they are dropped when they end the third above the best. */
#define REFINEMENT_CLUSTERS       0.25
#define REFINEMENT_CLUSTERS_LEAST 13
#define REFINEMENT_CLUSTERS_SLACK 1.08
/* Where time that is planned for ends, where a bottleneck of tasks or links
 * comes behind, and where few tasks have but a good beginning by hop-bytes. */
#define REFINEMENT_END       0.96
#define REFINEMENT_END_TASKS 0.85
#define REFINEMENT_END_LINKS 0.5
#define REFINEMENT_END_FEW   0.15
/* A grid laid out as one that is below all others by the first share needs no
 * refinement, but if mending single tasks gains more than the second. */
#define REFINEMENT_GRID_MARGIN 0.95
#define REFINEMENT_GRID_ALONE  0.005
/* Share of the proposals of an epoch that those of short rounds have. */
#define REFINEMENT_SHORT_PACE 0.125
enum {
    REFINEMENT_SPARE_EPOCHS = 1, /* that time is left for, besides descent */
    REFINEMENT_SLOW = 64,        /* times the epochs of a stage there are at
                                    most where time is planned for: slower
                                    cooling gains more */
    REFINEMENT_SMALL = 1024,     /* fewer tasks are small: one region, refined
                                    in a moment */
    REFINEMENT_ROUND_EPOCHS = 4, /* of the first round of a small problem */
    REFINEMENT_SHORT_TASKS = 64, /* most that have short rounds first */
    REFINEMENT_MOVED_HOSTS = 64, /* most that are exchanged as a whole */
    REFINEMENT_TURN_ROUNDS = 4,  /* in a run of the bottleneck */
};

/* How long rounds go on (rounds.h). */
struct schedule_rounds {
    uint32_t most;  /* of them */
    uint32_t idle;  /* in a row that gain less than worth: enough */
    bool or_half;   /* once they are half of all, too */
    bool restarts;  /* each begins where the first one did, not with the best */
    bool keeps;     /* the hosts of the best of a round, by any choice */
    uint32_t agree; /* this number in a row that come to the same from different
                       beginnings are enough; 0: none are */
    double worth;   /* share that a round gains, or it is idle */
    double longer;  /* time of a round, as a multiple of the one before */
};
enum schedule_rounds_kind {
    ROUNDS_SMALL,       /* of refine_small */
    ROUNDS_SMALL_LINKS, /* chosen by the time of links */
    ROUNDS_FEW,         /* very few tasks, with the short ones */
    ROUNDS_WARM,        /* and behind them */
    ROUNDS_SINGLE,      /* of refine_single */
    ROUNDS_SLOWEST,     /* of refine_bottleneck */
    ROUNDS_MORE,        /* of refine_more */
    ROUNDS_ROTATION,    /* of refine_rotation */
    ROUNDS_TYPES,
    ROUNDS_TYPES_ALONE, /* of last_choice_refine; idle is the caller's */
};
extern const struct schedule_rounds schedule_rounds[];

/* Temperatures of each use of refinement. */
struct schedule_temperatures {
    struct refine_temperatures clusters; /* large problems */
    struct refine_temperatures tasks;    /* behind clusters */
    struct refine_temperatures start;    /* of the best start instead */
    struct refine_temperatures tree;     /* the same on a tree */
    struct refine_temperatures all;      /* small problems: forgets the start */
    struct refine_temperatures single;   /* one task a host */
    struct refine_temperatures warm[4];  /* very few, by chain: does not */
    struct refine_temperatures warm_clusters; /* nor their clusters */
};
extern const struct schedule_temperatures schedule_temperatures;

#endif
