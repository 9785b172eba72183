/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* select_ways.c - the ways to lay the dimensions of a grid along the axes of a
 * torus, and a sheet in super-tiles, the most promising first */
#include "config.h"

#include "tools/grid/select.h"

#include "base/array.h"
#include "cart/torus_loads.h"

#include <stdlib.h>
#include <string.h>

const uint32_t select_axis_orders[SELECT_AXIS_ORDERS][3] = {
    {0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0},
};

static int compare_costs(double a, double b)
{
    if (a < b * (1 - 1e-9) || b < a * (1 - 1e-9))
        return a < b ? -1 : 1;
    return 0;
}

bool select_ways_differ(const struct select_way *a, const struct select_way *b)
{
    return a->longest != b->longest || compare_costs(a->cost, b->cost) != 0;
}

static int compare_ways(const void *a, const void *b)
{
    const struct select_way *x = a, *y = b;
    int order;

    if (x->longest != y->longest)
        return x->longest < y->longest ? -1 : 1;
    if ((order = compare_costs(x->cost, y->cost)) != 0)
        return order;
    if ((order = memcmp(x->axis, y->axis, sizeof(x->axis))) != 0)
        return order;
    if ((order = memcmp(x->tiles, y->tiles, sizeof(x->tiles))) != 0)
        return order;
    return (int)x->staggers - (int)y->staggers;
}

/* One way for each order of axes; traffic over capacity is its cost. */
static void list_orders(struct select_ways *ways,
                        const struct select_query *query,
                        const struct routers *routers)
{
    const struct mapcore_blocks *layout = &query->layout;

    for (int p = 0; p < SELECT_AXIS_ORDERS; p++) {
        struct select_way now = {.cost = 0};
        uint32_t taken = 0;
        bool is_new = true;

        for (uint32_t i = 0; i < layout->ndims; i++) {
            /* A fourth axis is refused with words by mapcore_blocks_prism. */
            now.axis[i] = 3;
            if (mapcore_blocks_along(layout, i) == 1 || taken == 3)
                continue;
            now.axis[i] = select_axis_orders[p][taken++];
            now.cost += select_traffic(layout, query->weight, i) /
                        routers_carry(routers, now.axis[i],
                                      mapcore_blocks_along(layout, i));
        }
        for (size_t k = 0; k < ways->n; k++)
            is_new = is_new &&
                     memcmp(ways->way[k].axis, now.axis, sizeof(now.axis)) != 0;
        if (is_new)
            ways->way[ways->n++] = now;
    }
}

/* What the whole torus would make of super-tiles; false: they do not fit. */
static int promise(struct select_way *way,
                   bool *fits,
                   const struct select_query *query,
                   const struct routers *routers,
                   struct torus_loads *loads,
                   struct mapcore_error *err)
{
    struct mapcore_blocks layout = query->layout;
    uint32_t size[3], *cell = NULL, (*pair)[2] = NULL, n = 1;
    size_t npairs;
    int error;

    memcpy(layout.axis, way->axis, sizeof(layout.axis));
    memcpy(layout.tiles, way->tiles, sizeof(layout.tiles));
    layout.staggers = way->staggers;
    *fits = false;
    if ((error = mapcore_blocks_prism(size, &layout, err)) < 0)
        return error;
    for (int i = 0; i < 3; i++)
        if (size[i] > routers->dims[i])
            return 0;
    for (uint32_t i = 0; i < layout.ndims; i++)
        n *= mapcore_blocks_along(&layout, i);
    cell = array_alloc(n, sizeof(*cell), err);
    if (!cell)
        return MAPCORE_ENOMEM;
    if ((error = mapcore_blocks_pairs(&pair, &npairs, &layout, err)) < 0) {
        free(cell);
        return error;
    }
    mapcore_blocks_cells(cell, &layout);
    for (uint32_t p = 0; p < n; p++) {
        uint32_t z = cell[p] % size[2], x = cell[p] / size[2] % size[0];
        uint32_t y = cell[p] / size[2] / size[0];

        cell[p] = x + routers->dims[0] * (y + routers->dims[1] * z);
    }
    for (size_t k = 0; k < npairs; k++) {
        uint32_t a = cell[pair[k][0]], b = cell[pair[k][1]];
        uint32_t hops = torus_loads_hops(loads, a, b);

        way->longest = hops > way->longest ? hops : way->longest;
        torus_loads_add(loads, a, b,
                        select_pair_bytes(&layout, query->weight, pair[k]));
    }
    way->cost = loads->slowest;
    torus_loads_reset(loads);
    *fits = true;
    free(pair);
    free(cell);
    return 0;
}

/* With and without displaced layers where there are any. */
static int add_tiles(struct select_ways *ways,
                     const struct select_way *way,
                     const struct select_query *query,
                     const struct routers *routers,
                     struct torus_loads *loads,
                     struct mapcore_error *err)
{
    bool layers = way->tiles[0] > 1 && way->tiles[1] > 1;

    for (int staggers = query->layout.staggers; staggers < 2; staggers++) {
        struct select_way now = *way;
        bool fits = true;
        int error = 0;

        now.staggers = staggers;
        if (staggers && !layers && !query->layout.staggers)
            continue;
        if (query->any_tiles)
            error = promise(&now, &fits, query, routers, loads, err);
        if (error == 0 && fits)
            error = array_reserve(&ways->way, &ways->capacity, ways->n + 1,
                                  sizeof(*ways->way), err);
        if (error < 0)
            return error;
        if (fits)
            ways->way[ways->n++] = now;
    }
    return 0;
}

/* All numbers of tiles that divide the blocks, for one order of axes. */
static int list_tiles(struct select_ways *ways,
                      const uint32_t axis[2],
                      const struct select_query *query,
                      const struct routers *routers,
                      struct torus_loads *loads,
                      struct mapcore_error *err)
{
    const struct mapcore_blocks *layout = &query->layout;
    uint32_t along[2] = {mapcore_blocks_along(layout, 0),
                         mapcore_blocks_along(layout, 1)};
    struct select_way way = {.axis = {axis[0], axis[1]}};
    int error = 0;

    for (uint32_t a = 1; a <= along[0] && error == 0; a++)
        for (uint32_t b = 1; b <= along[1] && error == 0; b++) {
            if (along[0] % a != 0 || along[1] % b != 0)
                continue;
            way.tiles[0] = a;
            way.tiles[1] = b;
            error = add_tiles(ways, &way, query, routers, loads, err);
        }
    return error;
}

static int list_any_tiles(struct select_ways *ways,
                          const struct select_query *query,
                          const struct routers *routers,
                          struct mapcore_error *err)
{
    struct torus_loads loads;
    int error = torus_loads_open(&loads, routers->dims, routers->wraps,
                                 routers->capacity, routers->along, err);

    for (int p = 0; p < SELECT_AXIS_ORDERS && error == 0; p++)
        if (!query->has_axes ||
            memcmp(select_axis_orders[p], query->layout.axis,
                   2 * sizeof(uint32_t)) == 0)
            error = list_tiles(ways, select_axis_orders[p], query, routers,
                               &loads, err);
    torus_loads_clear(&loads);
    if (error == 0 && ways->n == 0)
        error = error_set(err, MAPCORE_ENOENT,
                          "no super-tiles of the grid fit into the torus");
    return error;
}

int select_ways_list(struct select_ways *out,
                     const struct select_query *query,
                     const struct routers *routers,
                     struct mapcore_error *err)
{
    const struct mapcore_blocks *layout = &query->layout;
    struct select_way given = {.cost = 0};
    int error = array_reserve(&out->way, &out->capacity, SELECT_AXIS_ORDERS,
                              sizeof(*out->way), err);

    if (error < 0)
        return error;
    memcpy(given.axis, layout->axis, sizeof(given.axis));
    memcpy(given.tiles, layout->tiles, sizeof(given.tiles));
    if (query->any_tiles)
        error = list_any_tiles(out, query, routers, err);
    else if (layout->tiled)
        error = add_tiles(out, &given, query, routers, NULL, err);
    else if (query->has_axes)
        out->way[out->n++] = given;
    else
        list_orders(out, query, routers);
    if (error < 0)
        return error;
    qsort(out->way, out->n, sizeof(*out->way), compare_ways);
    return 0;
}

void select_ways_clear(struct select_ways *ways)
{
    free(ways->way);
    *ways = (struct select_ways){.n = 0};
}
