/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_rules.h - by what rule a program makes the dimensions of its grid from
 * the number of its tasks; inside grid */
#ifndef MAPCORE_GRID_RULES_H
#define MAPCORE_GRID_RULES_H

#include "grid/grid.h"
#include "grid/predict/grid_mpi.h"

enum grid_rule_kind {
    GRID_RULE_BALANCED, /* as MPI_Dims_create, which may be given some */
    GRID_RULE_ASPECT,   /* all grow alike: 2x4, 4x8, 8x16 */
};

/* Dimensions as the ranks count through them, the fastest first. */
struct grid_rule {
    enum grid_rule_kind kind;
    enum mapcore_scale_mpi mpi;
    uint32_t ndims;
    bool largest_is_fastest; /* else the smallest, as MPI_Cart_create makes of
                                MPI_Dims_create's descending dimensions */
    uint32_t fixed[MAPCORE_GRID_MAX_DIMS];  /* [ndims] 0: free */
    uint32_t aspect[MAPCORE_GRID_MAX_DIMS]; /* [ndims] */
};

/* What MPI_Dims_create of ntasks in ndims free dimensions gives, descending.
 * Open MPI 4 and 5: prime factors, the largest first, each to the smallest
 * dimension so far. MPICH 4: the least difference of the largest and the
 * smallest, then the largest smallest, then the least sum. Both are compared
 * with the libraries' own answers in tests/system/scale.sh. */
void grid_dims_create(uint32_t *dims,
                      uint32_t ndims,
                      uint32_t ntasks,
                      enum mapcore_scale_mpi mpi);

/* dims[ndims] for ntasks; false when the rule has none. */
bool grid_rule_apply(uint32_t *dims,
                     const struct grid_rule *rule,
                     uint32_t ntasks);

/* How many of the rules: the first ones need no dims. */
enum {
    GRID_RULES_CREATE = 2,   /* MPI_Dims_create of either library */
    GRID_RULES_BALANCED = 4, /* and with the dimensions reversed */
    GRID_RULES_ALL = 1000,
};
/* The i-th rule, of at most most, that could have made dims[ndims], the likely
 * ones first; false behind the last. */
bool grid_rule_get(struct grid_rule *out,
                   uint32_t i,
                   uint32_t most,
                   uint32_t ndims,
                   const uint32_t *dims,
                   enum mapcore_scale_mpi mpi);

/* "MPI_Dims_create" and the like, for people; like snprintf. */
int grid_rule_describe(const struct grid_rule *rule, char *buffer, size_t size);

#endif
