/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_make.c - the edges of a Cartesian grid from its dimensions and steps */
#include "config.h"

#include "grid/grid_make.h"

#include "base/array.h"
#include "grid/grid_thresholds.h"

#include <stdlib.h>

/* 24 bytes each while they are made, and twice as many in the graph. */
#define MOST_EDGES (UINT64_C(1) << 26)

static int count_tasks(uint32_t *out,
                       const struct mapcore_grid_design *design,
                       struct mapcore_error *err)
{
    uint64_t n = 1;

    if (design->ndims < 1 || design->ndims > MAPCORE_GRID_MAX_DIMS)
        return error_set(err, MAPCORE_EINVAL,
                         "a grid of %u dimensions: 1 to %d are possible",
                         design->ndims, MAPCORE_GRID_MAX_DIMS);
    for (uint32_t i = 0; i < design->ndims; i++) {
        if (design->dims[i] < 1)
            return error_set(err, MAPCORE_EINVAL, "dimension %u of a grid is 0",
                             i + 1);
        n *= design->dims[i];
        if (n > GRID_MOST_TASKS)
            return error_set(err, MAPCORE_ERANGE,
                             "a grid of more than %u tasks", GRID_MOST_TASKS);
    }
    *out = (uint32_t)n;
    return 0;
}

static uint64_t count_edges(const struct mapcore_grid_design *design,
                            uint32_t ntasks)
{
    uint64_t each = design->noffsets;

    for (uint32_t i = 0; i < design->ndims; i++)
        if (design->group_bytes[i] > 0)
            each += design->dims[i];
    return each * ntasks;
}

/* The task a step away from the one at x, or MAPCORE_NONE: outside. */
static uint32_t neighbour(const struct mapcore_grid_design *design,
                          const uint32_t *x,
                          const int32_t *step)
{
    uint32_t task = 0;

    for (uint32_t i = design->ndims; i-- > 0;) {
        int64_t d = design->dims[i], y = (int64_t)x[i] + step[i];

        if (design->periodic[i])
            y = (y % d + d) % d;
        else if (y < 0 || y >= d)
            return MAPCORE_NONE;
        task = task * design->dims[i] + (uint32_t)y;
    }
    return task;
}

/* The edges that begin at task, which is at x; returns how many. */
static size_t add_edges(struct mapcore_edge *edge,
                        const struct mapcore_grid_design *design,
                        uint32_t task,
                        const uint32_t *x)
{
    size_t n = 0;
    uint32_t stride = 1;

    for (size_t r = 0; r < design->noffsets; r++) {
        uint32_t other = neighbour(design, x, design->offset[r].step);

        if (other != MAPCORE_NONE && other != task)
            edge[n++] =
                (struct mapcore_edge){task, other, design->offset[r].bytes};
    }
    for (uint32_t i = 0; i < design->ndims; i++) {
        for (uint32_t y = x[i] + 1;
             design->group_bytes[i] > 0 && y < design->dims[i]; y++)
            edge[n++] = (struct mapcore_edge){task, task + (y - x[i]) * stride,
                                              design->group_bytes[i]};
        stride *= design->dims[i];
    }
    return n;
}

int mapcore_grid_make(struct mapcore_graph **out,
                      const struct mapcore_grid_design *design,
                      struct mapcore_error *err)
{
    uint32_t x[MAPCORE_GRID_MAX_DIMS] = {0}, ntasks = 0;
    struct mapcore_edge *edges;
    uint64_t most;
    size_t n = 0;
    int error = count_tasks(&ntasks, design, err);

    if (error < 0)
        return error;
    if ((most = count_edges(design, ntasks)) > MOST_EDGES)
        return error_set(
            err, MAPCORE_ERANGE, "a grid of %llu edges: %llu are possible",
            (unsigned long long)most, (unsigned long long)MOST_EDGES);
    edges = array_alloc(most, sizeof(*edges), err);
    if (!edges)
        return MAPCORE_ENOMEM;
    for (uint32_t t = 0; t < ntasks; t++) {
        n += add_edges(edges + n, design, t, x);
        for (uint32_t i = 0; i < design->ndims; i++) {
            if (++x[i] < design->dims[i])
                break;
            x[i] = 0;
        }
    }
    error = mapcore_graph_create(out, ntasks, edges, n, err);
    free(edges);
    return error;
}
