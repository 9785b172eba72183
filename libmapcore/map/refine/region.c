/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* region.c - cutting a region out of a placement, and putting it back */
#include "config.h"

#include "map/refine/anneal.h"

#include "base/array.h"

#include <stdlib.h>

/* A region being made. */
struct cutting {
    const struct placement *placement;
    struct region *region;
    const uint32_t *hosts; /* [region->nhosts], those of the region */
    uint32_t *column;      /* [placement->nhosts], or MAPCORE_NONE */
};

/* Counts the vertices, edges and places of the region. */
static void count(const struct cutting *c, size_t *nedges, size_t *nplaces)
{
    const struct placement *placement = c->placement;
    struct region *region = c->region;

    *nedges = *nplaces = 0;
    for (uint32_t i = 0; i < region->nhosts; i++) {
        uint32_t h = c->hosts[i];

        *nplaces += placement->capacity[h];
        for (uint32_t k = placement->first[h]; k < placement->first[h + 1];
             k++) {
            uint32_t g = placement->member[k];

            if (placement->local[g] == MAPCORE_NONE)
                continue;
            region->n++;
            *nedges += placement->graph->row[g + 1] - placement->graph->row[g];
        }
    }
}

static void make_arrays(const struct cutting *c, struct arena *arena)
{
    struct region *r = c->region;
    size_t n, nhosts = r->nhosts, nedges, nplaces, columns;

    count(c, &nedges, &nplaces);
    n = r->n;
    columns = c->placement->nhosts - nhosts;
    columns = nhosts + (nedges < columns ? nedges : columns);
    r->row = arena_alloc(arena, n + 1, sizeof(*r->row));
    r->edge = arena_alloc(arena, nedges, sizeof(*r->edge));
    r->bytes = arena_alloc(arena, n, sizeof(*r->bytes));
    r->host = arena_alloc(arena, n + columns, sizeof(*r->host));
    r->place = arena_alloc(arena, n, sizeof(*r->place));
    r->occupant = arena_alloc(arena, nplaces, sizeof(*r->occupant));
    r->place_begin = arena_alloc(arena, nhosts + 1, sizeof(*r->place_begin));
    r->near = arena_alloc(arena, nhosts * REGION_NEAR, sizeof(*r->near));
    r->entry = arena_alloc(arena, columns, sizeof(*r->entry));
    r->global_vertex = arena_alloc(arena, n, sizeof(*r->global_vertex));
    r->global_host = arena_alloc(arena, columns, sizeof(*r->global_host));
    if (c->placement->size) {
        r->size = arena_alloc(arena, n, sizeof(*r->size));
        r->slots = arena_alloc(arena, nhosts, sizeof(*r->slots));
    }
}

/* The edges of vertex g behind those that are there. */
static void take_edges(const struct cutting *c, uint32_t t, uint32_t g)
{
    const struct placement *placement = c->placement;
    const struct coarse_graph *graph = placement->graph;
    struct region *r = c->region;
    uint32_t next = r->row[t];

    for (size_t k = graph->row[g]; k < graph->row[g + 1]; k++) {
        uint32_t to = graph->edge[k].to, h = placement->host[to];

        if (c->column[h] == MAPCORE_NONE) {
            r->global_host[r->ncolumns] = h;
            c->column[h] = r->ncolumns++;
        }
        r->edge[next].to =
            c->column[h] < r->nhosts && placement->local[to] != MAPCORE_NONE
                ? placement->local[to]
                : r->n + c->column[h];
        r->edge[next++].bytes = graph->edge[k].bytes;
        r->bytes[t] += graph->edge[k].bytes;
    }
    r->row[t + 1] = next;
}

/* Numbers the vertices host by host, as placement->local does, and gives each
 * the next place of its host. */
static void take_vertices(const struct cutting *c)
{
    const struct placement *placement = c->placement;
    struct region *r = c->region;
    uint32_t t = 0, place = 0;

    r->ncolumns = r->nhosts;
    for (uint32_t i = 0; i < r->nhosts; i++) {
        uint32_t h = c->hosts[i];

        r->global_host[i] = h;
        c->column[h] = i;
    }
    for (uint32_t i = 0; i < r->nhosts; i++) {
        uint32_t h = c->hosts[i];

        for (uint32_t k = placement->first[h]; k < placement->first[h + 1];
             k++) {
            if (placement->local[placement->member[k]] == MAPCORE_NONE)
                continue;
            r->global_vertex[t] = placement->member[k];
            r->host[t] = i;
            r->place[t] = place;
            r->occupant[place++] = t;
            take_edges(c, t++, placement->member[k]);
        }
        while (place < r->place_begin[i] + placement->capacity[h])
            r->occupant[place++] = MAPCORE_NONE;
        r->place_begin[i + 1] = place;
    }
    for (uint32_t i = 0; i < r->ncolumns; i++)
        r->host[r->n + i] = i;
    for (uint32_t i = 0; r->size && i < r->n; i++)
        r->size[i] = placement->size[r->global_vertex[i]];
    for (uint32_t i = 0; r->slots && i < r->nhosts; i++)
        r->slots[i] = mapcore_alloc_slots(placement->alloc, c->hosts[i]);
}

static void measure(const struct cutting *c, struct arena *arena)
{
    struct region *r = c->region;
    uint16_t *distance = r->distance =
        arena_alloc(arena, (size_t)r->nhosts * r->ncolumns, sizeof(*distance));

    for (uint32_t a = 0; distance && a < r->nhosts; a++)
        for (uint32_t b = 0; b < r->ncolumns; b++) {
            uint32_t d = mapcore_alloc_distance(
                c->placement->alloc, r->global_host[a], r->global_host[b]);

            *distance++ = d > UINT16_MAX ? UINT16_MAX : (uint16_t)d;
        }
}

static void find_entries(struct region *r)
{
    for (uint32_t i = 0; i < r->ncolumns; i++) {
        uint32_t best = i < r->nhosts ? i : 0;

        for (uint32_t a = 1; i >= r->nhosts && a < r->nhosts; a++)
            if (r->distance[(size_t)a * r->ncolumns + i] <
                r->distance[(size_t)best * r->ncolumns + i])
                best = a;
        r->entry[i] = best;
    }
}

struct region *region_make(const struct placement *placement,
                           uint32_t index,
                           struct arena *arena)
{
    struct region *r = arena_alloc(arena, 1, sizeof(*r));
    struct cutting c = {.placement = placement,
                        .region = r,
                        .hosts = placement->order + placement->begin[index],
                        .column = array_alloc(placement->nhosts,
                                              sizeof(*c.column), arena->err)};

    if (!r || !c.column)
        goto out;
    for (uint32_t h = 0; h < placement->nhosts; h++)
        c.column[h] = MAPCORE_NONE;
    r->nhosts = placement->begin[index + 1] - placement->begin[index];
    r->nnear = r->nhosts - 1 < REGION_NEAR ? r->nhosts - 1 : REGION_NEAR;
    make_arrays(&c, arena);
    if (arena->error)
        goto out;
    take_vertices(&c);
    measure(&c, arena);
    if (arena->error)
        goto out;
    for (uint32_t a = 0; a < r->nhosts; a++)
        map_nearest(r->near + (size_t)a * REGION_NEAR, r->nnear,
                    r->distance + (size_t)a * r->ncolumns, r->nhosts, a, a);
    find_entries(r);
out:
    if (!c.column)
        arena->error = MAPCORE_ENOMEM;
    free(c.column);
    return arena->error ? NULL : r;
}

void region_store(const struct region *region, struct placement *placement)
{
    for (uint32_t t = 0; t < region->n; t++)
        placement->host[region->global_vertex[t]] =
            region->global_host[region->host[t]];
}
