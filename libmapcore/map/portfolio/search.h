/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* search.h - a search under way: what its stages share, the mappings that count
 * and the best of them among it */
#ifndef MAPCORE_MAP_SEARCH_H
#define MAPCORE_MAP_SEARCH_H

#include "base/array.h"
#include "map/choose.h"
#include "map/portfolio/candidates.h"
#include "map/portfolio/schedule.h"

struct result {
    size_t candidate; /* index in the list */
    bool is_refined;  /* what that gave was refined */
    bool is_kept;     /* its hosts stay even if it cannot win any more */
    bool has_seconds; /* by all types: see rounds.h */
    double seconds;
    uint32_t *host; /* [ntasks], owned; NULL once it cannot win any more */
};

/* All 0 but rule and best: empty. */
struct results {
    struct choose_rule rule;
    double least_average;            /* no mapping has less */
    struct result *result;           /* [n] */
    struct mapcore_metrics *metrics; /* [n] */
    size_t n, result_capacity, metrics_capacity;
    size_t best; /* index, or SIZE_MAX */
    /* How many of the best, of different metrics, keep their hosts although
     * they cannot win by the rule: the last choice goes by more than metrics.
     */
    size_t finalists;
    uint64_t work; /* units so far */
    /* Called after each count, as map/map.h says; or NULL. */
    void (*progress)(void *arg,
                     uint64_t work,
                     const struct mapcore_metrics *best);
    void *progress_arg;
    /* Called with each result that is added; or NULL. */
    void (*came)(void *arg,
                 const struct result *result,
                 const struct mapcore_metrics *metrics);
    void *came_arg;
};

/* Reserves memory for n more. Errors: ENOMEM. */
int results_reserve(struct results *results,
                    size_t n,
                    struct mapcore_error *err);
/* Adds a result, for which memory was reserved, and takes over its hosts. Hosts
 * of what cannot win any more, is not kept and no finalist are freed: only
 * results on the front of the choice and these stay in memory. */
void results_add(struct results *results,
                 const struct result *result,
                 const struct mapcore_metrics *metrics);
/* Where there are more than `most`, takes out those whose hosts are gone:
 * others get other indices. The best stays the best. */
void results_forget(struct results *results, size_t most);
/* Results from number first on are not kept any more, but for `kept`; hosts of
 * what cannot win are freed. */
void results_release(struct results *results, size_t first, size_t kept);
/* Counts units of work, and calls progress. */
void results_count(struct results *results, uint64_t units);
/* The least average of the results whose hosts are still there, or SIZE_MAX. */
size_t results_least_average(const struct results *results);
/* Whether nothing can be better: all traffic stays inside hosts, or hop-bytes
 * are the least. */
bool results_are_perfect(const struct results *results);
/* Frees what results owns. */
void results_clear(struct results *results);

struct units_request;

struct search {
    int (*run)(struct mapcore_result *out, /* of a part, as a whole one */
               const struct units_request *request,
               struct mapcore_error *err);
    const struct mapcore_search *options;
    const struct schedule_stage *stages; /* [nstages] of the list */
    size_t nstages;
    struct map_problem problem;
    struct pool *pool; /* owned, or NULL: one thread */
    uint64_t seed;
    size_t limit;           /* units, or SIZE_MAX */
    struct arena arena;     /* of list, repeats, least, baseline */
    struct candidate *list; /* [nlist] */
    size_t nlist;
    bool *repeats;      /* [nlist] other passes may give other results */
    double *least;      /* [nlist] the best average of each; negative: none */
    uint32_t *baseline; /* [ntasks] */
    struct mapcore_metrics baseline_metrics;
    /* Of the baseline once its pins are settled: what is chosen is no worse. */
    struct mapcore_metrics settled_metrics;
    bool keeps_layout;    /* a layout's tasks take slots in their order */
    bool refines;         /* the best are refined after the list */
    bool is_part;         /* of another search, which goes on itself */
    bool begins_clusters; /* that begins with clusters: not on a tree */
    bool skips_clusters;  /* but for lack of time does not */
    bool goes_on; /* it is through, and time is left: rounds by hops are long */
    bool has_turned; /* refinement had time for refine_rotation */
    /* Shares of the time that the certain ones took, and that the first good
     * mapping took or would have taken on one thread: what all else is measured
     * by. 0: not known. */
    double certain_share, first_share;
    struct results results;
    struct mapcore_schedule schedule;
    double moves_end; /* the share of the time that ends the moves at hand */
    bool interrupted; /* time or work ended a stage early */
    bool agrees;      /* mappers do, on what takes agreed_time */
    bool is_settled;  /* nor has a round found anything better */
    double agreed_time;
    /* What the time is of, by which is chosen, or NULL; its own is the graph's
     * links alone. */
    const struct mapcore_workload *workload;
    struct mapcore_workload links_alone;
    struct mapcore_work_type links;
    struct phase_tables *tables; /* owned, or NULL: see rounds.h */
};

/* The share of the time that is used up; 0 where there is no bound. */
static inline double search_spent(const struct search *search)
{
    const struct mapcore_search *options = search->options;

    return options->spent ? options->spent(options->expired_arg) : 0;
}

/* Where it goes by time, from the best, and from what the average has come to,
 * which hosts hold what belongs together (host_moves.c). Errors: ENOMEM. */
int host_moves_refine(struct search *search, struct mapcore_error *err);
/* The same from the baseline's hosts, by the time of types. */
int host_moves_start(struct search *search, struct mapcore_error *err);

/* The first part (starts.c): runs the stages of the list until they are through
 * or interrupted, and adds every run that counts to the results; there is one
 * at least on success. Errors: ENOMEM, and those of METIS (partition.h). */
int starts_run(struct search *search, struct mapcore_error *err);

/* Sets what no mapping has less of (through.c), of problems that are not large:
 * every task has its heaviest edges to the nearest slots. Errors: ENOMEM. */
int through_bound(struct search *search, struct mapcore_error *err);
/* Whether a search that ends early, of few tasks on a tree or torus, may end
 * if the first round betters nothing. */
bool through_agree(struct search *search);

#endif
