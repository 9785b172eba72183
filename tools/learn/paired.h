/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* paired.h - by how much runs of one kind are faster than their neighbours in
 * time of the other kind, with a confidence interval */
#ifndef TOOLS_LEARN_PAIRED_H
#define TOOLS_LEARN_PAIRED_H

#include "profiles/history/history_line.h"

#include <stdbool.h>
#include <stddef.h>

/* A run, all of one program, size, arguments and kind of node. */
struct learn_run {
    double at_s;    /* when it began */
    double seconds; /* above 0 */
    bool placed;    /* else it stayed as Slurm put it */
};

/* Whether a step can be compared at all, and how: it was placed, or was not
 * though it could have been, and how long it ran is known. Steps are of one
 * kind where history_line_order has them equal. */
bool learn_run_take(struct learn_run *out, const struct history_line *step);

/* At most so many neighbours stand against one run. */
#define LEARN_NEIGHBOURS 4

/* Compares each run of the kind that there are fewer of with the neighbours of
 * the other kind that are nearer to it than to any other of the first kind, at
 * most LEARN_NEIGHBOURS of them, so that no run counts twice, and what changes
 * slowly on a machine cancels out. (*out)[*n], owned, in the order of time:
 * log(placed) less log(unplaced), of the neighbours the mean. Runs of less than
 * a third or more than three times the median of all are left out: they failed,
 * or were something else. O(n log n). Errors: ENOMEM. */
int learn_pair(double **out,
               size_t *n,
               const struct learn_run *runs,
               size_t nruns,
               struct mapcore_error *err);

/* Where differences lie. */
struct learn_shift {
    size_t n;
    double estimate; /* 0 without any */
    double low,
        high; /* of the interval; infinite where n is too small for it */
};

/* The most differences that are taken; more is ERANGE. */
#define LEARN_PAIRS_MOST 128

/* The estimate is the median of all Walsh averages (Hodges and Lehmann, Annals
 * of Mathematical Statistics 34, 1963); the interval, which holds the true
 * shift with a probability of at least 1 - alpha where differences are
 * symmetric about it, is that of Wilcoxon's signed-rank test (Biometrics
 * Bulletin 1, 1945) by its exact distribution: Hollander and Wolfe,
 * Nonparametric Statistical Methods, chapter 3. Up to 29% of wild values move
 * the estimate little. O(n^2 log n). Errors: ERANGE, ENOMEM. */
int learn_shift_find(struct learn_shift *out,
                     const double *difference,
                     size_t n,
                     double alpha,
                     struct mapcore_error *err);

#endif
