/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* verdict.h - what production runs say of placing a program's ranks, and
 * whether the next run is placed, or stays as Slurm puts it, to compare with */
#ifndef TOOLS_LEARN_VERDICT_H
#define TOOLS_LEARN_VERDICT_H

#include "tools/learn/paired.h"

#include <stdint.h>

enum learn_verdict {
    LEARN_TOO_FEW, /* pairs for any verdict */
    LEARN_OPEN,    /* it may be faster or not: it is placed */
    LEARN_FASTER,  /* placed it is, beyond doubt */
    LEARN_NO_GAIN, /* it is not, by as much as LEARN_WORTH: it is left alone */
};

/* Each look at the runs is allowed to be wrong so often; they are looked at
 * when there are so many pairs, and not after each run, for who looks often
 * enough finds what he looks for. Five looks until 32 pairs: less than 1 in 20
 * together (Bonferroni). Eight is the least number of pairs that can say
 * anything at this level: all of one sign is a chance of 2 in 256. */
#define LEARN_ALPHA 0.01
#define LEARN_LEAST 8
/* Less than this share of the time is not worth moving ranks for; it is that of
 * tools/plan/gain.h. */
#define LEARN_WORTH 0.01
/* Older runs say nothing of the system of today. */
#define LEARN_DAYS 90
/* One run in so many stays, or when nothing is gained, is placed, to compare
 * with: while it is open, and then for good. Before the first verdict it is
 * every other one. */
#define LEARN_ONE_IN_OPEN 4
#define LEARN_ONE_IN      20
/* After so many runs with other arguments one whose arguments are new stays no
 * more often than that: of programs whose arguments differ each time (a seed, a
 * file's name) no two runs are ever compared, and half of them would stay. */
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

#endif
