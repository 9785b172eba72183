/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* embed_holes.c - which routers of a torus an allocation has, and with how many
 * slots */
#include "config.h"

#include "map/embed/embed_holes.h"

#include "base/array.h"
#include "topo/shape.h"

/* Where the coordinates in use begin; false: one is used. */
static bool find_start(uint32_t *start,
                       const bool *used,
                       uint32_t size,
                       bool wraps)
{
    uint32_t n = 0, gap = 0, longest = 0;

    *start = 0;
    for (uint32_t k = 0; k < size; k++)
        n += used[k];
    /* Twice round, so that a stretch across the end is seen whole. */
    for (uint32_t k = 0; wraps && k < 2 * size; k++) {
        if (!used[k % size]) {
            gap++;
            continue;
        }
        if (gap > longest && gap < size) {
            longest = gap;
            *start = k % size;
        }
        gap = 0;
    }
    return n > 1;
}

/* The dimensions in which the hosts differ; 1 where these are too many. */
static int take_dims(struct holed_torus *out,
                     const struct topo_shape *shape,
                     const struct mapcore_alloc *alloc,
                     struct arena *arena)
{
    uint32_t nhosts = mapcore_alloc_nhosts(alloc);

    for (uint32_t d = 0; d < shape->ndims; d++) {
        bool *used = arena_alloc(arena, shape->dims[d], sizeof(*used));
        bool differs;
        uint32_t start;

        if (!used)
            return MAPCORE_ENOMEM;
        for (uint32_t h = 0; h < nhosts; h++)
            used[shape->coordinates[(size_t)mapcore_alloc_host(alloc, h) *
                                        shape->ndims +
                                    d]] = true;
        differs = find_start(&start, used, shape->dims[d],
                             shape->ring[d] == shape->dims[d]);
        if (!differs)
            continue;
        if (out->ndims == EMBED_HOLES_DIMS)
            return 1;
        out->dim[out->ndims] = d;
        out->size[out->ndims] = shape->dims[d];
        out->ring[out->ndims] = shape->ring[d];
        out->capacity[out->ndims] = shape->capacity[d];
        out->along[out->ndims] = shape->along[d];
        out->start[out->ndims++] = start;
    }
    for (uint32_t i = out->ndims; i < EMBED_HOLES_DIMS; i++)
        out->size[i] = 1;
    return out->ndims > 1 ? 0 : 1;
}

/* Which number of slots most routers have, of equally common ones the larger:
 * routers with fewer are left out. */
static int choose_least(struct holed_torus *torus, struct arena *arena)
{
    uint64_t *key = arena_alloc(arena, torus->nrouters, sizeof(*key));
    size_t n = 0, most = 0;

    if (!key)
        return MAPCORE_ENOMEM;
    for (uint32_t r = 0; r < torus->nrouters; r++)
        if (torus->slots[r] > 0)
            key[n++] = torus->slots[r];
    array_sort_u64(key, n);
    for (size_t i = 0, run = 0; i < n; i++) {
        run = i > 0 && key[i] == key[i - 1] ? run + 1 : 1;
        if (run >= most) {
            most = run;
            torus->least = (uint32_t)key[i];
        }
    }
    return 0;
}

int embed_holes_open(struct holed_torus *out,
                     const struct mapcore_alloc *alloc,
                     uint32_t ntasks,
                     struct arena *arena)
{
    uint32_t nhosts = mapcore_alloc_nhosts(alloc);
    uint64_t nrouters = 1;
    struct topo_shape shape;
    int error;

    topo_shape(&shape, mapcore_alloc_topo(alloc));
    if (shape.kind != TOPO_TORUS)
        return 1;
    if ((error = take_dims(out, &shape, alloc, arena)) != 0)
        return error;
    for (uint32_t i = 0; i < EMBED_HOLES_DIMS; i++)
        nrouters *= out->size[i];
    if (nrouters > INT32_MAX)
        return 1;
    out->nrouters = (uint32_t)nrouters;
    out->slots = arena_alloc(arena, out->nrouters, sizeof(*out->slots));
    out->of = arena_alloc(arena, nhosts, sizeof(*out->of));
    if (arena->error)
        return MAPCORE_ENOMEM;
    for (uint32_t h = 0; h < nhosts; h++) {
        const uint32_t *x = shape.coordinates +
                            (size_t)mapcore_alloc_host(alloc, h) * shape.ndims;

        for (uint32_t i = out->ndims; i-- > 0;)
            out->of[h] = out->of[h] * out->size[i] + x[out->dim[i]];
        out->slots[out->of[h]] += mapcore_alloc_slots(alloc, h);
    }
    if ((error = choose_least(out, arena)) < 0)
        return error;
    if (out->least == 0)
        return 1;
    out->needed = (ntasks - 1) / out->least + 1;
    return 0;
}
