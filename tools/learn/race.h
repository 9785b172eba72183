/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* race.h - which of a profile's task graphs the next placed run is laid out by,
 * by what production runs say */
#ifndef TOOLS_LEARN_RACE_H
#define TOOLS_LEARN_RACE_H

#include "tools/learn/verdict.h"

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

/* An open race is over at so many pairs; so many graphs race at most. */
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
