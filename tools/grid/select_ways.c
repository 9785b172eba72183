/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* select_ways.c - the ways to lay the dimensions of a grid along the axes of a
 * torus, and a sheet in super-tiles, the most promising first */
#include "config.h"

#include "tools/grid/select.h"

#include "base/array.h"

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
    const struct mapcore_blocks *p = &x->layout, *q = &y->layout;
    int order;

    if (x->longest != y->longest)
        return x->longest < y->longest ? -1 : 1;
    if ((order = compare_costs(x->cost, y->cost)) != 0 ||
        (order = memcmp(p->axis, q->axis, sizeof(p->axis))) != 0 ||
        (order = memcmp(p->tiles, q->tiles, sizeof(p->tiles))) != 0)
        return order;
    return (int)p->staggers - (int)q->staggers;
}

/* One way for each order of axes; traffic over capacity is its cost. */
static void list_orders(struct select_ways *ways,
                        const struct selection *selection)
{
    for (int p = 0; p < SELECT_AXIS_ORDERS; p++) {
        struct select_way now = {.layout = selection->layout};
        struct mapcore_blocks *layout = &now.layout;
        uint32_t taken = 0;
        bool is_new = true;

        for (uint32_t i = 0; i < layout->ndims; i++) {
            uint32_t along = mapcore_blocks_along(layout, i);

            /* A fourth axis is refused with words by mapcore_blocks_prism. */
            layout->axis[i] = 3;
            if (along == 1 || taken == 3)
                continue;
            layout->axis[i] = select_axis_orders[p][taken++];
            now.cost +=
                mapcore_blocks_surface(layout, i) /
                routers_carry(selection->routers, layout->axis[i], along);
        }
        for (size_t k = 0; k < ways->n; k++)
            is_new = is_new && memcmp(ways->way[k].layout.axis, layout->axis,
                                      sizeof(layout->axis)) != 0;
        if (is_new)
            ways->way[ways->n++] = now;
    }
}

/* What the whole torus would make of super-tiles; false: they do not fit. */
static int promise(struct select_way *way,
                   bool *fits,
                   struct selection *selection)
{
    const uint32_t *dims = selection->routers->dims;
    uint32_t size[3], n, *router;
    struct select_paths paths = {.longest = 0};
    int error;

    if ((error = mapcore_blocks_check(&n, NULL, &way->layout, selection->err)) <
            0 ||
        (error = mapcore_blocks_prism(size, &way->layout, selection->err)) < 0)
        return error;
    *fits = size[0] <= dims[0] && size[1] <= dims[1] && size[2] <= dims[2];
    if (!*fits)
        return 0;
    router = array_alloc(n, sizeof(*router), selection->err);
    if (!router)
        return MAPCORE_ENOMEM;
    mapcore_blocks_cells(router, &way->layout);
    for (uint32_t p = 0; p < n; p++)
        router[p] = router[p] % size[0] +
                    dims[0] * (router[p] / size[0] % size[1] +
                               dims[1] * (router[p] / size[0] / size[1]));
    error = select_measure(&paths, selection, &way->layout, router);
    way->longest = paths.longest;
    way->cost = paths.slowest;
    free(router);
    return error;
}

/* With and without displaced layers where there are any. */
static int add_tiles(struct select_ways *ways,
                     const struct mapcore_blocks *layout,
                     struct selection *selection)
{
    bool layers = layout->tiles[0] > 1 && layout->tiles[1] > 1;
    int error = 0;

    for (int staggers = layout->staggers; error == 0 && staggers < 2;
         staggers++) {
        struct select_way now = {.layout = *layout};
        bool fits = true;

        now.layout.staggers = staggers;
        if (staggers && !layers && !layout->staggers)
            continue;
        if (selection->any_tiles)
            error = promise(&now, &fits, selection);
        if (error == 0 && fits &&
            (error = array_reserve(&ways->way, &ways->capacity, ways->n + 1,
                                   sizeof(*ways->way), selection->err)) == 0)
            ways->way[ways->n++] = now;
    }
    return error;
}

/* All numbers of tiles that divide the blocks, for all orders of axes. */
static int list_any_tiles(struct select_ways *ways, struct selection *selection)
{
    struct mapcore_blocks layout = selection->layout;
    uint32_t na = mapcore_blocks_along(&layout, 0),
             nb = mapcore_blocks_along(&layout, 1);
    int error = 0;

    for (int p = 0; p < SELECT_AXIS_ORDERS; p++) {
        memcpy(layout.axis, select_axis_orders[p], 2 * sizeof(*layout.axis));
        if (selection->has_axes && memcmp(layout.axis, selection->layout.axis,
                                          sizeof(layout.axis)) != 0)
            continue;
        for (uint32_t a = 1; a <= na; a++)
            for (uint32_t b = 1; b <= nb && error == 0; b++) {
                layout.tiles[0] = a;
                layout.tiles[1] = b;
                if (na % a == 0 && nb % b == 0)
                    error = add_tiles(ways, &layout, selection);
            }
    }
    if (error == 0 && ways->n == 0)
        error = error_set(selection->err, MAPCORE_ENOENT,
                          "no super-tiles of the grid fit into the torus");
    return error;
}

int select_ways_list(struct select_ways *out, struct selection *selection)
{
    int error = array_reserve(&out->way, &out->capacity, SELECT_AXIS_ORDERS,
                              sizeof(*out->way), selection->err);

    if (error < 0)
        return error;
    if (selection->any_tiles)
        error = list_any_tiles(out, selection);
    else if (selection->layout.tiled)
        error = add_tiles(out, &selection->layout, selection);
    else if (selection->has_axes)
        out->way[out->n++] = (struct select_way){.layout = selection->layout};
    else
        list_orders(out, selection);
    if (error == 0)
        qsort(out->way, out->n, sizeof(*out->way), compare_ways);
    return error;
}
