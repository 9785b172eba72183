/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_fit.h - the same grid at several sizes: its steps, and how their bytes
 * go with its dimensions; inside grid */
#ifndef MAPCORE_GRID_FIT_H
#define MAPCORE_GRID_FIT_H

#include "grid/grid_make.h"

/* A graph taken as a grid of given dimensions, each >= 1. */
struct grid_view {
    struct mapcore_grid *grid; /* owned; its offsets: regular ones only */
    uint64_t group_bytes[MAPCORE_GRID_MAX_DIMS]; /* all pairs, summed */
    double share;                                /* of the bytes, of both */
    double length;                               /* grid_mean_step */
};

/* Errors: ENOMEM. */
int grid_view_open(struct grid_view *out,
                   const struct mapcore_graph *graph,
                   uint32_t ndims,
                   const uint32_t *dims,
                   struct mapcore_error *err);
void grid_view_clear(struct grid_view *view);

/* The mean of |step| over dimensions and bytes of all offsets; 1 for none. */
double grid_mean_step(const struct mapcore_grid *grid);

/* A step of the stencil, or the pairs of a group (group < ndims). */
struct grid_class {
    int32_t step[MAPCORE_GRID_MAX_DIMS];
    uint32_t group;
    size_t at; /* the largest size that has it */
};

struct grid_fit {
    const struct grid_view *const *view; /* [n], borrowed */
    size_t n;
    bool periodic[MAPCORE_GRID_MAX_DIMS], group[MAPCORE_GRID_MAX_DIMS];
    bool strong[MAPCORE_GRID_MAX_DIMS];
    size_t nclasses, capacity;
    struct grid_class *edge_class; /* [nclasses] */
    double *weight; /* [nclasses * n] bytes of one edge, less what
                       folding adds; 0: not seen */
    struct mapcore_stencil_offset *offset;
};

/* Errors: ENOENT (err says why), ENOMEM. */
int grid_fit_make(struct grid_fit *out,
                  const struct grid_view *const *view,
                  size_t n,
                  struct mapcore_error *err);
/* Fills everything but dims, which are set; offsets are borrowed from the fit.
 * Errors: ENOMEM. */
int grid_fit_design(struct mapcore_grid_design *design,
                    struct grid_fit *fit,
                    struct mapcore_error *err);
void grid_fit_clear(struct grid_fit *fit);

#endif
