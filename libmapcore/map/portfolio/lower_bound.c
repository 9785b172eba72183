/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lower_bound.c - each task alone, with the best neighbourhood that there is */
#include "config.h"

#include "map/portfolio/lower_bound.h"

#include "base/array.h"
#include "graph/csr.h"

#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 wide;

/* What the neighbours of a task on a host can be at: the distances of the other
 * slots, nearest first, n of them. */
static void find_nearest(uint32_t *nearest,
                         uint32_t *all,
                         uint32_t n,
                         const struct mapcore_alloc *alloc,
                         uint32_t host)
{
    size_t nall = 0;

    for (uint32_t h = 0; h < mapcore_alloc_nhosts(alloc); h++) {
        uint32_t slots = mapcore_alloc_slots(alloc, h) - (h == host);
        uint32_t d = mapcore_alloc_distance(alloc, host, h);

        for (uint32_t i = 0; i < slots && i < n; i++)
            all[nall++] = h == host ? 0 : d;
    }
    array_sort_u32(all, nall);
    memcpy(nearest, all, n * sizeof(*nearest));
}

static uint32_t largest_degree(const struct mapcore_graph *graph)
{
    size_t most = 0;

    for (uint32_t t = 0; t < graph->ntasks; t++)
        if (graph->row[t + 1] - graph->row[t] > most)
            most = graph->row[t + 1] - graph->row[t];
    return (uint32_t)most;
}

/* Whether some host takes any task and all its neighbours. */
static bool fits_one_host(const struct mapcore_alloc *alloc, uint32_t degree)
{
    for (uint32_t h = 0; h < mapcore_alloc_nhosts(alloc); h++)
        if (mapcore_alloc_slots(alloc, h) > degree)
            return true;
    return false;
}

/* least[ntasks]: of each task, over the hosts so far. bytes: those of the
 * graph, ascending in every row. */
static void take_host(wide *least,
                      bool is_first,
                      const struct mapcore_graph *graph,
                      const uint64_t *bytes,
                      const uint32_t *nearest)
{
    for (uint32_t t = 0; t < graph->ntasks; t++) {
        const uint64_t *row = bytes + graph->row[t];
        size_t degree = graph->row[t + 1] - graph->row[t];
        wide sum = 0;

        for (size_t i = 0; i < degree; i++)
            sum += (wide)row[degree - 1 - i] * nearest[i];
        if (is_first || sum < least[t])
            least[t] = sum;
    }
}

int lower_bound_average(double *out,
                        const struct map_problem *problem,
                        struct mapcore_error *err)
{
    const struct mapcore_graph *graph = problem->graph;
    const struct mapcore_alloc *alloc = problem->alloc;
    uint32_t n = graph->ntasks, nhosts = mapcore_alloc_nhosts(alloc);
    uint32_t degree = largest_degree(graph), *nearest = NULL, *all = NULL;
    uint64_t *bytes = NULL;
    wide *least = NULL, total = 0;
    bool is_first = true;
    int error = 0;

    *out = 0;
    if (fits_one_host(alloc, degree))
        return 0;
    bytes = array_copy(graph->bytes, graph->row[n], sizeof(*bytes), err);
    least = array_alloc(n, sizeof(*least), err);
    nearest = array_alloc(degree, sizeof(*nearest), err);
    all = array_alloc((size_t)nhosts * degree, sizeof(*all), err);
    if (!bytes || !least || !nearest || !all) {
        error = MAPCORE_ENOMEM;
        goto out;
    }
    for (uint32_t t = 0; t < n; t++)
        array_sort_u64(bytes + graph->row[t],
                       graph->row[t + 1] - graph->row[t]);
    for (uint32_t h = 0; h < nhosts; h++) {
        if (mapcore_alloc_slots(alloc, h) == 0)
            continue;
        find_nearest(nearest, all, degree, alloc, h);
        take_host(least, is_first, graph, bytes, nearest);
        is_first = false;
    }
    for (uint32_t t = 0; t < n; t++)
        total += least[t];
    *out = (double)total / n;
out:
    free(bytes);
    free(least);
    free(nearest);
    free(all);
    return error;
}
