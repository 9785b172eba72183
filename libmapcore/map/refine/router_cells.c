/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* router_cells.c - the routers of an allocation, and the graph of what they
 * hold */
#include "config.h"

#include "map/refine/router_cells.h"

#include "base/array.h"
#include "base/bucket.h"
#include "graph/csr.h"
#include "topo/shape.h"

#include <stdlib.h>

/* Routers of the network, at most. */
#define MOST_ROUTERS (1u << 22)

/* The dimensions that have more than one router; false: fewer than two. */
static bool take_dims(struct router_cells *out, const struct topo_shape *shape)
{
    uint64_t nrouters = 1;

    for (uint32_t d = 0; d < shape->ndims; d++) {
        if (shape->dims[d] < 2)
            continue;
        if (out->ndims == ROUTER_CELLS_DIMS ||
            nrouters * shape->dims[d] > MOST_ROUTERS)
            return false;
        out->size[out->ndims] = shape->dims[d];
        out->wraps[out->ndims] = shape->ring[d] == shape->dims[d];
        out->stride[out->ndims++] = (uint32_t)nrouters;
        nrouters *= shape->dims[d];
    }
    out->nrouters = (uint32_t)nrouters;
    return out->ndims > 1;
}

static int measure_dims(struct router_cells *out,
                        const struct topo_shape *shape,
                        struct mapcore_error *err)
{
    uint32_t i = 0;

    for (uint32_t d = 0; d < shape->ndims; d++) {
        uint32_t size = shape->dims[d], ring = shape->ring[d];

        if (size < 2)
            continue;
        out->hops[i] = array_alloc((size_t)size * size, sizeof(uint32_t), err);
        if (!out->hops[i])
            return MAPCORE_ENOMEM;
        for (uint32_t a = 0; a < size; a++)
            for (uint32_t b = 0; b < size; b++) {
                uint32_t apart = a > b ? a - b : b - a;

                out->hops[i][a * size + b] =
                    ring != UINT32_MAX && ring - apart < apart ? ring - apart
                                                               : apart;
            }
        i++;
    }
    out->x =
        array_alloc((size_t)out->nrouters * out->ndims, sizeof(*out->x), err);
    if (!out->x)
        return MAPCORE_ENOMEM;
    for (uint32_t r = 0; r < out->nrouters; r++)
        for (i = 0; i < out->ndims; i++)
            out->x[r * out->ndims + i] = r / out->stride[i] % out->size[i];
    return 0;
}

/* Which hosts are at which router. */
static int find_members(struct router_cells *out,
                        const struct topo_shape *shape,
                        struct mapcore_error *err)
{
    const struct mapcore_alloc *alloc = out->problem->alloc;
    uint32_t nhosts = mapcore_alloc_nhosts(alloc);

    out->of = array_alloc(nhosts, sizeof(*out->of), err);
    out->member = array_alloc(nhosts, sizeof(*out->member), err);
    out->index = array_alloc(nhosts, sizeof(*out->index), err);
    out->first =
        array_alloc((size_t)out->nrouters + 1, sizeof(*out->first), err);
    if (!out->of || !out->member || !out->index || !out->first)
        return MAPCORE_ENOMEM;
    for (uint32_t h = 0; h < nhosts; h++) {
        const uint32_t *x = shape->coordinates +
                            (size_t)mapcore_alloc_host(alloc, h) * shape->ndims;

        for (uint32_t d = 0, i = 0; d < shape->ndims; d++)
            if (shape->dims[d] > 1)
                out->of[h] += x[d] * out->stride[i++];
    }
    bucket_items(out->first, out->member, out->of, nhosts, out->nrouters);
    for (uint32_t r = 0; r < out->nrouters; r++)
        for (uint32_t k = out->first[r]; k < out->first[r + 1]; k++)
            out->index[out->member[k]] = k - out->first[r];
    return 0;
}

/* Whether the routers that have hosts fill the box of their coordinates. */
static int look_for_box(bool *is_box,
                        const struct router_cells *cells,
                        struct mapcore_error *err)
{
    uint64_t box = 1, have = 0;

    for (uint32_t r = 0; r < cells->nrouters; r++)
        have += cells->first[r + 1] > cells->first[r];
    for (uint32_t i = 0; i < cells->ndims; i++) {
        bool *used = array_alloc(cells->size[i], sizeof(*used), err);
        uint32_t n = 0;

        if (!used)
            return MAPCORE_ENOMEM;
        for (uint32_t r = 0; r < cells->nrouters; r++)
            if (cells->first[r + 1] > cells->first[r])
                used[cells->x[r * cells->ndims + i]] = true;
        for (uint32_t k = 0; k < cells->size[i]; k++)
            n += used[k];
        free(used);
        box *= n;
    }
    *is_box = have == box;
    return 0;
}

/* How many hosts of how many slots, the same number each; 0 where these
 * differ. */
static uint64_t kind_of(const struct router_cells *cells, uint32_t r)
{
    const struct mapcore_alloc *alloc = cells->problem->alloc;
    uint32_t first = cells->first[r], end = cells->first[r + 1];

    for (uint32_t k = first; k < end; k++)
        if (mapcore_alloc_slots(alloc, cells->member[k]) !=
            mapcore_alloc_slots(alloc, cells->member[first]))
            return 0;
    return first == end ? 0
                        : (uint64_t)(end - first) << 32 |
                              mapcore_alloc_slots(alloc, cells->member[first]);
}

/* Routers that may exchange what they hold. */
static int choose_turning(struct router_cells *cells, struct mapcore_error *err)
{
    const uint32_t *pin = cells->problem->pin;
    uint64_t *key = array_alloc(cells->nrouters, sizeof(*key), err), most = 0;
    size_t n = 0, longest = 0;

    cells->may_turn =
        array_alloc(cells->nrouters, sizeof(*cells->may_turn), err);
    if (!key || !cells->may_turn) {
        free(key);
        return MAPCORE_ENOMEM;
    }
    for (uint32_t r = 0; r < cells->nrouters; r++)
        if ((key[n] = kind_of(cells, r)) != 0)
            n++;
    array_sort_u64(key, n);
    for (size_t i = 0, run = 0; i < n; i++) {
        run = i > 0 && key[i] == key[i - 1] ? run + 1 : 1;
        if (run >= longest) {
            longest = run;
            most = key[i];
        }
    }
    free(key);
    for (uint32_t r = 0; r < cells->nrouters; r++)
        cells->may_turn[r] = most != 0 && kind_of(cells, r) == most;
    for (uint32_t t = 0; pin && t < cells->problem->graph->ntasks; t++)
        if (pin[t] != MAPCORE_NONE)
            cells->may_turn[cells->of[pin[t]]] = false;
    return 0;
}

/* The graph of what the routers hold. */
static int make_cells(struct router_cells *cells,
                      const uint32_t *host,
                      struct mapcore_error *err)
{
    const struct mapcore_graph *graph = cells->problem->graph;
    uint32_t *at = array_alloc(cells->nrouters, sizeof(*at), err);
    int error = MAPCORE_ENOMEM;

    cells->home = array_alloc(cells->nrouters, sizeof(*cells->home), err);
    cells->turning = array_alloc(cells->nrouters, sizeof(*cells->turning), err);
    cells->cell = array_alloc(graph->ntasks, sizeof(*cells->cell), err);
    if (!at || !cells->home || !cells->turning || !cells->cell)
        goto out;
    for (uint32_t r = 0; r < cells->nrouters; r++)
        if (cells->first[r + 1] > cells->first[r]) {
            if (cells->may_turn[r])
                cells->turning[cells->nturning++] = cells->n;
            at[r] = cells->n;
            cells->home[cells->n++] = r;
        }
    for (uint32_t t = 0; t < graph->ntasks; t++)
        cells->cell[t] = at[cells->of[host[t]]];
    error =
        coarse_graph_create(&cells->graph, graph, cells->cell, cells->n, err);
    for (size_t k = 0; error == 0 && k < cells->graph->row[cells->n]; k++)
        cells->mean += cells->graph->edge[k].bytes;
    if (error == 0 && cells->mean > 0)
        cells->mean /= (double)cells->graph->row[cells->n];
out:
    free(at);
    return error;
}

int router_cells_create(struct router_cells **out,
                        const struct map_problem *problem,
                        const uint32_t *host,
                        struct mapcore_error *err)
{
    struct router_cells *cells = array_alloc(1, sizeof(*cells), err);
    struct topo_shape shape;
    bool is_box = true;
    int error;

    *out = NULL;
    if (!cells)
        return MAPCORE_ENOMEM;
    cells->problem = problem;
    topo_shape(&shape, mapcore_alloc_topo(problem->alloc));
    if (shape.kind != TOPO_TORUS || !take_dims(cells, &shape)) {
        router_cells_destroy(cells);
        return 0;
    }
    if ((error = measure_dims(cells, &shape, err)) == 0 &&
        (error = find_members(cells, &shape, err)) == 0 &&
        (error = look_for_box(&is_box, cells, err)) == 0 && !is_box &&
        (error = choose_turning(cells, err)) == 0)
        error = make_cells(cells, host, err);
    if (error == 0 && cells->nturning > 3 && cells->mean > 0) {
        *out = cells;
        cells = NULL;
    }
    router_cells_destroy(cells);
    return error;
}

void router_cells_destroy(struct router_cells *cells)
{
    if (!cells)
        return;
    for (uint32_t i = 0; i < ROUTER_CELLS_DIMS; i++)
        free(cells->hops[i]);
    free(cells->x);
    free(cells->of);
    free(cells->first);
    free(cells->member);
    free(cells->index);
    free(cells->may_turn);
    free(cells->turning);
    free(cells->cell);
    free(cells->home);
    coarse_graph_destroy(cells->graph);
    free(cells);
}
