/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* planner_earlier.h - the earlier runs of a program that is learnt from, as the
 * user's history has them */
#ifndef TOOLS_PLANNER_EARLIER_H
#define TOOLS_PLANNER_EARLIER_H

#include "profiles/history/history_evaluation.h"
#include "tools/learn/learn.h"
#include "tools/plan/planner/planner.h"

struct planner_earlier {
    struct history history;
    struct history_line launch; /* this one; program NULL: nothing is known */
    /* What came of them before, and is kept beside the history. */
    struct history_evaluation kept;
    struct mapcore_error broken; /* why it is not read; "": it is */
    /* What they come to now, set where it is found out; for the next launch. */
    bool is_decided;
    struct learn_decision decision;
    const char *holder; /* the graph that is best so far, or NULL; borrowed */
};

/* They are read once, after the profile is found, and are the planner's. NULL:
 * no memory. */
const struct planner_earlier *planner_earlier_know(struct planner *planner);

/* Whether a step can be compared with this launch, and how; where it was
 * placed, only by the same version of the profile. */
bool planner_earlier_run(struct learn_run *out,
                         const struct history_line *step,
                         const struct planner *planner);
/* All such runs; *runs is owned. Errors: ENOMEM. */
int planner_earlier_runs(struct learn_run **runs,
                         size_t *n,
                         const struct planner *planner,
                         struct mapcore_error *err);

/* How many runs of the last LEARN_DAYS could be compared with this launch, but
 * for their arguments. */
size_t planner_earlier_others(const struct planner *planner);

/* What is to be kept of them from now on: *out->run is owned, all else is
 * borrowed. False: it is not worth writing, since nothing was decided, or the
 * file that is there knows nearly all of it. */
bool planner_earlier_evaluate(struct history_evaluation *out,
                              const struct planner *planner);

/* A number of this step and seed, another for each purpose. */
uint64_t planner_earlier_lot(const struct planner *planner,
                             const char *purpose);

#endif
