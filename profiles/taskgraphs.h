/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* taskgraphs.h - the task graphs of a profile: its critical types, and the sums
 * over them */
#ifndef PROFILES_TASKGRAPHS_H
#define PROFILES_TASKGRAPHS_H

#include "profiles/profile.h"

#include "graph/graph.h"

/* Where a type stands. */
enum taskgraphs_role {
    TASKGRAPHS_CRITICAL, /* one of C* */
    TASKGRAPHS_LIGHT,    /* the others make up the share without it */
    TASKGRAPHS_LARGE,    /* only by communicators of too many tasks */
    TASKGRAPHS_PAIRLESS, /* nothing was sent that has a sender and a receiver */
};

/* The critical types C* of a profile (Galvez, Jain, Kale, ICS'17, section
 * 4.1.1). Time in large collectives does not count: they are those that the
 * recorder kept no pairs of, on communicators of more than large_share of the
 * tasks where the profile tells their sizes. */
struct taskgraphs {
    const struct profile *profile; /* borrowed */
    double share;
    enum taskgraphs_role *role; /* [ntypes] */
    double *seconds; /* [ntypes], without what large collectives took */
    double total;    /* of all types, large or not */
    double counted;  /* the sum of seconds[] */
    size_t ncritical;
};

/* Errors: EINVAL (a share that is not above 0 and at most 1), ENOMEM. */
int taskgraphs_select(struct taskgraphs *out,
                      const struct profile *profile,
                      double share,
                      struct mapcore_error *err);
void taskgraphs_clear(struct taskgraphs *graphs);

/* Whether C* is empty because the collectives are of most tasks: no layout is
 * better for them than another. */
bool taskgraphs_gain_nothing(const struct taskgraphs *graphs);

/* Makes the graph called name, of the profile in folder: "sum" and
 * "weighted-sum" are over C*, "all" adds up the graph of every type, of
 * any time, and any other name is a type, critical or not. Errors: as
 * profile_graph; ENOENT also when C* is empty, with the reason. */
int taskgraphs_make(struct mapcore_graph **out,
                    const struct taskgraphs *graphs,
                    const char *folder,
                    const char *name,
                    struct mapcore_error *err);

/* Whether name is one of the sums. */
bool taskgraphs_is_sum(const char *name);

/* In a few words why a type is not in C*, for people; NULL: it is. Borrowed
 * from the profile. */
const char *taskgraphs_why_not(const struct taskgraphs *graphs, size_t type);

#endif
