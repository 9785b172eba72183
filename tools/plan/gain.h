/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gain.h - whether ranks are worth moving: by the metrics, and as one MPI job
 */
#ifndef TOOLS_GAIN_H
#define TOOLS_GAIN_H

#include "launch/plan.h"
#include "tools/search/timed_search.h"

#include <stdbool.h>

/* Less than this share of a number is not worth moving ranks for: sums in
 * another order and ranks that are no longer consecutive cost more. */
#define GAIN_LEAST 0.01

struct gain {
    enum mapcore_plan_decision by; /* NOTHING: Slurm's own layout is kept */
    double before, after;          /* that number */
    bool is_slower; /* the slowest link, or all types: never used */
};

/* The first of these numbers that is at least GAIN_LEAST less than under the
 * baseline: the time of the slowest link; average hop-bytes; with the rule of
 * Pareto their maximum; hop-bytes inside nodes, where it is known what a node
 * is. None counts where the slowest link needs longer than under the baseline,
 * or where the estimate of the result, the second one, is more than that of the
 * baseline, the first; and none but the first where there are more
 * hop-bytes. */
struct gain gain_find(const struct mapcore_result *result,
                      enum mapcore_choice choice,
                      const double estimate[2]);

/* By how much, a share of it, an estimate of a profile's types must be less on
 * a network: more than it is off by there. On fat trees, which are full of
 * conflicts that depend on cables and moments, mappings that were said to gain
 * 1 to 15% took 0.97 of the time on average when simulated, and 4 of 9 longer
 * than Slurm's own layout, of 49 said to gain more none; on other networks 0.92
 * of it and 1 of 20, a sweep, and of 156 none. Where
 * far more was recorded than bytes need, of sweeps on trees said to gain 13 and
 * 22% both were slower, by 4 and 27%. Where
 * messages spread over several routes, mappings said to be 2.0 times as fast
 * were 1.6 when played, and one of 59, said to gain 3%, was slower. */
double gain_least_on(const struct mapcore_topo *topo,
                     enum mapcore_routing routing,
                     bool is_latent);
/* The same where there are types: the estimate alone decides, by `least` or
 * more, and after it, where it is the same, hop-bytes inside nodes. */
struct gain gain_find_by_time(const struct mapcore_result *result,
                              const double estimate[2],
                              double least);

/* Whether a time is longer than another, but for rounding. */
bool gain_is_longer(double time, double than);

/* Whether ranks that were one job's under the type recorded are programs of one
 * rank each under the type now; types as SLURM_MPI_TYPE has them, NULL: not
 * known, and nothing is lost. */
bool mpi_type_is_lost(const char *recorded, const char *now);

#endif
