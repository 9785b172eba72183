/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* learn.h - by how much placed runs are faster than those beside them, with a
 * confidence interval; whether the next run is placed, or stays as Slurm puts
 * it, to compare with; and by which of a profile's task graphs */
#ifndef TOOLS_LEARN_H
#define TOOLS_LEARN_H

#include "profiles/history/history_line.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* The most neighbours that stand against one run. */
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

enum learn_verdict {
    LEARN_TOO_FEW, /* pairs for any verdict */
    LEARN_OPEN,    /* it may be faster or not: it is placed */
    LEARN_FASTER,  /* placed it is, beyond doubt */
    LEARN_NO_GAIN, /* it is not, by as much as LEARN_WORTH: it is left alone */
};

/* Each look at the runs is allowed to be wrong so often; they are looked at
 * when there are these numbers of pairs, and not after each run, for who looks
 * often enough finds what he looks for. Five looks until 32 pairs: less than 1
 * in 20 together (Bonferroni). Eight is the least number of pairs that can say
 * anything at this level: all of one sign is a chance of 2 in 256. */
#define LEARN_ALPHA 0.01
#define LEARN_LEAST 8
/* Less than this share of the time is not worth moving ranks for; it is that of
 * tools/plan/gain.h. */
#define LEARN_WORTH 0.01
/* Older runs say nothing of the system of today. */
#define LEARN_DAYS 90
/* One run in this number stays, or when nothing is gained, is placed, to
 * compare with: while it is open, and then for good. Before the first verdict
 * it is every other one. */
#define LEARN_ONE_IN_OPEN 4
#define LEARN_ONE_IN      20
/* After this number of runs with other arguments one whose arguments are new
 * stays no more often than that: of programs whose arguments differ each time
 * (a seed, a file's name) no two runs are ever compared, and half of them would
 * stay. */
#define LEARN_OTHERS 16

struct learn_decision {
    enum learn_verdict verdict;
    struct learn_shift
        shift;     /* of logarithms, at the last look; n: its pairs */
    size_t npairs; /* that there are by now */
    bool places;   /* the next run */
};

/* The next run. lot: any number that is another for each run, such as a hash of
 * its job: the same runs and lot decide the same. */
struct learn_next {
    double at_s;
    uint64_t lot;
};

/* runs[n]: of one program, size, arguments and kind of node, in any order;
 * those of the last LEARN_DAYS before next count. Errors: ENOMEM. */
int learn_decide(struct learn_decision *out,
                 const struct learn_run *runs,
                 size_t n,
                 const struct learn_next *next,
                 struct mapcore_error *err);

/* "faster", for machines; static. */
const char *learn_verdict_name(enum learn_verdict verdict);

/* A placed run of one program, size, arguments, kind of node and profile. */
struct learn_graph_run {
    double at_s, seconds;
    size_t graph; /* by which it was placed */
};

struct learn_race {
    size_t holder;     /* the best graph so far */
    size_t challenger; /* the one it is compared with; holder: there is none */
    size_t graph;      /* of the next run: one of these two */
    size_t beaten;     /* whom the holder has beaten; holder: it is the first */
    struct learn_decision
        open; /* of challenger against holder, where both are */
    struct learn_decision won; /* of holder against beaten, the same */
};

/* The pairs at which an open race is over, and the most graphs that race. */
#define LEARN_RACE_PAIRS  24
#define LEARN_GRAPHS_MOST 8

/* Graphs 0 .. ngraphs - 1 race one after the other, and who is shown to be no
 * better drops out (Maron and Moore, Hoeffding Races, NIPS 6, 1994; with a
 * paired rank test in the place of their bound, as in Birattari et al., A
 * Racing Algorithm for Configuring Metaheuristics, GECCO 2002): graph 0 holds
 * until another is faster beyond doubt, as learn_decide sees it, which then
 * holds. Who gains nothing, or is open after LEARN_RACE_PAIRS pairs, is not
 * tried again until its runs are older than LEARN_DAYS. ngraphs >= 1; runs in
 * any order; those of other graphs are left out. Errors: ENOMEM. */
int learn_race_decide(struct learn_race *out,
                      const struct learn_graph_run *runs,
                      size_t n,
                      size_t ngraphs,
                      const struct learn_next *next,
                      struct mapcore_error *err);

#endif
