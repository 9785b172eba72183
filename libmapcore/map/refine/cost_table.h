/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cost_table.h - what every vertex of a small region would come to on every
 * host: a change is looked up there, and only one that is made costs more */
#ifndef MAPCORE_MAP_COST_TABLE_H
#define MAPCORE_MAP_COST_TABLE_H

#include "map/refine/region.h"

/* As for quadratic assignment since Taillard (1991) and Connolly (1990). All
 * numbers are integers below 2^53, so that doubles, of which processors add
 * several at once, are exact. */
struct cost_table {
    uint32_t n, stride; /* hosts, rounded up to a multiple of COST_STRIDE */
    bool is_valid;      /* cost is of the hosts as they are */
    double *cost;       /* [n * stride] hop-bytes of a vertex on a host */
    double *distance;   /* [nhosts * stride] */
    double *way;        /* [stride], spare */
    int32_t *bytes;     /* [n * n], of the edge between two */
};
#define COST_STRIDE 8

/* The arena's; NULL for a region that has too many vertices or hosts, or too
 * many bytes to be exact, or without memory. Not valid in the beginning. */
struct cost_table *cost_table_make(const struct region *region,
                                   struct arena *arena);

/* Makes it valid. O(edges * hosts). */
void cost_table_fill(struct cost_table *table, const struct region *region);

/* What it adds when t, on host a, goes to host b and u (or MAPCORE_NONE) from
 * there to a. */
static inline double cost_table_added(const struct cost_table *table,
                                      uint32_t t,
                                      uint32_t a,
                                      uint32_t u,
                                      uint32_t b)
{
    const double *of_t = table->cost + (size_t)t * table->stride, *of_u;
    double sum = of_t[b] - of_t[a];

    if (u == MAPCORE_NONE)
        return sum;
    of_u = table->cost + (size_t)u * table->stride;
    /* Each of the two counts the edge between them as gone. */
    return sum + (of_u[a] - of_u[b]) +
           2 * (double)table->bytes[(size_t)t * table->n + u] *
               table->distance[(size_t)a * table->stride + b];
}

/* That change has been made. O(degree * hosts). */
void cost_table_change(struct cost_table *table,
                       const struct region *region,
                       uint32_t t,
                       uint32_t a,
                       uint32_t u,
                       uint32_t b);

#endif
