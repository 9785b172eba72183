/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* search_trace.h - what a search came to, moment by moment */
#ifndef TOOLS_DRAW_SEARCH_TRACE_H
#define TOOLS_DRAW_SEARCH_TRACE_H

#include "metric/metric.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SEARCH_MAPPER = 48,
    SEARCH_TICKS = 200, /* further mappings of a mapper are counted */
    SEARCH_LANES = 16,  /* further mappers are left out */
};

/* The best mapping so far, from a moment on. */
struct search_moment {
    double seconds; /* since the search began */
    uint64_t work;  /* mappings that had been tried */
    double hops_per_byte;
    char mapper[SEARCH_MAPPER]; /* whose it is; "" where that is not known */
};

/* All mappings of one mapper, whatever its parameters were. */
struct search_lane {
    char mapper[SEARCH_MAPPER]; /* "rb", "rb, refined" */
    double best;                /* hops per byte */
    uint32_t n;
    size_t nticks;
    struct search_tick {
        double seconds, hops_per_byte;
    } tick[SEARCH_TICKS];
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
    size_t nlanes;
    struct search_lane lane[SEARCH_LANES];
    /* The last mapping that came, which may be the best by the next moment. */
    char last[SEARCH_MAPPER];
    double last_hops;
};

/* Takes what a search tells: best NULL is nothing yet. */
void search_trace_add(struct search_trace *trace,
                      double now,
                      uint64_t work,
                      const struct mapcore_metrics *best);

/* Takes one mapping, of candidate as a result has it. */
void search_trace_came(struct search_trace *trace,
                       double now,
                       const char *candidate,
                       bool is_refined,
                       const struct mapcore_metrics *metrics);

#endif
