/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* map.h - from task graph and allocation to a mapping */
#ifndef MAPCORE_MAP_MAP_H
#define MAPCORE_MAP_MAP_H

#include "metric/metric.h"

#include <stdbool.h>

/* What is best. */
enum mapcore_choice {
    /* Least average hop-bytes; ties by maximum hop-bytes, then busiest link,
     * then position in the list. */
    MAPCORE_CHOOSE_HOP_BYTES,
    /* ICS'17 section 4.2: of the Pareto front of (average, maximum) the least
     * maximum among averages below alpha times the least average. Candidates
     * whose average is above the baseline's are never chosen. */
    MAPCORE_CHOOSE_PARETO,
    /* Least time of the slowest link; ties by average, then maximum
     * hop-bytes. None whose slowest link needs longer than the baseline's is
     * chosen. */
    MAPCORE_CHOOSE_LINK,
    /* LINK where the topology states capacities, else PARETO. */
    MAPCORE_CHOOSE_AUTO,
};

/* How a search splits its work: units of the list of candidates, then epochs
 * of the two stages of refinement, whose temperatures fall over their number
 * (0 where small problems are refined, which need no such plan). All 0: not
 * said. */
struct mapcore_schedule {
    uint32_t starts, clusters, tasks;
};

/* How to search. Zeroed fields mean: hop-bytes, alpha 1.05, seed 1, no bound,
 * one thread, baseline block, the whole portfolio. */
struct mapcore_search {
    enum mapcore_choice choose;
    double alpha;             /* >= 1; 0 stands for 1.05 */
    uint64_t seed;            /* 0 stands for 1 */
    uint64_t work;            /* at most this many units; 0: no bound */
    unsigned threads;         /* 0 stands for 1 */
    const uint32_t *baseline; /* [ntasks] host of each task without topomap, or
                                 NULL for block; the first candidate */
    const char *mapper;       /* NULL: the portfolio; else one of the registry,
                                 with parameters: `greedymap:order=...`, and
                                 `+refine` behind, if it is to be refined;
                                 parmapper always chooses by Pareto */
    /* Asked between and within candidates, from any thread; true once time is
     * up. NULL: never. */
    bool (*expired)(void *arg);
    /* The share of the time that is used up, 0 .. 1, with the same arg; NULL:
     * not known, and refinement goes on until it is through or cut. */
    double (*spent)(void *arg);
    void *expired_arg;
    struct mapcore_schedule schedule; /* that of a result, to repeat it */
    /* Told how many units count so far, after each, on any thread but one at a
     * time. NULL: nobody. */
    void (*progress)(void *arg, uint64_t work);
    void *progress_arg;
    /* What every host is inside, borrowed: slots then are chosen for the least
     * inside hop-bytes, once the hosts stand. One for all: where hosts differ,
     * that of most. NULL: not known, and neighbouring slots are taken to be
     * near each other. */
    const struct mapcore_hwnode *node;
};

struct mapcore_result {
    struct mapcore_mapping *mapping; /* owned */
    struct mapcore_metrics metrics;
    struct mapcore_metrics baseline; /* of the first candidate */
    /* With a node, else all 0; the baseline's tasks take the slots of their
     * hosts in ascending order. */
    struct mapcore_inside inside, baseline_inside;
    char candidate[96]; /* the winner's name in --mapper form */
    uint64_t work;      /* units that counted: the same number as a bound, with
                           the schedule, repeats this result anywhere */
    struct mapcore_schedule schedule; /* all 0 where nothing is refined */
    bool interrupted; /* time or work ended it before it was through */
    bool is_baseline; /* the winner places every task where the baseline
                         does */
};

/* The mapper that is a list of its own. */
#define MAPCORE_PARMAPPER "parmapper"

/* Runs the fixed list of candidates (baseline, block and cyclic first; neither
 * time nor its share cuts these), refines the one of least average hop-bytes,
 * and chooses among all that came out. From 65,536 tasks on the first starts
 * run one by one, on all threads. The list ends when a tenth of the time is
 * used up (those starts may take longer); refinement takes the rest, or ends
 * before when it has no more to gain. A unit of work is a candidate, an epoch
 * of the refinement of a large problem, or a whole refinement of a small one
 * (below 1,024 tasks). Results of units behind the first that was not finished
 * are dropped, so the answer depends on schedule and number of units alone,
 * never on the number of threads. Work without a schedule goes to the list
 * first. A mapper's name with `+refine` behind it runs that mapper once and
 * refines what it gives. With the mapper parmapper the list is GreedyMap's
 * configurations alone, of which the first always counts; the result may be
 * worse than the baseline. With any other mapper the units are its runs: the
 * first one always counts, and under a bound up to 4,096 more follow with new
 * seeds if they can differ; the result is the best of them, even if the
 * baseline is better. ntasks of graph must not exceed the slots. out is ended
 * by mapcore_result_clear. Errors: EINVAL (also an unknown mapper), ENOMEM; EIO
 * and EPARSE for a file of task numbers; ERANGE (too large for METIS). */
MAPCORE_API int mapcore_search_run(struct mapcore_result *out,
                                   const struct mapcore_graph *graph,
                                   const struct mapcore_alloc *alloc,
                                   const struct mapcore_search *search,
                                   struct mapcore_error *err);
MAPCORE_API void mapcore_result_clear(struct mapcore_result *result);

/* One row of the registry. */
struct mapcore_mapper {
    const char *name;    /* as in --mapper */
    const char *summary; /* one line */
    const char *source;  /* authors, year, algorithm number */
};
/* Row index of the registry into out, or false behind its end. The strings are
 * static. */
MAPCORE_API bool mapcore_mapper_get(struct mapcore_mapper *out, size_t index);

#endif
