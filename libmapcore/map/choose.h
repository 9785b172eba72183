/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* choose.h - which candidate is best; pure functions over their metrics */
#ifndef MAPCORE_MAP_CHOOSE_H
#define MAPCORE_MAP_CHOOSE_H

#include "map/map.h"

/* The choice that AUTO stands for; any other is itself. */
enum mapcore_choice choose_settled(enum mapcore_choice choice);

struct choose_rule {
    enum mapcore_choice choice; /* never AUTO */
    double alpha;               /* >= 1, for MAPCORE_CHOOSE_PARETO */
    double link_alpha; /* the same for MAPCORE_CHOOSE_TIME; 0: no limit */
    /* Metrics of the baseline, or NULL. With it PARETO leaves out candidates
     * with a higher average or a slower slowest link, TIME those with a slower
     * slowest link. */
    const struct mapcore_metrics *baseline;
};

/* Index of the best of metrics[n], or SIZE_MAX when every one is left out
 * (never when the baseline itself is among them). PARETO: the least maximum
 * among those whose average is the least or below alpha times it (with alpha
 * = 1 the least average alone); ties by average, which is what puts the
 * winner on the Pareto front, then busiest link, then index. TIME: the least
 * time of the slowest link among those below link_alpha times the least
 * average. */
size_t choose_best(const struct choose_rule *rule,
                   const struct mapcore_metrics *metrics,
                   size_t n);

/* Whether the rule refuses a mapping, even without another: it is
 * worse than the baseline. */
bool choose_left_out(const struct choose_rule *rule,
                     const struct mapcore_metrics *metrics);

/* Whether a comes before b by the rule's own numbers, as if they were all there
 * is. */
bool choose_is_before(const struct choose_rule *rule,
                      const struct mapcore_metrics *a,
                      const struct mapcore_metrics *b);

/* The average hop-bytes up to which a mapping beside metrics[n] can be chosen
 * by PARETO, or TIME with a limit; else INFINITY. O(n). */
double choose_most_average(const struct choose_rule *rule,
                           const struct mapcore_metrics *metrics,
                           size_t n);

/* Whether metrics[i] is the best of the n or may become it when more are
 * added behind: who cannot need not be kept. O(n). */
bool choose_may_win(const struct choose_rule *rule,
                    const struct mapcore_metrics *metrics,
                    size_t n,
                    size_t i);

#endif
