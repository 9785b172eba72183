/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* select.c - Topaware: prisms of routers for a grid, or rank orders for nodes
 * that somebody else chose, over all ways to lay its dimensions along the axes
 */
#include "config.h"

#include "tools/grid/select.h"

#include "base/array.h"
#include "base/bucket.h"
#include "cart/box.h"
#include "cart/curve.h"

#include <stdlib.h>

/* The nodes at the routers of a prism, place by place. */
static int take_prism(struct selection *selection,
                      const struct mapcore_blocks *layout,
                      const struct mapcore_prism *prism)
{
    const struct routers *routers = selection->routers;
    uint32_t n = selection->per_router;
    uint32_t *node =
        array_alloc(selection->nplaces, sizeof(*node), selection->err);
    int error = MAPCORE_ENOMEM;

    for (uint32_t i = 0; node && i < selection->nplaces; i++)
        node[i] = routers->node[routers->first[prism->router[i / n]] + i % n];
    if (node)
        error = select_keep(
            selection,
            (struct select_choice){.layout = *layout, .prism = *prism}, node);
    free(node);
    return error;
}

static int find_prisms(struct selection *selection,
                       const struct mapcore_blocks *layout)
{
    const struct routers *routers = selection->routers;
    const uint32_t *dims = routers->dims;
    const bool *wraps = routers->wraps;
    const struct mapcore_prism_search search = {
        .dims = {dims[0], dims[1], dims[2]},
        .wraps = {wraps[0], wraps[1], wraps[2]},
        .usable = selection->usable,
        .layout = layout,
        .capacity = routers->capacity,
        .along = routers->along};
    size_t n = selection->best;
    struct mapcore_prism *best = array_alloc(n, sizeof(*best), selection->err);
    int error = best ? mapcore_prism_find(best, &n, &search, selection->err)
                     : MAPCORE_ENOMEM;

    for (size_t i = 0; best && i < n; i++) {
        if (error == 0)
            error = take_prism(selection, layout, &best[i]);
        free(best[i].router);
    }
    free(best);
    return error;
}

/* Items at[n] in a box, plane by plane along y, and along the curve in each;
 * those at one place as they are. */
static int order_items(uint32_t *item,
                       const uint32_t (*at)[3],
                       uint32_t n,
                       const uint32_t box[3],
                       enum curve_kind kind,
                       struct arena *arena)
{
    const uint32_t dims[2] = {box[0], box[2]}, plane = box[0] * box[2];
    uint32_t *cell = arena_alloc(arena, plane, sizeof(*cell));
    uint32_t *turn = arena_alloc(arena, plane, sizeof(*turn));
    uint32_t *key = arena_alloc(arena, n, sizeof(*key));
    uint32_t *first =
        arena_alloc(arena, (size_t)plane * box[1] + 1, sizeof(*first));

    if (arena->error)
        return arena->error;
    curve_cells(cell, 2, dims, kind);
    for (uint32_t i = 0; i < plane; i++)
        turn[cell[i]] = i;
    for (uint32_t i = 0; i < n; i++)
        key[i] = at[i][1] * plane + turn[at[i][0] + box[0] * at[i][2]];
    bucket_items(first, item, key, n, plane * box[1]);
    return 0;
}

/* With any: nodes and blocks of routers in the same order. */
static int try_curve(struct selection *selection,
                     const struct mapcore_blocks *layout,
                     enum curve_kind kind,
                     const char *name)
{
    const struct routers *routers = selection->routers;
    uint32_t n = selection->per_router, nblocks = selection->nplaces / n;
    uint32_t box[3], nnodes = routers->nnodes;
    struct arena arena = {.err = selection->err};
    uint32_t *node = arena_alloc(&arena, nnodes, sizeof(*node));
    uint32_t *block = arena_alloc(&arena, nblocks, sizeof(*block));
    uint32_t *cell = arena_alloc(&arena, nblocks, sizeof(*cell));
    uint32_t *of_block = arena_alloc(&arena, selection->nplaces, sizeof(*cell));
    uint32_t(*at)[3] =
        arena_alloc(&arena, nnodes > nblocks ? nnodes : nblocks, sizeof(*at));
    int error = arena.error;

    if (error < 0)
        goto out;
    for (uint32_t i = 0; i < nnodes; i++)
        routers_place(at[i], routers, routers->router[i]);
    if ((error = box_around(at, box, nnodes, routers->ring, selection->err)) <
            0 ||
        (error = order_items(node, (const uint32_t(*)[3])at, nnodes, box, kind,
                             &arena)) < 0 ||
        (error = mapcore_blocks_prism(box, layout, selection->err)) < 0)
        goto out;
    mapcore_blocks_cells(cell, layout);
    for (uint32_t p = 0; p < nblocks; p++) {
        at[p][0] = cell[p] % box[0];
        at[p][1] = cell[p] / box[0] % box[1];
        at[p][2] = cell[p] / box[0] / box[1];
    }
    if ((error = order_items(block, (const uint32_t(*)[3])at, nblocks, box,
                             kind, &arena)) < 0)
        goto out;
    for (uint32_t i = 0; i < selection->nplaces; i++)
        of_block[block[i / n] * n + i % n] = node[i];
    error = select_keep(
        selection, (struct select_choice){.layout = *layout, .curve = name},
        of_block);
out:
    arena_clear(&arena);
    return error;
}

static int try_way(struct selection *selection,
                   const struct mapcore_blocks *layout)
{
    int error;

    if (!selection->any)
        return find_prisms(selection, layout);
    if ((error = try_curve(selection, layout, CURVE_HILBERT, "hilbert")) == 0 &&
        (error = try_curve(selection, layout, CURVE_SNAKE, "snake")) == 0)
        error = try_curve(selection, layout, CURVE_PLANAR, "planar");
    return error;
}

/* Way by way; a less promising one only when those before fit nowhere. */
static int try_ways(struct selection *selection)
{
    struct select_ways ways = {.n = 0};
    struct mapcore_error *err = selection->err, first = {""};
    int error = select_ways_list(&ways, selection), worst = 0;

    for (size_t i = 0; error == 0 && i < ways.n; i++) {
        const struct select_way *way = &ways.way[i];

        if (selection->n > 0 && select_ways_differ(way, way - 1))
            break;
        error = try_way(selection, &way->layout);
        if (error != MAPCORE_EINVAL && error != MAPCORE_ENOENT)
            continue;
        /* That planes are missing says more than that an axis is short. */
        if (worst == 0 ||
            (worst == MAPCORE_EINVAL && error == MAPCORE_ENOENT)) {
            worst = error;
            first = *err;
        }
        error = 0;
    }
    free(ways.way);
    if (error == 0 && selection->n == 0)
        error = worst;
    else if (error < 0)
        first = *err;
    if (error == MAPCORE_EINVAL || error == MAPCORE_ENOENT)
        error_set(err, error, "%s%s",
                  selection->any ? "" : "no prism fits: ", first.text);
    return error;
}

/* Which dimension the nodes of a router divide: where least is said across. */
static int choose_split(struct selection *selection)
{
    const struct mapcore_blocks *layout = &selection->layout;
    uint32_t n = selection->per_router, best = selection->split;

    if (best != MAPCORE_NONE && layout->block[best] % n != 0)
        return error_set(
            selection->err, MAPCORE_EINVAL,
            "the %u nodes of a router cannot divide the block's %u along dimension %u",
            n, layout->block[best], best + 1);
    for (uint32_t i = 0; selection->split == MAPCORE_NONE && i < layout->ndims;
         i++)
        if (layout->block[i] % n == 0 &&
            (best == MAPCORE_NONE || mapcore_blocks_surface(layout, i) <=
                                         mapcore_blocks_surface(layout, best)))
            best = i;
    selection->split = best;
    if (n > 1 && best == MAPCORE_NONE)
        return error_set(
            selection->err, MAPCORE_EINVAL,
            "the %u nodes of a router cannot divide its block along any dimension",
            n);
    return 0;
}

/* Counts and checks everything that needs no search. */
static int prepare(struct selection *selection)
{
    const struct routers *routers = selection->routers;
    uint32_t n;
    int error;

    if (selection->per_router == 0)
        selection->per_router = routers->most;
    n = selection->per_router;
    if (selection->only_nodes) {
        selection->layout.grid[3] = selection->layout.block[3] = n;
        selection->split = 3;
    }
    if ((error = mapcore_blocks_check(NULL, NULL, &selection->layout,
                                      selection->err)) < 0 ||
        (error = choose_split(selection)) < 0)
        return error;
    selection->node = selection->layout;
    if (n > 1)
        selection->node.block[selection->split] /= n;
    selection->node.tiled = false;
    if ((error = mapcore_blocks_check(&selection->nplaces, &selection->nper,
                                      &selection->node, selection->err)) < 0)
        return error;
    selection->usable = array_alloc(routers->nrouters,
                                    sizeof(*selection->usable), selection->err);
    if (!selection->usable)
        return MAPCORE_ENOMEM;
    for (uint32_t r = 0; r < routers->nrouters; r++) {
        selection->usable[r] = routers->first[r + 1] - routers->first[r] >= n;
        selection->nusable += selection->usable[r];
    }
    return torus_loads_open(&selection->loads, routers->dims, routers->wraps,
                            routers->capacity, routers->along, selection->err);
}

static int check_count(const struct selection *selection)
{
    const struct routers *routers = selection->routers;
    uint32_t n = selection->per_router, nplaces = selection->nplaces / n;

    if (selection->any && selection->nplaces > routers->nnodes)
        return error_set(selection->err, MAPCORE_EINVAL,
                         "the grid needs %u nodes, and there are %u",
                         selection->nplaces, routers->nnodes);
    if (!selection->any && nplaces > selection->nusable)
        return error_set(
            selection->err, MAPCORE_EINVAL,
            "the grid needs %u routers of %u usable node%s, and %u of %u have them",
            nplaces, n, n == 1 ? "" : "s", selection->nusable,
            routers->nrouters);
    return 0;
}

int select_nodes(struct selection *selection)
{
    int error = prepare(selection);

    if (error < 0)
        return error;
    if ((error = check_count(selection)) < 0 ||
        (error = try_ways(selection)) < 0)
        return selection->any || error == MAPCORE_ENOMEM
                   ? error
                   : select_nearest(selection, error);
    for (size_t i = 0; error == 0 && selection->spare > 0 && i < selection->n;
         i++)
        error = select_spare(&selection->choice[i], selection);
    return error;
}

void select_clear(struct selection *selection)
{
    for (size_t i = 0; i < selection->n; i++)
        free(selection->choice[i].node);
    free(selection->choice);
    free(selection->usable);
    torus_loads_clear(&selection->loads);
}
