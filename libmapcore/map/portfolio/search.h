/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* search.h - a search under way: what its stages share */
#ifndef MAPCORE_MAP_SEARCH_H
#define MAPCORE_MAP_SEARCH_H

#include "base/array.h"
#include "map/portfolio/candidates.h"
#include "map/portfolio/results.h"
#include "map/portfolio/schedule.h"

struct search {
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
    bool has_turned;      /* refinement had time for refine_rotation */
    /* Shares of the time that the certain ones took, and that the first good
     * mapping took or would have taken on one thread: what all else is measured
     * by. 0: not known. */
    double certain_share, first_share;
    struct results results;
    struct mapcore_schedule schedule;
    bool interrupted;            /* time or work ended a stage early */
    struct phase_tables *tables; /* owned, or NULL: see last_choice.h */
};

/* The share of the time that is used up; 0 where there is no bound. */
static inline double search_spent(const struct search *search)
{
    const struct mapcore_search *options = search->options;

    return options->spent ? options->spent(options->expired_arg) : 0;
}

/* The first part (starts.c): runs the stages of the list until they are through
 * or interrupted, and adds every run that counts to the results; there is one
 * at least on success. Errors: ENOMEM, and whatever METIS gives (partition.h).
 */
int starts_run(struct search *search, struct mapcore_error *err);

#endif
