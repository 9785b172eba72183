/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* map.h - from task graph and allocation to a mapping */
#ifndef MAPCORE_MAP_MAP_H
#define MAPCORE_MAP_MAP_H

#include "metric/metric.h"
#include "metric/workload.h"

#include <stdbool.h>

/* What is best. */
enum mapcore_choice {
    /* Least average hop-bytes; ties by maximum hop-bytes, then busiest link,
     * then position in the list. */
    MAPCORE_CHOOSE_HOP_BYTES,
    /* ICS'17 section 4.2: of the Pareto front of (average, maximum) the least
     * maximum among averages below alpha times the least average. Candidates
     * whose average is above the baseline's, or whose slowest link needs longer
     * than the baseline's, are never chosen. */
    MAPCORE_CHOOSE_PARETO,
    /* Least time: that of the slowest link, or in the end of a search's
     * workload, which then decides alone; ties by average, then maximum
     * hop-bytes. Without one none whose slowest link needs longer than the
     * baseline's is chosen. */
    MAPCORE_CHOOSE_TIME,
    MAPCORE_CHOOSE_LINK = MAPCORE_CHOOSE_TIME, /* its former name */
    /* What is known to run best: TIME, also where the topology states no
     * capacities (mapcore_topo_link_capacity says what is then assumed). */
    MAPCORE_CHOOSE_AUTO,
};

/* How a search splits its work: units of the list of candidates, then epochs
 * of the two stages of refinement, whose temperatures fall over their number
 * (0 where small problems are refined, which need no such plan); or in the
 * place of tasks' epochs the units that turned what routers hold. cut: steps of
 * the first good mapping, where time ended that early; else 0. All 0: not said.
 */
struct mapcore_schedule {
    uint32_t starts, clusters, tasks;
    uint32_t cut;
};

/* Of mapcore_search's unit: what the baseline puts on one host. */
#define MAPCORE_UNIT_HOST UINT32_MAX

/* How to search. Zeroed fields mean: hop-bytes, alpha 1.05, seed 1, no bound,
 * one thread, baseline block, every task by itself and free to go anywhere.
 *
 * unit and pin are constraints of the search with any mapper. Units
 * are what moves: the mappers see the graph contracted by units (the tasks of a
 * unit stay together, on consecutive slots in ascending order, and the bytes
 * among them never count) and hosts that take units. With MAPCORE_UNIT_HOST,
 * where hosts differ in their slots, only those of the most common number
 * change places (of equally common ones the larger), and the units of the
 * others stay. Pinned tasks are on their hosts in every mapping that counts:
 * what a mapper gives is settled first (map/constrain/pins.h), and refinement
 * leaves them where they are. What is chosen is never worse than the baseline
 * once that is settled, too. With blocks of N that the baseline does not keep
 * together there is no such promise. */
struct mapcore_search {
    enum mapcore_choice choose;
    double alpha;             /* >= 1; 0 stands for 1.05 */
    uint64_t seed;            /* 0 stands for 1 */
    uint64_t work;            /* at most this many units; 0: no bound */
    unsigned threads;         /* 0 stands for 1 */
    const uint32_t *baseline; /* [ntasks] host of each task without topomap, or
                                 NULL for block */
    /* Asked between and within candidates, from any thread; true once time is
     * up. NULL: never. */
    bool (*expired)(void *arg);
    /* The share of the time that is used up, 0 .. 1, with the same arg; NULL:
     * not known, and refinement goes on until it is through or interrupted. */
    double (*spent)(void *arg);
    void *expired_arg;
    struct mapcore_schedule schedule; /* that of a result, to repeat it */
    /* Borrowed: what TIME and AUTO go by in the end, instead of the graph
     * alone. A small problem (below 1,024 tasks or units) is also refined by
     * it. NULL: the graph. The portfolio's only. */
    const struct mapcore_workload *workload;
    /* Gets how many units count so far, after each, and the metrics of the best
     * mapping by then (NULL: none yet; theirs for the time of the call), on any
     * thread but one at a time. NULL: none. */
    void (*progress)(void *arg,
                     uint64_t work,
                     const struct mapcore_metrics *best);
    void *progress_arg;
    /* What every host is inside, borrowed: slots then are chosen for the least
     * inside hop-bytes, once the hosts stand. One for all: where hosts differ,
     * that of most. NULL: not known, and slots are taken in the order of the
     * tasks. */
    const struct mapcore_hwnode *node;
    /* The tasks of a host have its slots in ascending order also with rails,
     * which are not searched for then. */
    bool slots_by_rank;
    /* 0 or 1: tasks; N: blocks of N consecutive tasks, of which every host
     * takes whole ones; MAPCORE_UNIT_HOST. */
    uint32_t unit;
    /* [ntasks] the host that a task must be on, or MAPCORE_NONE; NULL: none
     * must. */
    const uint32_t *pin;
    /* Gets each mapping that counts, before progress is, on any thread but
     * one at a time: the mapper that it comes from (as candidate of a result
     * has it; borrowed for the call, as metrics are), and whether what that
     * gave was refined. Gets progress_arg. NULL: none. */
    void (*came)(void *arg,
                 const char *candidate,
                 bool is_refined,
                 const struct mapcore_metrics *metrics);
    /* The bound is not a person's wish: a search of few tasks ends where it is
     * not likely to gain. */
    bool ends_early;
};

struct mapcore_result {
    struct mapcore_mapping *mapping; /* owned */
    struct mapcore_metrics metrics;
    struct mapcore_metrics baseline; /* of the baseline */
    /* With a node, else all 0; the baseline's tasks take the slots of their
     * hosts in ascending order. */
    struct mapcore_inside inside, baseline_inside;
    char candidate[96]; /* the mapper that it comes from, with its parameters,
                           as a search takes it */
    bool is_refined;    /* what that gave was refined */
    uint64_t work;      /* units that counted: the same number as a bound, with
                           the schedule, repeats this result anywhere */
    struct mapcore_schedule schedule; /* all 0 where nothing is refined */
    bool interrupted; /* time or work ended it before it was through */
    bool is_baseline; /* the winner places every task where the baseline
                         does */
};

/* Takes the tasks of graph, no more than the slots of alloc, to its hosts, and
 * the tasks of a host to its slots; graph, alloc and what search points to are
 * borrowed until the call returns. out is empty (it is overwritten), and after
 * success ended by mapcore_result_clear; after an error it is unchanged. Where
 * results are equally good, the first one wins.
 *
 * A search is a fixed list of units of work, of which time or work leave a
 * part: results of units behind the first that was not finished are dropped. So
 * the result depends on graph, alloc, options, schedule and the number of units
 * that counted, never on the number of threads, and (work, schedule) of a
 * result repeat it anywhere. The first units, which each search names, are run
 * without regard to the time. What mapper may be:
 *
 * NULL: the portfolio, which is what a launch runs. The list: the baseline's
 * layouts (default, block, cyclic: these always count), then grid, rb, list,
 * multilevel and GreedyMap's configurations, each a unit. From 1,024 tasks on
 * the grid and a quick rb run first, one by one, on all threads, and what the
 * latter took tells what else can end in time: nothing else is begun. Where
 * time ends before quick rb does, it is cut short (schedule.cut). The list ends
 * when a tenth of the time is used up, or a fifth on a tree (what began before
 * may take longer). The result of least average hop-bytes is refined for the
 * rest of the time, or until there is no more to gain, and by TIME the slowest
 * link behind that (portfolio/rounds.h): a unit is an epoch of the refinement
 * of a large problem, a whole refinement of a small one (below 1,024 tasks), or
 * a chain of those for links. On a tree of up to 8,192 tasks TIME looks at a
 * walk behind all, which is no unit, and refines it where that is the best. The
 * best of all that came out is chosen; never one that is worse than the
 * baseline. Work without a schedule goes to the list first. Sources:
 * mapcore-mappers(7).
 *
 * "parmapper": ParMapper (Galvez, Jain, Kale, ICS 2017, section 4.2):
 * GreedyMap's configurations, each a unit, of which the first always counts.
 * Under a bound of time or work the random ones follow with ever other seeds
 * (up to 65,535) until the bound, shared out by what a run costs and how far
 * its best is from the best of all; so those with the cost of the busiest link,
 * which are dear, come in one by one. Without a bound it is up to 15 other
 * seeds while that finds something better, and then those of the busiest link.
 * The choice is always Pareto's (choose is not looked at), nothing is refined,
 * and the result may be worse than the baseline. Interrupted or not, schedule
 * of the result is all 0.
 *
 * "NAME" or "NAME:key=value,...": one mapper of the registry, with the
 * parameters that mapcore-mappers(7) lists. A unit is a run of it: the first
 * always counts, and under a bound of time or work up to 4,096 more follow with
 * other seeds, if they can differ. The best of them is the result, even if the
 * baseline is better. The tasks of a layout take the slots of a host in their
 * order.
 *
 * The same and MAPCORE_REFINED: one run of it, which always counts, refined for
 * the rest of time or work as the portfolio refines its best, with the same
 * units. The result is the best of the run and all that refinement gave, even
 * if the baseline is better.
 *
 * Errors: EINVAL (more tasks than slots, a baseline that is no mapping, options
 * out of range, a number of tasks or slots that a unit does not divide, pins
 * that no mapping meets, an unknown mapper, parameters that it does not have),
 * ENOMEM, ERANGE (a graph too large for METIS), EIO and EPARSE (a file of task
 * numbers). */
#define MAPCORE_REFINED "+refine"
MAPCORE_API int mapcore_search_run(struct mapcore_result *out,
                                   const struct mapcore_graph *graph,
                                   const struct mapcore_alloc *alloc,
                                   const char *mapper,
                                   const struct mapcore_search *search,
                                   struct mapcore_error *err);

MAPCORE_API void mapcore_result_clear(struct mapcore_result *result);

/* For who keeps mappings. The digest tells whether a search is the same as one
 * before: it depends on the graph, on hosts, slots and network of alloc, and on
 * all of search that the result depends on, not on threads and time; it is no
 * defence against who wants two of one digest. out: hexadecimal digits and a
 * NUL. O(edges + links + hosts log hosts diameter). Errors: ENOMEM. */
#define MAPCORE_DIGEST 33
MAPCORE_API int mapcore_search_digest(char out[MAPCORE_DIGEST],
                                      const struct mapcore_graph *graph,
                                      const struct mapcore_alloc *alloc,
                                      const struct mapcore_search *search,
                                      struct mapcore_error *err);
/* The result of a search whose mapping is known: host[ntasks] and slot[ntasks]
 * are checked, and the metrics are computed. candidate, is_refined, work,
 * schedule and interrupted are the caller's to set. Errors: EINVAL (no mapping,
 * or a pinned task elsewhere), ENOMEM. */
MAPCORE_API int mapcore_search_known(struct mapcore_result *out,
                                     const struct mapcore_graph *graph,
                                     const struct mapcore_alloc *alloc,
                                     const struct mapcore_search *search,
                                     const uint32_t *host,
                                     const uint32_t *slot,
                                     struct mapcore_error *err);

/* The end of a search as a place in memory, for callers in languages that
 * cannot well lend a function which every thread of a search asks. The
 * caller's, written by it while a search runs on another thread; never before
 * or after. All zero: nothing is used up, go on. */
struct mapcore_stop {
    double spent;    /* 0 .. 1, the share of the time that is used up */
    uint64_t is_set; /* not 0: end, with the best by then */
};

/* Both take such a place and are what expired and spent of struct
 * mapcore_search want, with it as expired_arg. */
MAPCORE_API bool mapcore_stop_expired(void *stop);
MAPCORE_API double mapcore_stop_spent(void *stop);

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
