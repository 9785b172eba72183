/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* select_any.c - rank orders for nodes that somebody else chose: planes along
 * y, and in each a curve */
#include "config.h"

#include "tools/grid/select.h"

#include "base/array.h"
#include "cart/curve.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    enum curve_kind kind;
    const char *name;
} curves[] = {
    {CURVE_HILBERT, "hilbert"},
    {CURVE_SNAKE, "snake"},
    {CURVE_PLANAR, "planar"},
};

/* Where each cell of a box of n x m, the first fastest, comes on the curve. */
static int number_cells(uint32_t **out,
                        uint32_t n,
                        uint32_t m,
                        enum curve_kind kind,
                        struct mapcore_error *err)
{
    const uint32_t dims[2] = {n, m};
    uint32_t *cell = array_alloc((size_t)n * m, sizeof(*cell), err);
    uint32_t *at = array_alloc((size_t)n * m, sizeof(*at), err);

    if (cell && at) {
        curve_cells(cell, 2, dims, kind);
        for (uint32_t i = 0; i < n * m; i++)
            at[cell[i]] = i;
        *out = at;
        at = NULL;
    }
    free(cell);
    free(at);
    return *out ? 0 : MAPCORE_ENOMEM;
}

/* All nodes, the routers plane by plane along y and along the curve in each. */
static int order_nodes(uint32_t *node,
                       const struct routers *routers,
                       enum curve_kind kind,
                       struct mapcore_error *err)
{
    uint32_t origin[3], extent[3], *at = NULL, *router = NULL, count = 0;
    int error;

    routers_box(origin, extent, routers);
    if ((error = number_cells(&at, extent[0], extent[2], kind, err)) < 0)
        return error;
    router = array_alloc((size_t)extent[0] * extent[1] * extent[2],
                         sizeof(*router), err);
    if (!router) {
        free(at);
        return MAPCORE_ENOMEM;
    }
    for (uint32_t r = 0; r < routers->nrouters; r++) {
        uint32_t x[3];

        if (routers->first[r] == routers->first[r + 1])
            continue;
        routers_place(x, routers, origin, r);
        router[x[1] * extent[0] * extent[2] + at[x[0] + extent[0] * x[2]]] =
            r + 1;
    }
    for (uint32_t i = 0; i < extent[0] * extent[1] * extent[2]; i++)
        for (uint32_t k = router[i] > 0 ? routers->first[router[i] - 1] : 0;
             router[i] > 0 && k < routers->first[router[i]]; k++)
            node[count++] = routers->node[k];
    free(router);
    free(at);
    return 0;
}

/* The blocks of routers in the same order: sequence[n] places. */
static int order_blocks(uint32_t *sequence,
                        const struct mapcore_blocks *layout,
                        uint32_t n,
                        enum curve_kind kind,
                        struct mapcore_error *err)
{
    uint32_t size[3], *at = NULL, *cell = NULL;
    int error = mapcore_blocks_prism(size, layout, err);

    if (error < 0 ||
        (error = number_cells(&at, size[0], size[2], kind, err)) < 0)
        return error;
    cell = array_alloc(n, sizeof(*cell), err);
    if (!cell) {
        free(at);
        return MAPCORE_ENOMEM;
    }
    mapcore_blocks_cells(cell, layout);
    for (uint32_t p = 0; p < n; p++) {
        uint32_t plane = cell[p] / (size[0] * size[2]);
        uint32_t x = cell[p] / size[2] % size[0], z = cell[p] % size[2];

        sequence[plane * size[0] * size[2] + at[x + size[0] * z]] = p;
    }
    free(cell);
    free(at);
    return 0;
}

static int try_curve(struct selection *selection,
                     const struct select_query *query,
                     const struct mapcore_blocks *layout,
                     const struct routers *routers,
                     size_t c,
                     struct mapcore_error *err)
{
    struct select_choice choice = {.curve = curves[c].name};
    uint32_t n = selection->per_router, nblocks = selection->nplaces / n;
    uint32_t *node = array_alloc(routers->nnodes, sizeof(*node), err);
    uint32_t *sequence = array_alloc(nblocks, sizeof(*sequence), err);
    uint32_t *place = NULL;
    int error = MAPCORE_ENOMEM;

    memcpy(choice.axis, layout->axis, sizeof(choice.axis));
    choice.node = array_alloc(selection->nplaces, sizeof(*choice.node), err);
    if (!node || !sequence || !choice.node)
        goto out;
    if ((error = order_nodes(node, routers, curves[c].kind, err)) < 0 ||
        (error = order_blocks(sequence, layout, nblocks, curves[c].kind, err)) <
            0 ||
        (error = select_places(&place, selection, layout, err)) < 0)
        goto out;
    for (uint32_t i = 0; i < nblocks; i++)
        for (uint32_t h = 0; h < n; h++)
            choice.node[place[sequence[i] * n + h]] = node[i * n + h];
    error = select_measure(&choice, selection, query, routers, err);
    if (error == 0) {
        error = select_keep(selection, &choice, query->best, err);
        choice.node = NULL;
    }
out:
    free(choice.node);
    free(place);
    free(sequence);
    free(node);
    return error;
}

int select_any(struct selection *selection,
               const struct select_query *query,
               const struct mapcore_blocks *layout,
               const struct routers *routers,
               struct mapcore_error *err)
{
    int error = 0;

    for (size_t c = 0; error == 0 && c < sizeof(curves) / sizeof(*curves); c++)
        error = try_curve(selection, query, layout, routers, c, err);
    return error;
}
