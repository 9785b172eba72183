/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stats.h - the steps of a history added up, a row a program or a user */
#ifndef TOOLS_STATS_H
#define TOOLS_STATS_H

#include "profiles/history/history_file.h"
#include "tools/learn/verdict.h"

/* What there are of steps, in the order of their words in stats_outcomes. */
enum {
    STATS_PLACED,
    STATS_KEPT,
    STATS_NOTHING,
    STATS_CONTROL,
    STATS_RECORDED,
    STATS_LEFT,
    STATS_FAILED,
    STATS_OUTCOMES,
};
extern const char *const stats_outcomes[STATS_OUTCOMES];

struct stats_row {
    const char *name; /* borrowed from the history */
    size_t users;     /* of them; 0: nobody is named */
    size_t steps, count[STATS_OUTCOMES];
    double node_hours;    /* of steps whose seconds are known */
    double placed_hours;  /* of those that were placed */
    size_t nunknown;      /* without a profile, and none later for that user
                             and number of tasks */
    double unknown_hours; /* of these */
    double mpi, ran; /* seconds in MPI, and all, of steps that tell the first */
    double links_before, links_after; /* of placed steps, on average; -1 */
    /* Of runs with the same program, arguments, size and kind of node, all such
     * groups together; shares of the time, below 0 when placed is faster. */
    size_t npairs;
    double gain, low, high; /* low, high: infinite when there are too few */
    bool is_next;           /* a profile of this one would be worth most */
};

struct stats {
    size_t n;
    struct stats_row *row; /* most node-hours first */
    bool by_user;
    double now_s;
};

/* Steps of programs without MPI do not count. What is made borrows from
 * history, which is sorted on the way, and whose names become printable.
 * Errors: ENOMEM. */
int stats_make(struct stats *out,
               struct history *history,
               double since,
               bool by_user,
               double now_s,
               struct mapcore_error *err);
void stats_clear(struct stats *stats);

void stats_print_table(const struct stats *stats);
void stats_print_csv(const struct stats *stats);
void stats_print_prometheus(const struct stats *stats);
int stats_print_json(const struct stats *stats, struct mapcore_error *err);

#endif
