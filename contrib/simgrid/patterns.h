/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* patterns.h - what each rank of a pattern exchanges with whom */
#ifndef SIMGRID_PATTERNS_H
#define SIMGRID_PATTERNS_H

#include <mpi.h>

enum { MOST_DIMS = 4 };

struct grid {
    int ndims, dims[MOST_DIMS]; /* the first dimension fastest, as ranks go */
};

struct neighbour {
    int rank, bytes; /* there and back */
};

/* One rank's part in an iteration. */
struct exchange {
    int rank, size;
    struct grid grid;
    int nneighbours;
    struct neighbour *neighbours;
    MPI_Comm along[MOST_DIMS]; /* ranks that differ in this dimension alone */
    char *sent, *received;
    MPI_Request *requests; /* [2 * nneighbours] */
};

struct pattern {
    const char *name;
    int ndims;
    void (*prepare)(struct exchange *exchange);
    void (*run)(const struct exchange *exchange);
};

/* Ends with one of no name. */
extern const struct pattern patterns[];

void exchange_clear(struct exchange *exchange);

#endif
