/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* csr.h - the inside of a task graph, for the rooms whose inner loops need it
 */
#ifndef MAPCORE_GRAPH_CSR_H
#define MAPCORE_GRAPH_CSR_H

#include "base/error.h"

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

/* The entries of rows, each in the row of its other end, ascending. ntasks,
 * row, task and bytes are set; csr_clear is due also after a failure. Errors:
 * ENOMEM.
 */
int csr_transpose(struct mapcore_graph *out,
                  const struct mapcore_graph *rows,
                  struct mapcore_error *err);
/* Leaves out self loops and edges of 0 bytes, and adds up those that stand side
 * by side, given twice; in total they fit. */
void csr_tidy(struct mapcore_graph *graph);
void csr_clear(struct mapcore_graph *rows);

#endif
