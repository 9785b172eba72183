/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid.h - the Cartesian grid that a task graph is made of */
#ifndef MAPCORE_GRID_H
#define MAPCORE_GRID_H

#include "graph/graph.h"

#include <stdbool.h>

/* A program with a message between any two of 2^16 hypercube neighbours has
 * that many. */
#define MAPCORE_GRID_MAX_DIMS 16

enum mapcore_grid_kind {
    MAPCORE_GRID_LINE,  /* tasks talk to those near them in the dimension */
    MAPCORE_GRID_GROUP, /* all with all, as columns with alltoall */
};

/* A displacement that the tasks of the grid have in common: for most x there
 * is an edge from x to x + step. */
struct mapcore_grid_offset {
    int32_t step[MAPCORE_GRID_MAX_DIMS]; /* [ndims]; the first that is not 0
                                            is positive; the shorter way round
                                            where a dimension is periodic */
    size_t edges;
    uint64_t bytes;
};

/* Each task has a place of its own in a box of dims; the box may have more
 * places than there are tasks. Read only. */
struct mapcore_grid {
    uint32_t ntasks, ndims;
    uint32_t dims[MAPCORE_GRID_MAX_DIMS]; /* [ndims], each >= 2 */
    bool periodic[MAPCORE_GRID_MAX_DIMS]; /* [ndims]; false for 2: there is no
                                             telling */
    enum mapcore_grid_kind kind[MAPCORE_GRID_MAX_DIMS]; /* [ndims] */
    uint32_t *coordinates;                              /* [ntasks * ndims] */
    bool by_rank; /* task t is at the mixed-radix digits of t, the
                     first dimension fastest */
    size_t noffsets;
    struct mapcore_grid_offset *offset; /* [noffsets], most bytes first;
                                           without those inside groups */
    uint64_t explained; /* bytes of edges that the grid accounts for */
    uint64_t total;     /* bytes of all edges */
};

/* A grid of given dimensions over the ranks, the first dimension fastest, as
 * the graph's edges make it. Errors: EINVAL (fewer places than tasks, a
 * dimension below 2, more than MAPCORE_GRID_MAX_DIMS or none), ENOMEM. */
MAPCORE_API int mapcore_grid_of_dims(struct mapcore_grid **out,
                                     const struct mapcore_graph *graph,
                                     uint32_t ndims,
                                     const uint32_t *dims,
                                     struct mapcore_error *err);
MAPCORE_API void mapcore_grid_destroy(struct mapcore_grid *grid);

/* "16x32px128g": the dimensions for a person, p behind those that are periodic
 * and g behind groups; like snprintf. */
MAPCORE_API int mapcore_grid_describe(const struct mapcore_grid *grid,
                                      char *buffer,
                                      size_t size);

#endif
