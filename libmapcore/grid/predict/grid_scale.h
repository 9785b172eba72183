/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_scale.h - the task graph of a program at a size that was not
 * recorded, from the grids that it was at others */
#ifndef MAPCORE_GRID_SCALE_H
#define MAPCORE_GRID_SCALE_H

#include "grid/grid.h"
#include "grid/predict/grid_mpi.h"

/* A prediction. */
struct mapcore_scaled {
    struct mapcore_graph *graph; /* owned by the caller */
    uint32_t ndims;
    uint32_t dims[MAPCORE_GRID_MAX_DIMS]; /* [ndims], the first fastest */
    bool periodic[MAPCORE_GRID_MAX_DIMS]; /* [ndims] */
    char rule[80];                        /* by which dims were made */
    /* [ndims] The bytes of a face shrink with the number of tasks along this
     * dimension: the whole extent is the same at all sizes. */
    bool strong[MAPCORE_GRID_MAX_DIMS];
    double explained; /* the least share of bytes, over the sizes, that the
                         prediction for a known size has right */
};

/* Predicts the graph of ntasks tasks from graphs[ngraphs] of other numbers of
 * tasks, each larger than the one before. All must be grids that the ranks
 * count through, of which one rule makes the dimensions: of those that explain
 * all sizes, in this order, MPI_Dims_create (smallest dimension fastest, as
 * MPI_Cart_create makes it; then reversed), with one dimension fixed, and a
 * fixed aspect; from one size alone, only the first. What is predicted for the
 * known sizes themselves must have 90% of the bytes of each where they are: of
 * each edge the lesser of its shares in both graphs counts. At least one has 8
 * tasks; groups are dimensions of 6 up. A dimension that is nowhere larger than
 * 2 is taken to be periodic as all others are. Weights: per task constant from
 * one size; from more, those of dimensions, if any, along which the faces
 * shrink, that fit the recorded bytes best, up to a factor per size (programs
 * run for different numbers of iterations); they are those of the largest
 * graph, scaled. Errors: ENOENT (no prediction: err says why), EINVAL (no
 * graph; no ascending sizes), ERANGE, ENOMEM. Time as mapcore_grid_find's for
 * each. */
MAPCORE_API int mapcore_grid_scale(struct mapcore_scaled *out,
                                   const struct mapcore_graph *const *graphs,
                                   size_t ngraphs,
                                   uint32_t ntasks,
                                   enum mapcore_scale_mpi mpi,
                                   struct mapcore_error *err);

#endif
