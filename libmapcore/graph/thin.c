/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* thin.c - dense graphs made sparse: the edges that matter, and what the others
 * were worth */
#include "config.h"

#include "graph/graph.h"

#include "base/array.h"
#include "graph/csr.h"

#include <stdbool.h>
#include <stdlib.h>

/* One neighbour, with what decides its rank in the row. */
struct neighbour {
    uint64_t bytes;
    uint32_t task;
    size_t at; /* in the graph's arrays */
};

/* Heaviest first, then the least task. */
static int compare(const void *a, const void *b)
{
    const struct neighbour *x = a, *y = b;

    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return (x->task > y->task) - (x->task < y->task);
}

static size_t longest_row(const struct mapcore_graph *graph)
{
    size_t longest = 0;

    for (uint32_t t = 0; t < graph->ntasks; t++)
        if (graph->row[t + 1] - graph->row[t] > longest)
            longest = graph->row[t + 1] - graph->row[t];
    return longest;
}

/* Marks what each task wants to keep, in its own row. */
static void mark_rows(bool *wanted,
                      struct neighbour *row,
                      const struct mapcore_graph *graph,
                      const struct mapcore_thinning *thinning)
{
    for (uint32_t t = 0; t < graph->ntasks; t++) {
        size_t n = 0;

        for (size_t i = graph->row[t]; i < graph->row[t + 1]; i++)
            if (graph->bytes[i] >= thinning->least_bytes)
                row[n++] = (struct neighbour){
                    .bytes = graph->bytes[i], .task = graph->task[i], .at = i};
        if (thinning->neighbours > 0 && n > thinning->neighbours) {
            qsort(row, n, sizeof(*row), compare);
            n = thinning->neighbours;
        }
        for (size_t i = 0; i < n; i++)
            wanted[row[i].at] = true;
    }
}

/* Edges that one of their ends wants. The rows are gone through in ascending
 * order, so at[u] stands at the place of t in the row of u. */
static size_t collect(struct mapcore_edge *edges,
                      size_t *at,
                      struct mapcore_thinned *dropped,
                      const bool *wanted,
                      const struct mapcore_graph *graph)
{
    size_t n = 0;

    for (uint32_t t = 0; t < graph->ntasks; t++)
        at[t] = graph->row[t];
    for (uint32_t t = 0; t < graph->ntasks; t++) {
        for (size_t i = graph->row[t]; i < graph->row[t + 1]; i++) {
            uint32_t u = graph->task[i];

            if (u < t)
                continue;
            if (wanted[i] || wanted[at[u]]) {
                edges[n++] = (struct mapcore_edge){t, u, graph->bytes[i]};
            } else {
                dropped->edges++;
                dropped->bytes += graph->bytes[i];
            }
            at[u]++;
        }
    }
    return n;
}

int mapcore_graph_thin(struct mapcore_graph **out,
                       struct mapcore_thinned *dropped,
                       const struct mapcore_graph *graph,
                       const struct mapcore_thinning *thinning,
                       struct mapcore_error *err)
{
    size_t length = graph->row[graph->ntasks], n;
    struct mapcore_edge *edges = array_alloc(length / 2, sizeof(*edges), err);
    struct neighbour *row = array_alloc(longest_row(graph), sizeof(*row), err);
    bool *wanted = array_alloc(length, sizeof(*wanted), err);
    size_t *at = array_alloc(graph->ntasks, sizeof(*at), err);
    struct mapcore_thinned lost = {0};
    int error = MAPCORE_ENOMEM;

    if (!edges || !row || !wanted || !at)
        goto out;
    mark_rows(wanted, row, graph, thinning);
    n = collect(edges, at, &lost, wanted, graph);
    error = mapcore_graph_create(out, graph->ntasks, edges, n, err);
    if (error == 0 && dropped)
        *dropped = lost;
out:
    free(edges);
    free(row);
    free(wanted);
    free(at);
    return error;
}
