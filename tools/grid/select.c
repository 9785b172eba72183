/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* select.c - Topaware: prisms of routers for a grid, over all ways to lay its
 * dimensions along the axes */
#include "config.h"

#include "tools/grid/select.h"

#include "base/array.h"
#include "cart/prism.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The search for prisms for one way to lay the dimensions. */
struct way_search {
    struct selection *selection;
    const struct select_query *query;
    const struct mapcore_blocks *layout;
    const struct routers *routers;
    struct mapcore_prism_search search;
    /* Owned. */
    uint32_t *cell;      /* of each block */
    uint32_t (*pair)[2]; /* search.pair */
    double *bytes;       /* search.bytes */
};

/* The nodes at the routers of a prism, place by place. */
static int take_prism(const struct way_search *way,
                      const struct mapcore_prism *prism,
                      struct mapcore_error *err)
{
    struct select_choice choice = {.skipped_rows = prism->skipped_rows,
                                   .skipped_planes = prism->skipped_planes};
    struct selection *selection = way->selection;
    const struct mapcore_blocks *layout = way->layout;
    const struct routers *routers = way->routers;
    uint32_t n = selection->per_router, *place = NULL;
    int error;

    memcpy(choice.axis, layout->axis, sizeof(choice.axis));
    memcpy(choice.tiles, layout->tiles, sizeof(choice.tiles));
    choice.staggers = layout->staggers;
    memcpy(choice.size, way->search.size, sizeof(choice.size));
    memcpy(choice.start, prism->start, sizeof(choice.start));
    if ((error = select_places(&place, selection, layout, err)) < 0)
        return error;
    choice.node = array_alloc(selection->nplaces, sizeof(*choice.node), err);
    error = !choice.node ? MAPCORE_ENOMEM : 0;
    for (uint32_t i = 0; error == 0 && i < selection->nplaces; i++) {
        uint32_t router = prism->router[way->cell[i / n]];

        choice.node[place[i]] = routers->node[routers->first[router] + i % n];
    }
    free(place);
    if (error == 0)
        error = select_measure(&choice, selection, way->query, routers, err);
    if (error < 0) {
        free(choice.node);
        return error;
    }
    return select_keep(selection, &choice, way->query->best, err);
}

/* The pairs of a search, as cells, and what they say. */
static int take_pairs(struct way_search *way, struct mapcore_error *err)
{
    struct mapcore_prism_search *search = &way->search;
    const uint32_t *cell = way->cell;
    int error =
        mapcore_blocks_pairs(&way->pair, &search->npairs, way->layout, err);

    if (error < 0)
        return error;
    way->bytes = array_alloc(search->npairs, sizeof(*way->bytes), err);
    if (!way->bytes)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < search->npairs; i++) {
        uint32_t *pair = way->pair[i];

        way->bytes[i] =
            select_pair_bytes(way->layout, way->query->weight, pair);
        pair[0] = cell[pair[0]];
        pair[1] = cell[pair[1]];
    }
    search->pair = (const uint32_t(*)[2])way->pair;
    search->bytes = way->bytes;
    return 0;
}

static int find_prisms(struct selection *selection,
                       const struct select_query *query,
                       const struct mapcore_blocks *layout,
                       const bool *usable,
                       const struct routers *routers,
                       struct mapcore_error *err)
{
    struct way_search way = {selection, query, layout, routers,
                             .search = {.usable = usable,
                                        .capacity = routers->capacity,
                                        .along = routers->along}};
    struct mapcore_prism *best = NULL;
    size_t n = query->best;
    int error;

    memcpy(way.search.dims, routers->dims, sizeof(way.search.dims));
    memcpy(way.search.wraps, routers->wraps, sizeof(way.search.wraps));
    if ((error = mapcore_blocks_prism(way.search.size, layout, err)) < 0)
        return error;
    way.cell = array_alloc(selection->nplaces / selection->per_router,
                           sizeof(*way.cell), err);
    best = array_alloc(n, sizeof(*best), err);
    if (!way.cell || !best) {
        error = MAPCORE_ENOMEM;
        goto out;
    }
    mapcore_blocks_cells(way.cell, layout);
    if ((error = take_pairs(&way, err)) < 0 ||
        (error = mapcore_prism_find(best, &n, &way.search, err)) < 0)
        goto out;
    for (size_t i = 0; i < n; i++) {
        if (error == 0)
            error = take_prism(&way, &best[i], err);
        free(best[i].router);
    }
out:
    free(way.bytes);
    free(way.pair);
    free(best);
    free(way.cell);
    return error;
}

/* Way by way; a less promising one only when those before fit nowhere. */
static int try_ways(struct selection *selection,
                    const struct select_query *query,
                    const bool *usable,
                    const struct routers *routers,
                    struct mapcore_error *err)
{
    struct mapcore_blocks layout = query->layout;
    struct select_ways ways = {.n = 0};
    struct mapcore_error why = {""}, first = {""};
    int error = select_ways_list(&ways, query, routers, &why), worst = 0;

    for (size_t i = 0; error == 0 && i < ways.n; i++) {
        const struct select_way *way = &ways.way[i];

        if (selection->n > 0 && select_ways_differ(way, way - 1))
            break;
        memcpy(layout.axis, way->axis, sizeof(layout.axis));
        memcpy(layout.tiles, way->tiles, sizeof(layout.tiles));
        layout.staggers = way->staggers;
        error =
            query->any
                ? select_any(selection, query, &layout, routers, &why)
                : find_prisms(selection, query, &layout, usable, routers, &why);
        if (error != MAPCORE_EINVAL && error != MAPCORE_ENOENT)
            continue;
        /* That planes are missing says more than that an axis is short. */
        if (worst == 0 ||
            (worst == MAPCORE_EINVAL && error == MAPCORE_ENOENT)) {
            worst = error;
            first = why;
        }
        error = 0;
    }
    select_ways_clear(&ways);
    if (error == 0 && selection->n == 0) {
        error = worst;
        why = first;
    }
    if (error == MAPCORE_EINVAL || error == MAPCORE_ENOENT)
        return error_set(err, error, "%s%s",
                         query->any ? "" : "no prism fits: ", why.text);
    return error < 0 ? error_set(err, error, "%s", why.text) : 0;
}

/* Which dimension the nodes of a router divide: where least is said across. */
static int choose_split(struct selection *selection,
                        const struct select_query *query,
                        struct mapcore_error *err)
{
    const struct mapcore_blocks *layout = &query->layout;
    uint32_t n = selection->per_router, best = MAPCORE_NONE;

    if (query->split != MAPCORE_NONE && layout->block[query->split] % n != 0)
        return error_set(err, MAPCORE_EINVAL,
                         "the %" PRIu32
                         " nodes of a router cannot divide the block's "
                         "%" PRIu32 " along dimension %" PRIu32,
                         n, layout->block[query->split], query->split + 1);
    for (uint32_t i = 0; i < layout->ndims; i++)
        if (layout->block[i] % n == 0 &&
            (best == MAPCORE_NONE ||
             select_traffic(layout, query->weight, i) <=
                 select_traffic(layout, query->weight, best)))
            best = i;
    selection->split = query->split != MAPCORE_NONE ? query->split : best;
    if (n > 1 && selection->split == MAPCORE_NONE)
        return error_set(err, MAPCORE_EINVAL,
                         "the %" PRIu32 " nodes of a router cannot divide its "
                         "block along any dimension",
                         n);
    return 0;
}

/* Counts and checks everything that needs no search. */
static int prepare(struct selection *selection,
                   struct select_query *query,
                   const struct routers *routers,
                   struct mapcore_error *err)
{
    uint32_t n = query->per_router > 0 ? query->per_router : routers->most;
    int error;

    selection->per_router = n;
    if (query->only_nodes) {
        query->layout.grid[3] = query->layout.block[3] = n;
        query->split = 3;
    }
    if ((error = mapcore_blocks_check(NULL, NULL, &query->layout, err)) < 0 ||
        (error = choose_split(selection, query, err)) < 0)
        return error;
    selection->layout = query->layout;
    if (n > 1)
        selection->layout.block[selection->split] /= n;
    selection->layout.tiled = false;
    if ((error = mapcore_blocks_check(&selection->nplaces, &selection->nper,
                                      &selection->layout, err)) < 0)
        return error;
    for (uint32_t r = 0; r < routers->nrouters; r++)
        selection->usable += routers->first[r + 1] - routers->first[r] >= n;
    return 0;
}

static int check_count(const struct selection *selection,
                       const struct select_query *query,
                       const struct routers *routers,
                       struct mapcore_error *err)
{
    uint32_t n = selection->per_router, nplaces = selection->nplaces / n;

    if (query->any && selection->nplaces > routers->nnodes)
        return error_set(err, MAPCORE_EINVAL,
                         "the grid needs %" PRIu32
                         " nodes, and there are %" PRIu32,
                         selection->nplaces, routers->nnodes);
    if (!query->any && nplaces > selection->usable)
        return error_set(err, MAPCORE_EINVAL,
                         "the grid needs %" PRIu32 " routers of %" PRIu32
                         " usable node%s, and %" PRIu32 " of %" PRIu32
                         " have so many",
                         nplaces, n, n == 1 ? "" : "s", selection->usable,
                         routers->nrouters);
    return 0;
}

/* What is to spare of each choice that is wanted. */
static int add_spares(struct selection *selection,
                      const struct select_query *query,
                      const struct routers *routers,
                      struct mapcore_error *err)
{
    int error = 0;

    for (size_t i = 0; error == 0 && query->spare > 0 && i < selection->n; i++)
        error = select_spare(&selection->choice[i], selection, query->spare,
                             routers, err);
    return error;
}

int select_nodes(struct selection *out,
                 const struct select_query *query,
                 const struct routers *routers,
                 struct mapcore_error *err)
{
    struct selection made = {.split = MAPCORE_NONE};
    struct select_query full = *query;
    bool *usable = array_alloc(routers->nrouters, sizeof(*usable), err);
    int error;

    if (!usable)
        return MAPCORE_ENOMEM;
    if ((error = prepare(&made, &full, routers, err)) < 0)
        goto out;
    for (uint32_t r = 0; r < routers->nrouters; r++)
        usable[r] =
            routers->first[r + 1] - routers->first[r] >= made.per_router;
    if ((error = check_count(&made, &full, routers, err)) < 0 ||
        (error = try_ways(&made, &full, usable, routers, err)) < 0) {
        if (!query->any && error != MAPCORE_ENOMEM)
            error = select_nearest(&full, usable, routers, error, err);
        goto out;
    }
    if ((error = add_spares(&made, &full, routers, err)) < 0)
        goto out;
    *out = made;
    made = (struct selection){0};
out:
    free(usable);
    select_clear(&made);
    return error;
}
