/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* csr.h - the inside of a task graph, for the rooms whose inner loops need it
 */
#ifndef MAPCORE_GRAPH_CSR_H
#define MAPCORE_GRAPH_CSR_H

#include "base/error.h"

#include <stdbool.h>

struct mapcore_edge;

/* Compressed sparse rows; every edge stands in the rows of both its ends. */
struct mapcore_graph {
    uint32_t ntasks;
    uint64_t total;  /* bytes over all edges, each once */
    size_t *row;     /* [ntasks + 1], row t is row[t] .. row[t+1]-1 */
    uint32_t *task;  /* [row[ntasks]], ascending in a row, never t itself */
    uint64_t *bytes; /* [row[ntasks]], > 0 */
    uint32_t *load;  /* [ntasks] what a task computes beside the others, as a
                        file says; NULL: the same */
};

/* Entries in rows, ascending in each: every edge is one in row a, and with
 * is_both another one in row b. Self loops stay, edges given twice stand twice.
 * ntasks, row, task and bytes are set; csr_clear is due also after a failure.
 * Errors: ENOMEM. */
int csr_make(struct mapcore_graph *out,
             uint32_t ntasks,
             const struct mapcore_edge *edges,
             size_t nedges,
             bool is_both,
             struct mapcore_error *err);
/* The same entries, each in the row of its other end: ascending, too. */
int csr_transpose(struct mapcore_graph *out,
                  const struct mapcore_graph *rows,
                  struct mapcore_error *err);
void csr_clear(struct mapcore_graph *rows);

#endif
