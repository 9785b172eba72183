/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* search_trace.h - what a search came to, moment by moment */
#ifndef TOOLS_DRAW_SEARCH_TRACE_H
#define TOOLS_DRAW_SEARCH_TRACE_H

#include "metric/metric.h"

#include <stddef.h>
#include <stdint.h>

/* The best mapping so far, from a moment on. */
struct search_moment {
    double seconds; /* since the search began */
    uint64_t work;  /* mappings that had been tried */
    double hops_per_byte;
};

/* Only moments when something changed; where they become too many, every other
 * one goes. Starts as all zero but start. */
enum {
    SEARCH_MOMENTS = 512,
};
struct search_trace {
    double start, seconds; /* when it began, on any clock; how long it took */
    uint64_t work;         /* in all */
    char mapper[128];      /* that the result comes from */
    size_t n;
    struct search_moment moment[SEARCH_MOMENTS];
};

/* Takes what a search tells: best NULL is nothing yet. */
void search_trace_add(struct search_trace *trace,
                      double now,
                      uint64_t work,
                      const struct mapcore_metrics *best);

#endif
