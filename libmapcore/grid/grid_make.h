/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_make.h - the task graph of a Cartesian grid that is only described */
#ifndef MAPCORE_GRID_MAKE_H
#define MAPCORE_GRID_MAKE_H

#include "grid/grid.h"

/* Every task has an edge to the one a step away, where that is inside. */
struct mapcore_stencil_offset {
    int32_t step[MAPCORE_GRID_MAX_DIMS]; /* [ndims], not all 0; a step and its
                                            opposite are one: give only one */
    uint64_t bytes;                      /* both directions */
};

/* Tasks count through the grid, the first dimension fastest. */
struct mapcore_grid_design {
    uint32_t ndims;                       /* 1 .. MAPCORE_GRID_MAX_DIMS */
    uint32_t dims[MAPCORE_GRID_MAX_DIMS]; /* [ndims], each >= 1 */
    bool periodic[MAPCORE_GRID_MAX_DIMS]; /* [ndims] */
    /* Bytes between any two tasks that differ in this dimension alone: 0 where
     * it is no group. */
    uint64_t group_bytes[MAPCORE_GRID_MAX_DIMS]; /* [ndims] */
    size_t noffsets;
    const struct mapcore_stencil_offset *offset; /* [noffsets] */
};

/* Makes its graph. Steps that lead to the same task, as forwards and backwards
 * round a dimension of two, add up: so do the messages. Errors: EINVAL (a
 * number of dimensions or one of them out of range), ERANGE (more than 2^30
 * tasks, 2^26 edges, or 63 bits of bytes), ENOMEM. O(tasks * edges of one). */
MAPCORE_API int mapcore_grid_make(struct mapcore_graph **out,
                                  const struct mapcore_grid_design *design,
                                  struct mapcore_error *err);

/* A communication pattern as people write it, in their order of dimensions:
 *   grid:4x8x4x8[:periodic[=1010]][:weights=1/2/1/1][:order=last|first]
 *       [:stencil=star|box]
 * order: the dimension in which the ranks count fastest, the last (as in
 * MPI_Cart_create) unless first is said. weights: bytes to the next task in
 * each dimension, 1 unless said. In a box a task also talks to its diagonal
 * neighbours, by the least weight of the dimensions that the step goes
 * through. */
struct mapcore_pattern {
    uint32_t ndims, ntasks;
    uint32_t dims[MAPCORE_GRID_MAX_DIMS];
    bool periodic[MAPCORE_GRID_MAX_DIMS];
    uint64_t weight[MAPCORE_GRID_MAX_DIMS];
    bool first_is_fastest, is_box;
};

/* Whether text begins as a pattern does: "grid:", "llm:", "ring" or "alltoall",
 * of which mapcore-graph(5) has the words. */
MAPCORE_API bool mapcore_pattern_is(const char *text);
/* Errors: EINVAL (what is wrong, and the word), ERANGE (more than 2^30 tasks).
 */
MAPCORE_API int mapcore_pattern_parse(struct mapcore_pattern *out,
                                      const char *text,
                                      struct mapcore_error *err);
/* Parses a pattern of any kind and makes its graph, which must have ntasks
 * tasks unless that is 0. Errors: those of both; EINVAL (other numbers of
 * tasks, with both). */
MAPCORE_API int mapcore_pattern_graph(struct mapcore_graph **out,
                                      const char *text,
                                      uint32_t ntasks,
                                      struct mapcore_error *err);

#endif
