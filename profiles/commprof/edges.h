/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* edges.h - rows of tasks as sorted lists of edges, and their merging */
#ifndef COMMPROF_EDGES_H
#define COMMPROF_EDGES_H

#include "commprof/record.h"

/* Bytes of one type between two tasks, both directions together; a < b. */
struct edge {
    uint32_t type, a, b, unused; /* unused: 0, so that no byte is undefined */
    uint64_t bytes;
};

/* Sorted by type, a, b, each once. Starts as all zero. */
struct edges {
    struct edge *edge; /* edge[n], owned */
    size_t n;
};

/* The edges of one task's rows. Errors: ENOMEM. */
int edges_from_rows(struct edges *out,
                    const struct row *rows,
                    size_t nrows,
                    uint32_t rank);
/* Adds more[nmore], itself sorted, to edges. Errors: ENOMEM, and edges are as
 * before. O(n + nmore). */
int edges_merge(struct edges *edges, const struct edge *more, size_t nmore);
void edges_clear(struct edges *edges);

#endif
