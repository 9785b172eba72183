/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* host_moves.c - a torus turned round */
#include "config.h"

#include "map/constrain/host_moves.h"

#include "base/array.h"
#include "map/problem.h"

#include <stdlib.h>

/* Places of a box, at most, for each host in it. */
#define MOST_EMPTY 4

/* The hosts of a torus in the box of all coordinates that they have: those
 * values of dimension i are value[i][0 .. extent[i] - 1], ascending. */
struct box {
    const struct mapcore_alloc *alloc;
    struct topo_shape shape;
    uint32_t *value;  /* [ndims * nhosts] */
    uint32_t *extent; /* [ndims] */
    uint32_t *first;  /* [places] first host there, or MAPCORE_NONE */
    uint32_t *next;   /* [nhosts] the next one at the same router, ascending */
    uint64_t places;
    struct arena arena;
};

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static uint32_t place_on_axis(const struct box *box, uint32_t host, uint32_t i)
{
    uint32_t nhosts = mapcore_alloc_nhosts(box->alloc);
    uint32_t x = map_coordinate(box->alloc, &box->shape, host, i);
    const uint32_t *values = box->value + (size_t)i * nhosts;
    const uint32_t *found =
        bsearch(&x, values, box->extent[i], sizeof(*values), ascending);

    return (uint32_t)(found - values);
}

/* The place of a host after so many steps of a move: the way from host a to
 * host b, taken `times` times. */
static uint64_t place_of(const struct box *box,
                         uint32_t host,
                         uint32_t a,
                         uint32_t b,
                         uint32_t times)
{
    uint64_t place = 0;

    for (uint32_t i = 0; i < box->shape.ndims; i++) {
        uint32_t n = box->extent[i], x = place_on_axis(box, host, i);

        if (times > 0)
            x = (x + n - place_on_axis(box, a, i) + place_on_axis(box, b, i)) %
                n;
        place = place * n + x;
    }
    return place;
}

/* Whether it is worth a table; not so without memory. */
static bool measure_box(struct box *box)
{
    uint32_t nhosts = mapcore_alloc_nhosts(box->alloc);

    box->value = arena_alloc(&box->arena, (size_t)box->shape.ndims * nhosts,
                             sizeof(*box->value));
    box->extent =
        arena_alloc(&box->arena, box->shape.ndims, sizeof(*box->extent));
    box->places = 1;
    for (uint32_t i = 0; !box->arena.error && i < box->shape.ndims; i++) {
        uint32_t *value = box->value + (size_t)i * nhosts, n = 0;

        for (uint32_t h = 0; h < nhosts; h++)
            value[h] = map_coordinate(box->alloc, &box->shape, h, i);
        array_sort_u32(value, nhosts);
        for (uint32_t h = 0; h < nhosts; h++)
            if (h == 0 || value[h] != value[n - 1])
                value[n++] = value[h];
        box->extent[i] = n;
        box->places *= n; /* below 2^32 x 2^32 before it is looked at */
        if (box->places > (uint64_t)nhosts * MOST_EMPTY)
            return false;
    }
    return !box->arena.error;
}

static bool fill_box(struct box *box)
{
    uint32_t nhosts = mapcore_alloc_nhosts(box->alloc);

    box->first =
        arena_alloc(&box->arena, (size_t)box->places, sizeof(*box->first));
    box->next = arena_alloc(&box->arena, nhosts, sizeof(*box->next));
    if (box->arena.error)
        return false;
    for (uint64_t p = 0; p < box->places; p++)
        box->first[p] = MAPCORE_NONE;
    for (uint32_t h = nhosts; h-- > 0;) {
        uint64_t place = place_of(box, h, 0, 0, 0);

        box->next[h] = box->first[place];
        box->first[place] = h;
    }
    return true;
}

/* The hosts of every router to those of the router that the move leads to,
 * router by router so that host a comes to host b; false where there is none,
 * or one with fewer hosts. */
static bool turn_box(uint32_t *to_of,
                     const struct box *box,
                     uint32_t a,
                     uint32_t b)
{
    for (uint64_t p = 0; p < box->places; p++) {
        uint32_t h = box->first[p];
        uint32_t other =
            h == MAPCORE_NONE ? h : box->first[place_of(box, h, a, b, 1)];

        for (; h != MAPCORE_NONE; h = box->next[h], other = box->next[other]) {
            if (other == MAPCORE_NONE)
                return false;
            to_of[h] = other;
        }
        if (other != MAPCORE_NONE)
            return false;
    }
    /* Beside each other at their routers. */
    for (uint32_t h = 0; to_of[a] != b; h++)
        if (to_of[h] == b) {
            to_of[h] = to_of[a];
            to_of[a] = b;
        }
    return true;
}

int host_moves_turn(uint32_t *to_of,
                    bool *exists,
                    const struct mapcore_alloc *alloc,
                    uint32_t from,
                    uint32_t to,
                    struct mapcore_error *err)
{
    struct box box = {.alloc = alloc, .arena = {.err = err}};

    topo_shape(&box.shape, mapcore_alloc_topo(alloc));
    *exists = box.shape.kind == TOPO_TORUS && measure_box(&box) &&
              fill_box(&box) && turn_box(to_of, &box, from, to);
    arena_clear(&box.arena);
    return box.arena.error;
}
