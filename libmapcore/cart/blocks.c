/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* blocks.c - Topaware's and grid_order's rank orders */
#include "config.h"

#include "cart/blocks.h"

#include "base/array.h"

#include <stdlib.h>

static int check_tiles(const struct mapcore_blocks *layout,
                       struct mapcore_error *err)
{
    if (layout->ndims != 2)
        return error_set(err, MAPCORE_EINVAL,
                         "super-tiles are for two dimensions, not %u",
                         layout->ndims);
    for (uint32_t i = 0; i < 2; i++)
        if (layout->tiles[i] == 0 ||
            mapcore_blocks_along(layout, i) % layout->tiles[i] != 0)
            return error_set(err, MAPCORE_EINVAL,
                             "%u blocks along dimension %u cannot be %u "
                             "super-tiles",
                             mapcore_blocks_along(layout, i), i + 1,
                             layout->tiles[i]);
    if (layout->axis[0] > 2 || layout->axis[1] > 2 ||
        layout->axis[0] == layout->axis[1])
        return error_set(err, MAPCORE_EINVAL,
                         "super-tiles lie along two different axes");
    return 0;
}

int mapcore_blocks_check(uint32_t *nplaces,
                         uint32_t *nper,
                         const struct mapcore_blocks *layout,
                         struct mapcore_error *err)
{
    uint32_t per = 1, all = 1;

    if (layout->ndims < 1 || layout->ndims > MAPCORE_BLOCKS_DIMS)
        return error_set(err, MAPCORE_EINVAL,
                         "a grid of %u dimensions: there may be 1 to %d",
                         layout->ndims, MAPCORE_BLOCKS_DIMS);
    for (uint32_t i = 0; i < layout->ndims; i++) {
        uint32_t grid = layout->grid[i], block = layout->block[i];

        if (grid == 0 || block == 0)
            return error_set(err, MAPCORE_EINVAL, "dimension %u is 0", i + 1);
        if (grid % block != 0 && (!layout->clips || block > grid))
            return error_set(err, MAPCORE_EINVAL,
                             "%u tasks along dimension %u cannot be cut into "
                             "blocks of %u",
                             grid, i + 1, block);
        if (__builtin_mul_overflow(all, grid, &all) || all > INT32_MAX)
            return error_set(err, MAPCORE_ERANGE,
                             "a grid of more than %d tasks", INT32_MAX);
        /* A block may reach beyond the grid. */
        if (__builtin_mul_overflow(per, block, &per) || per > INT32_MAX)
            return error_set(err, MAPCORE_ERANGE,
                             "a block of more than %d tasks", INT32_MAX);
    }
    if (nplaces)
        *nplaces = (all - 1) / per + 1;
    if (nper)
        *nper = per;
    return layout->tiled ? check_tiles(layout, err) : 0;
}

/* Coordinates of number in a box, along the dimension that is fastest. */
static void unfold(uint32_t *x,
                   uint32_t number,
                   const uint32_t *box,
                   const struct mapcore_blocks *layout)
{
    for (uint32_t k = 0; k < layout->ndims; k++) {
        uint32_t i = layout->first_fastest ? k : layout->ndims - 1 - k;

        x[i] = number % box[i];
        number /= box[i];
    }
}

static uint32_t fold(const uint32_t *x,
                     const uint32_t *box,
                     const struct mapcore_blocks *layout)
{
    uint32_t number = 0;

    for (uint32_t k = 0; k < layout->ndims; k++) {
        uint32_t i = layout->first_fastest ? layout->ndims - 1 - k : k;

        number = number * box[i] + x[i];
    }
    return number;
}

void mapcore_blocks_order(uint32_t *rank, const struct mapcore_blocks *layout)
{
    uint32_t boxes[MAPCORE_BLOCKS_DIMS], places = 1, next = 0;

    for (uint32_t i = 0; i < layout->ndims; i++) {
        boxes[i] = (layout->grid[i] - 1) / layout->block[i] + 1;
        places *= boxes[i];
    }
    for (uint32_t p = 0; p < places; p++) {
        uint32_t outer[MAPCORE_BLOCKS_DIMS], inner[MAPCORE_BLOCKS_DIMS];
        uint32_t size[MAPCORE_BLOCKS_DIMS], per = 1;

        unfold(outer, p, boxes, layout);
        for (uint32_t i = 0; i < layout->ndims; i++) {
            outer[i] *= layout->block[i];
            size[i] = layout->grid[i] - outer[i];
            if (size[i] > layout->block[i])
                size[i] = layout->block[i];
            per *= size[i];
        }
        for (uint32_t t = 0; t < per; t++) {
            unfold(inner, t, size, layout);
            for (uint32_t i = 0; i < layout->ndims; i++)
                inner[i] += outer[i];
            rank[next++] = fold(inner, layout->grid, layout);
        }
    }
}

/* The dimension that is folded first: with fewer super-tiles. */
static uint32_t first_fold(const struct mapcore_blocks *layout)
{
    return layout->tiles[1] < layout->tiles[0] ? 1 : 0;
}

/* Along which the planes of super-tiles lie. */
static uint32_t stack_axis(const struct mapcore_blocks *layout)
{
    return 3 - layout->axis[0] - layout->axis[1];
}

/* Routers that staggering adds. */
static uint32_t stagger_extra(const struct mapcore_blocks *layout)
{
    return layout->staggers ? layout->tiles[first_fold(layout)] - 1 : 0;
}

int mapcore_blocks_prism(uint32_t size[3],
                         const struct mapcore_blocks *layout,
                         struct mapcore_error *err)
{
    bool taken[3] = {false, false, false};

    if (layout->tiled) {
        for (uint32_t i = 0; i < 2; i++)
            size[layout->axis[i]] =
                mapcore_blocks_along(layout, i) / layout->tiles[i];
        size[layout->axis[1 - first_fold(layout)]] += stagger_extra(layout);
        size[stack_axis(layout)] = layout->tiles[0] * layout->tiles[1];
        return 0;
    }
    size[0] = size[1] = size[2] = 1;
    for (uint32_t i = 0; i < layout->ndims; i++) {
        uint32_t blocks = mapcore_blocks_along(layout, i),
                 axis = layout->axis[i];

        if (blocks == 1)
            continue;
        if (axis > 2 || taken[axis])
            return error_set(err, MAPCORE_EINVAL,
                             "dimension %u has %u blocks, and no axis of the "
                             "torus is left for it",
                             i + 1, blocks);
        taken[axis] = true;
        size[axis] = blocks;
    }
    return 0;
}

/* Where the block at x[2] lies in the folded stack of super-tiles. */
static void place_in_tiles(uint32_t at[3],
                           const uint32_t *x,
                           const struct mapcore_blocks *layout)
{
    uint32_t first = first_fold(layout), second = 1 - first;
    uint32_t tile[2], inside[2], layer;

    for (uint32_t i = 0; i < 2; i++) {
        uint32_t n = mapcore_blocks_along(layout, i) / layout->tiles[i];

        tile[i] = x[i] / n;
        inside[i] = x[i] % n;
        /* Every other tile lies face down. */
        if (tile[i] % 2 == 1)
            inside[i] = n - 1 - inside[i];
    }
    layer = tile[first];
    /* The folded strip is folded again: its layers turn over each time. */
    if (tile[second] % 2 == 1)
        layer = layout->tiles[first] - 1 - layer;
    at[layout->axis[first]] = inside[first];
    at[layout->axis[second]] =
        inside[second] + (layout->staggers ? tile[first] : 0);
    at[stack_axis(layout)] = tile[second] * layout->tiles[first] + layer;
}

void mapcore_blocks_cells(uint32_t *cell, const struct mapcore_blocks *layout)
{
    uint32_t boxes[MAPCORE_BLOCKS_DIMS], size[3], places = 1;

    for (uint32_t i = 0; i < layout->ndims; i++) {
        boxes[i] = mapcore_blocks_along(layout, i);
        places *= boxes[i];
    }
    if (mapcore_blocks_prism(size, layout, NULL) < 0)
        return;
    for (uint32_t p = 0; p < places; p++) {
        uint32_t x[MAPCORE_BLOCKS_DIMS], at[3] = {0, 0, 0};

        unfold(x, p, boxes, layout);
        if (layout->tiled)
            place_in_tiles(at, x, layout);
        else
            for (uint32_t i = 0; i < layout->ndims; i++)
                if (boxes[i] > 1)
                    at[layout->axis[i]] = x[i];
        cell[p] = at[0] + size[0] * (at[1] + size[1] * at[2]);
    }
}

double mapcore_blocks_surface(const struct mapcore_blocks *layout, uint32_t i)
{
    double bytes = layout->weight[i];

    for (uint32_t k = 0; k < layout->ndims; k++)
        if (k != i)
            bytes *= layout->block[k];
    return bytes;
}

int mapcore_blocks_pairs(struct mapcore_blocks_pair **out,
                         size_t *n,
                         const struct mapcore_blocks *layout,
                         struct mapcore_error *err)
{
    uint32_t boxes[MAPCORE_BLOCKS_DIMS], places = 1;
    struct mapcore_blocks_pair *pair;
    size_t count = 0;

    for (uint32_t i = 0; i < layout->ndims; i++) {
        boxes[i] = mapcore_blocks_along(layout, i);
        places *= boxes[i];
    }
    pair = array_alloc((size_t)places * layout->ndims, sizeof(*pair), err);
    if (!pair)
        return MAPCORE_ENOMEM;
    for (uint32_t p = 0; p < places; p++)
        for (uint32_t i = 0; i < layout->ndims; i++) {
            uint32_t x[MAPCORE_BLOCKS_DIMS];
            double bytes = mapcore_blocks_surface(layout, i);

            unfold(x, p, boxes, layout);
            if (boxes[i] == 1 || (x[i] + 1 == boxes[i] &&
                                  (!layout->periodic[i] || boxes[i] < 3)))
                continue;
            x[i] = (x[i] + 1) % boxes[i];
            /* Two blocks on a ring meet on both sides. */
            if (layout->periodic[i] && boxes[i] == 2 && layout->grid[i] > 2)
                bytes *= 2;
            pair[count++] =
                (struct mapcore_blocks_pair){p, fold(x, boxes, layout), bytes};
        }
    *out = pair;
    *n = count;
    return 0;
}
