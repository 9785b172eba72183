/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* summary.h - the steps of a history added up, a row a program or a user */
#ifndef TOOLS_SUMMARY_H
#define TOOLS_SUMMARY_H

#include "profiles/history/history_file.h"
#include "tools/table/table.h"

enum {
    SUMMARY_PLACED,
    SUMMARY_KEPT,
    SUMMARY_NOTHING,
    SUMMARY_CONTROL,
    SUMMARY_RECORDED,
    SUMMARY_LEFT,
    SUMMARY_FAILED,
    SUMMARY_OUTCOMES,
};
extern const char *const summary_outcomes[SUMMARY_OUTCOMES];

/* Numbers that are not known are NAN. */
struct summary_row {
    const char *name; /* borrowed from the history */
    size_t users;     /* of them; 0: nobody is named */
    size_t steps, count[SUMMARY_OUTCOMES];
    double node_hours;   /* of steps whose seconds are known */
    double placed_hours; /* of those that were placed */
    /* Of steps without a profile, and none later for that user and number of
     * tasks. */
    size_t nunknown;
    double unknown_hours;
    double mpi_share; /* of the seconds of steps whose time in MPI is known */
    double links_before, links_after; /* of placed steps, on average */
    /* Shares of the time, below 0 when placed is faster, of groups of runs with
     * the same program, arguments, size and kind of node. */
    size_t npairs;
    double gain, low, high; /* low, high: infinite when there are too few */
    bool is_next;           /* a profile of this one would be worth most */
};

struct summary {
    size_t n;
    struct summary_row *row; /* most node-hours first */
    bool by_user;
};

/* Steps of programs without MPI do not count. The summary borrows from history,
 * which is sorted, and whose names become printable. Errors: ENOMEM. */
int summary_make(struct summary *out,
                 struct history *history,
                 bool by_user,
                 struct mapcore_error *err);

/* As a table of text, or for Prometheus, or of CSV, or as JSON Lines. Errors:
 * EIO, ENOMEM, ENOTSUP. */
int summary_print(const struct summary *summary,
                  enum table_form form,
                  bool is_prometheus,
                  struct mapcore_error *err);

#endif
