/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* best_of.h - which of several searches of one problem has found the best, by
 * what each of them chose by */
#ifndef TOOLS_BEST_OF_H
#define TOOLS_BEST_OF_H

#include "map/map.h"

/* The first of equally good ones; n > 0. By time: the least time of the slowest
 * link, then average hop-bytes, then their maximum; by hop-bytes: average, then
 * maximum, then slowest link; by Pareto's rule: the least maximum among
 * averages below alpha times the least, then average, then slowest link.
 * Metrics alone decide, in this order: not who has found them. */
size_t best_of(const struct mapcore_metrics *metrics,
               size_t n,
               enum mapcore_choice choose,
               double alpha);

#endif
