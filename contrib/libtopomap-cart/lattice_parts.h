/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lattice_parts.h - Adaptive Layout as one rank sees it: its parts of a
 * lattice, and who owns what lies beside them; no MPI in it */
#ifndef TOPOMAP_CART_LATTICE_PARTS_H
#define TOPOMAP_CART_LATTICE_PARTS_H

#include "cart/adaptive.h"

#include <stddef.h>

/* Dimensions of the lattice, and axes of the torus. */
enum { LATTICE_DIMS = 4, LATTICE_AXES = 3 };

/* Sites [begin, end) along each dimension. */
struct lattice_box {
    int begin[LATTICE_DIMS], end[LATTICE_DIMS];
};

/* The sites of another rank one step along a dimension from a part. */
struct lattice_face {
    struct lattice_box box;
    int rank, dimension, direction; /* direction: 1 or -1 */
};

struct lattice_parts {
    size_t nparts, nfaces, parts_room, faces_room;
    struct lattice_box *part;  /* [nparts], owned */
    struct lattice_face *face; /* [nfaces], owned, by rank */
    double imbalance, mean_path;
    int longest_path;
};

/* Lays the lattice out, and takes what rank owns. The same for all ranks whose
 * problem is the same. Errors: those of mapcore_adaptive_layout. */
int lattice_lay_out(struct lattice_parts *out,
                    const struct mapcore_adaptive_problem *problem,
                    uint32_t rank);
void lattice_parts_clear(struct lattice_parts *parts);

#endif
