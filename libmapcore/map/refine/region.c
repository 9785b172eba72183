/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* region.c - cutting a patch out of a board, and putting it back */
#include "config.h"

#include "map/refine/region.h"

#include "base/array.h"

#include <stdlib.h>

/* A patch under way. */
struct cutting {
    const struct board *board;
    struct patch *patch;
    uint32_t region;
    const uint32_t *hosts; /* [patch->nhosts], those of the region */
    uint32_t *column;      /* [board->nhosts], or MAPCORE_NONE */
};

/* Grains, edges and places of the region. */
static void count(const struct cutting *c, size_t *nedges, size_t *nplaces)
{
    const struct board *board = c->board;
    struct patch *patch = c->patch;

    *nedges = *nplaces = 0;
    for (uint32_t i = 0; i < patch->nhosts; i++) {
        uint32_t h = c->hosts[i];

        patch->n += board->first[h + 1] - board->first[h];
        *nplaces += board->capacity[h];
        for (uint32_t k = board->first[h]; k < board->first[h + 1]; k++) {
            uint32_t g = board->member[k];

            *nedges += board->grain->row[g + 1] - board->grain->row[g];
        }
    }
}

static int make_arrays(const struct cutting *c, struct mapcore_error *err)
{
    struct patch *p = c->patch;
    size_t n, nhosts = p->nhosts, nedges, nplaces, outside;

    count(c, &nedges, &nplaces);
    n = p->n;
    outside = c->board->nhosts - nhosts;
    if (nedges < outside)
        outside = nedges;
    p->row = array_alloc(n + 1, sizeof(*p->row), err);
    p->edge = array_alloc(nedges, sizeof(*p->edge), err);
    p->bytes = array_alloc(n, sizeof(*p->bytes), err);
    p->host = array_alloc(n + outside, sizeof(*p->host), err);
    p->place = array_alloc(n, sizeof(*p->place), err);
    p->tenant = array_alloc(nplaces, sizeof(*p->tenant), err);
    p->place_begin = array_alloc(nhosts + 1, sizeof(*p->place_begin), err);
    p->near = array_alloc(nhosts * PATCH_NEAR, sizeof(*p->near), err);
    p->gate = array_alloc(nhosts + outside, sizeof(*p->gate), err);
    p->original = array_alloc(n, sizeof(*p->original), err);
    p->outer = array_alloc(nhosts + outside, sizeof(*p->outer), err);
    if (c->board->size) {
        p->size = array_alloc(n, sizeof(*p->size), err);
        p->slots = array_alloc(nhosts, sizeof(*p->slots), err);
        if (!p->size || !p->slots)
            return MAPCORE_ENOMEM;
    }
    return p->row && p->edge && p->bytes && p->host && p->place && p->tenant &&
                   p->place_begin && p->near && p->gate && p->original &&
                   p->outer
               ? 0
               : MAPCORE_ENOMEM;
}

/* The edges of grain g behind those that are there. */
static void take_edges(const struct cutting *c, uint32_t t, uint32_t g)
{
    const struct board *board = c->board;
    const struct grain *grain = board->grain;
    struct patch *p = c->patch;
    uint32_t next = p->row[t];

    for (size_t k = grain->row[g]; k < grain->row[g + 1]; k++) {
        uint32_t to = grain->edge[k].to, h = board->host[to];

        if (board->region[h] == c->region) {
            p->edge[next].to = board->local[to];
        } else {
            if (c->column[h] == MAPCORE_NONE) {
                p->outer[p->ncolumns] = h;
                c->column[h] = p->ncolumns++;
            }
            p->edge[next].to = p->n + c->column[h] - p->nhosts;
        }
        p->edge[next++].bytes = grain->edge[k].bytes;
        p->bytes[t] += grain->edge[k].bytes;
    }
    p->row[t + 1] = next;
}

/* Numbers the grains host by host, as board->local does, and gives each the
 * next place of its host. */
static void take_grains(const struct cutting *c)
{
    const struct board *board = c->board;
    struct patch *p = c->patch;
    uint32_t t = 0, place = 0;

    p->ncolumns = p->nhosts;
    for (uint32_t i = 0; i < p->nhosts; i++) {
        uint32_t h = c->hosts[i];

        p->outer[i] = h;
        c->column[h] = i;
    }
    for (uint32_t i = 0; i < p->nhosts; i++) {
        uint32_t h = c->hosts[i];

        for (uint32_t k = board->first[h]; k < board->first[h + 1]; k++) {
            p->original[t] = board->member[k];
            p->host[t] = i;
            p->place[t] = place;
            p->tenant[place++] = t;
            take_edges(c, t++, board->member[k]);
        }
        while (place < p->place_begin[i] + board->capacity[h])
            p->tenant[place++] = MAPCORE_NONE;
        p->place_begin[i + 1] = place;
    }
    for (uint32_t i = p->nhosts; i < p->ncolumns; i++)
        p->host[p->n + i - p->nhosts] = i;
    for (uint32_t i = 0; p->size && i < p->n; i++)
        p->size[i] = board->size[p->original[i]];
    for (uint32_t i = 0; p->slots && i < p->nhosts; i++)
        p->slots[i] = mapcore_alloc_slots(board->alloc, c->hosts[i]);
}

static int measure(const struct cutting *c, struct mapcore_error *err)
{
    struct patch *p = c->patch;
    uint16_t *distance;

    distance =
        array_alloc((size_t)p->nhosts * p->ncolumns, sizeof(*distance), err);
    if (!distance)
        return MAPCORE_ENOMEM;
    p->distance = distance;
    for (uint32_t a = 0; a < p->nhosts; a++)
        for (uint32_t b = 0; b < p->ncolumns; b++) {
            uint32_t d = mapcore_alloc_distance(c->board->alloc, p->outer[a],
                                                p->outer[b]);

            *distance++ = d > UINT16_MAX ? UINT16_MAX : (uint16_t)d;
        }
    return 0;
}

/* The nearest hosts of host a, ties from the one behind it on. */
static void find_near(struct patch *p, uint32_t a)
{
    const uint16_t *distance = p->distance + (size_t)a * p->ncolumns;
    uint32_t *near = p->near + (size_t)a * PATCH_NEAR, n = 0;

    for (uint32_t i = 1; i < p->nhosts && p->nnear > 0; i++) {
        uint32_t b = a + i < p->nhosts ? a + i : a + i - p->nhosts, at;

        if (n == p->nnear && distance[near[n - 1]] <= distance[b])
            continue;
        at = n < p->nnear ? n++ : n - 1;
        for (; at > 0 && distance[near[at - 1]] > distance[b]; at--)
            near[at] = near[at - 1];
        near[at] = b;
    }
}

static void find_gates(struct patch *p)
{
    for (uint32_t i = 0; i < p->ncolumns; i++) {
        uint32_t best = i < p->nhosts ? i : 0;

        for (uint32_t a = 1; i >= p->nhosts && a < p->nhosts; a++)
            if (p->distance[(size_t)a * p->ncolumns + i] <
                p->distance[(size_t)best * p->ncolumns + i])
                best = a;
        p->gate[i] = best;
    }
}

int patch_create(struct patch **out,
                 const struct board *board,
                 uint32_t region,
                 struct mapcore_error *err)
{
    struct cutting c = {.board = board,
                        .region = region,
                        .hosts = board->order + board->begin[region]};
    int error = MAPCORE_ENOMEM;

    c.patch = array_alloc(1, sizeof(*c.patch), err);
    c.column = array_alloc(board->nhosts, sizeof(*c.column), err);
    if (!c.patch || !c.column)
        goto out;
    for (uint32_t h = 0; h < board->nhosts; h++)
        c.column[h] = MAPCORE_NONE;
    c.patch->nhosts = board->begin[region + 1] - board->begin[region];
    c.patch->nnear =
        c.patch->nhosts - 1 < PATCH_NEAR ? c.patch->nhosts - 1 : PATCH_NEAR;
    if ((error = make_arrays(&c, err)) < 0)
        goto out;
    take_grains(&c);
    if ((error = measure(&c, err)) < 0)
        goto out;
    for (uint32_t a = 0; a < c.patch->nhosts; a++)
        find_near(c.patch, a);
    find_gates(c.patch);
    *out = c.patch;
    c.patch = NULL;
out:
    free(c.column);
    patch_destroy(c.patch);
    return error;
}

void patch_destroy(struct patch *p)
{
    if (!p)
        return;
    free(p->row);
    free(p->edge);
    free(p->bytes);
    free(p->host);
    free(p->place);
    free(p->tenant);
    free(p->place_begin);
    free(p->distance);
    free(p->near);
    free(p->gate);
    free(p->size);
    free(p->slots);
    free(p->original);
    free(p->outer);
    free(p);
}

void patch_store(const struct patch *patch, struct board *board)
{
    for (uint32_t t = 0; t < patch->n; t++)
        board->host[patch->original[t]] = patch->outer[patch->host[t]];
}
