/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* choose.c - which candidate is best: ICS'17 section 4.2, or one criterion */
#include "config.h"

#include "map/choose.h"

#include <math.h>

enum mapcore_choice choose_settled(enum mapcore_choice choice)
{
    return choice == MAPCORE_CHOOSE_AUTO ? MAPCORE_CHOOSE_TIME : choice;
}

/* Orders by up to three numbers, the most important one first. */
static int compare(const double a[3], const double b[3])
{
    for (int i = 0; i < 3; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* The numbers by which a rule orders what it does not leave out. */
static void keys(double out[3],
                 const struct choose_rule *rule,
                 const struct mapcore_metrics *metrics)
{
    double average = metrics->avg_hop_bytes, maximum = metrics->max_hop_bytes;
    double link = metrics->max_link_time;

    switch (rule->choice) {
    case MAPCORE_CHOOSE_HOP_BYTES:
        out[0] = average, out[1] = maximum, out[2] = link;
        break;
    case MAPCORE_CHOOSE_AUTO:
    case MAPCORE_CHOOSE_PARETO:
        out[0] = maximum, out[1] = average, out[2] = link;
        break;
    case MAPCORE_CHOOSE_TIME:
        out[0] = link, out[1] = average, out[2] = maximum;
        break;
    }
}

bool choose_left_out(const struct choose_rule *rule,
                     const struct mapcore_metrics *metrics)
{
    if (!rule->baseline)
        return false;
    switch (rule->choice) {
    case MAPCORE_CHOOSE_AUTO:
    case MAPCORE_CHOOSE_PARETO:
        /* Fewer hops over a slower link ran up to 16% longer than the
         * baseline. */
        return metrics->avg_hop_bytes > rule->baseline->avg_hop_bytes ||
               metrics->max_link_time > rule->baseline->max_link_time;
    case MAPCORE_CHOOSE_TIME:
        return metrics->max_link_time > rule->baseline->max_link_time;
    case MAPCORE_CHOOSE_HOP_BYTES:
        break;
    }
    return false;
}

/* h_0 of the paper. */
static double least_average(const struct choose_rule *rule,
                            const struct mapcore_metrics *metrics,
                            size_t n)
{
    double least = -1;

    for (size_t i = 0; i < n; i++)
        if (!choose_left_out(rule, &metrics[i]) &&
            (least < 0 || metrics[i].avg_hop_bytes < least))
            least = metrics[i].avg_hop_bytes;
    return least;
}

/* Below how many times the least average a candidate is to stay; 0: any may be
 * chosen. */
static double limit_of(const struct choose_rule *rule)
{
    return rule->choice == MAPCORE_CHOOSE_PARETO ? rule->alpha
           : rule->choice == MAPCORE_CHOOSE_TIME ? rule->link_alpha
                                                 : 0;
}

/* Whether the average lets a candidate take part in the choice. */
static bool close_enough(const struct choose_rule *rule,
                         const struct mapcore_metrics *metrics,
                         double least)
{
    const double limit = limit_of(rule);

    return limit == 0 || metrics->avg_hop_bytes == least ||
           metrics->avg_hop_bytes < limit * least;
}

bool choose_is_before(const struct choose_rule *rule,
                      const struct mapcore_metrics *a,
                      const struct mapcore_metrics *b)
{
    double a_keys[3], b_keys[3];

    keys(a_keys, rule, a);
    keys(b_keys, rule, b);
    return compare(a_keys, b_keys) < 0;
}

double choose_most_average(const struct choose_rule *rule,
                           const struct mapcore_metrics *metrics,
                           size_t n)
{
    double most;

    if (limit_of(rule) == 0)
        return INFINITY;
    most = limit_of(rule) * least_average(rule, metrics, n);
    return rule->choice == MAPCORE_CHOOSE_PARETO && rule->baseline &&
                   rule->baseline->avg_hop_bytes < most
               ? rule->baseline->avg_hop_bytes
               : most;
}

size_t choose_best(const struct choose_rule *rule,
                   const struct mapcore_metrics *metrics,
                   size_t n)
{
    double least = least_average(rule, metrics, n);
    double best_keys[3], own_keys[3];
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < n; i++) {
        if (choose_left_out(rule, &metrics[i]) ||
            !close_enough(rule, &metrics[i], least))
            continue;
        keys(own_keys, rule, &metrics[i]);
        if (best == SIZE_MAX || compare(own_keys, best_keys) < 0) {
            best = i;
            for (int k = 0; k < 3; k++)
                best_keys[k] = own_keys[k];
        }
    }
    return best;
}

/* Whether b can never be chosen while a is there: a is as good in average and
 * maximum, and comes first in the order of the rule. */
static bool dominates(const struct choose_rule *rule,
                      const struct mapcore_metrics *metrics,
                      size_t a,
                      size_t b)
{
    double a_keys[3], b_keys[3];
    int order;

    if (metrics[a].avg_hop_bytes > metrics[b].avg_hop_bytes ||
        metrics[a].max_hop_bytes > metrics[b].max_hop_bytes)
        return false;
    keys(a_keys, rule, &metrics[a]);
    keys(b_keys, rule, &metrics[b]);
    order = compare(a_keys, b_keys);
    return order < 0 || (order == 0 && a < b);
}

bool choose_may_win(const struct choose_rule *rule,
                    const struct mapcore_metrics *metrics,
                    size_t n,
                    size_t i)
{
    if (limit_of(rule) == 0)
        return choose_best(rule, metrics, n) == i;
    if (choose_left_out(rule, &metrics[i]) ||
        !close_enough(rule, &metrics[i], least_average(rule, metrics, n)))
        return false;
    for (size_t j = 0; j < n; j++)
        if (j != i && !choose_left_out(rule, &metrics[j]) &&
            dominates(rule, metrics, j, i))
            return false;
    return true;
}
