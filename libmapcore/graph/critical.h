/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* critical.h - which types of call matter: the critical types C* */
#ifndef MAPCORE_GRAPH_CRITICAL_H
#define MAPCORE_GRAPH_CRITICAL_H

#include "base/error.h"

#include <stdbool.h>

/* The share of communication time that C* makes up where nobody says. */
#define MAPCORE_CRITICAL_SHARE 0.9

/* Finds the critical types C* among n types of call (Galvez, Jain, Kale,
 * ICS'17, section 4.1.1): first the large collectives go, then the heaviest
 * types are taken until together they have at least `share` of the time of
 * those that are left. seconds[n]: time spent in each; is_large[n]: collectives
 * over a substantial part of the tasks; critical[n]: set for each type. The
 * paper speaks of a share of the total communication time: here the large
 * collectives are not counted in it, since with much time in them no set of
 * the others could reach it. Types of equal time are taken in the order of
 * their index; when none took any time (a profile without a clock), all that
 * are not large are critical. n is small: the time is O(n^2). Errors: EINVAL (a
 * time that is negative or no number; a share that is not above 0 and at most
 * 1). */
MAPCORE_API int mapcore_critical_select(bool *critical,
                                        const double *seconds,
                                        const bool *is_large,
                                        size_t n,
                                        double share,
                                        struct mapcore_error *err);

#endif
