/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* best_of.c - the best of several searches */
#include "config.h"

#include "tools/plan/best_of.h"

#include <math.h>

enum { NKEYS = 3 };

static void set_keys(double key[NKEYS],
                     const struct mapcore_metrics *metrics,
                     enum mapcore_choice choose)
{
    const double average = metrics->avg_hop_bytes;
    const double most = metrics->max_hop_bytes;
    const double link = metrics->max_link_time;

    switch (choose) {
    case MAPCORE_CHOOSE_TIME:
    case MAPCORE_CHOOSE_AUTO:
        key[0] = link;
        key[1] = average;
        key[2] = most;
        break;
    case MAPCORE_CHOOSE_PARETO:
        key[0] = most;
        key[1] = average;
        key[2] = link;
        break;
    case MAPCORE_CHOOSE_HOP_BYTES:
        key[0] = average;
        key[1] = most;
        key[2] = link;
        break;
    }
}

static bool is_less(const double a[NKEYS], const double b[NKEYS])
{
    for (int i = 0; i < NKEYS; i++)
        if (a[i] != b[i])
            return a[i] < b[i];
    return false;
}

size_t best_of(const struct mapcore_metrics *metrics,
               size_t n,
               enum mapcore_choice choose,
               double alpha)
{
    double least = INFINITY, bound, best_key[NKEYS] = {0}, key[NKEYS] = {0};
    size_t best = n;

    for (size_t i = 0; i < n; i++)
        if (metrics[i].avg_hop_bytes < least)
            least = metrics[i].avg_hop_bytes;
    bound = choose == MAPCORE_CHOOSE_PARETO ? alpha * least : INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (metrics[i].avg_hop_bytes >= bound &&
            metrics[i].avg_hop_bytes > least)
            continue;
        set_keys(key, &metrics[i], choose);
        if (best == n || is_less(key, best_key)) {
            best = i;
            for (int k = 0; k < NKEYS; k++)
                best_key[k] = key[k];
        }
    }
    return best;
}
