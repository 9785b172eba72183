/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* select_nearest.c - the sizes nearest to one that fits nowhere that do */
#include "config.h"

#include "tools/grid/select.h"

#include "base/array.h"
#include "base/buffer.h"

#include <stdlib.h>
#include <string.h>

enum {
    SHOWN = 3,
    MOST_STEPS = 40, /* along each dimension */
};

struct nearest_size {
    struct mapcore_blocks layout;
    uint32_t steps;    /* of all dimensions together */
    uint64_t nrouters; /* more or fewer than asked for */
    bool is_fewer;
};

struct near_sizes {
    const struct selection *selection;
    uint32_t nvaried, varied[3]; /* dimensions that can change */
    uint32_t *length; /* [dims[0] * dims[1]] routers along z that may be used */
    size_t n;
    struct nearest_size best[SHOWN];
};

static int compare_sizes(const struct nearest_size *a,
                         const struct nearest_size *b)
{
    if (a->steps != b->steps)
        return a->steps < b->steps ? -1 : 1;
    if (a->nrouters != b->nrouters)
        return a->nrouters < b->nrouters ? -1 : 1;
    return (int)a->is_fewer - (int)b->is_fewer;
}

/* Whether enough planes have enough rows that are long enough: a box fits
 * somewhere then, for from the start of every axis, or anywhere on a ring, all
 * routers are seen. */
static bool fits(const struct near_sizes *sizes, const uint32_t size[3])
{
    const uint32_t *dims = sizes->selection->routers->dims;
    uint32_t planes = 0;

    for (uint32_t y = 0; y < dims[1]; y++) {
        uint32_t rows = 0;

        for (uint32_t x = 0; x < dims[0]; x++)
            rows += sizes->length[x + dims[0] * y] >= size[2];
        planes += rows >= size[0];
    }
    return planes >= size[1];
}

/* In any order of axes that may be taken. */
static bool fits_somehow(const struct near_sizes *sizes,
                         struct mapcore_blocks layout)
{
    bool fixed = sizes->selection->has_axes || layout.tiled;

    for (int p = 0; p < (fixed ? 1 : SELECT_AXIS_ORDERS); p++) {
        uint32_t size[3];

        for (uint32_t k = 0; !fixed && k < sizes->nvaried; k++)
            layout.axis[sizes->varied[k]] = select_axis_orders[p][k];
        if (mapcore_blocks_prism(size, &layout, NULL) == 0 && fits(sizes, size))
            return true;
    }
    return false;
}

/* All values of the k-th and later dimensions, by steps of a block, or of a
 * block of each tile. */
static void vary(struct near_sizes *sizes, struct nearest_size now, uint32_t k)
{
    const struct mapcore_blocks *asked = &sizes->selection->layout;
    const uint32_t *dims = sizes->selection->routers->dims;
    uint32_t most = dims[0] > dims[1] ? dims[0] : dims[1];
    uint32_t steps = now.steps;
    uint64_t had = 1, has = 1;
    size_t at = sizes->n;

    if (k < sizes->nvaried) {
        uint32_t i = sizes->varied[k];
        uint32_t unit = asked->block[i] * (asked->tiled ? asked->tiles[i] : 1);
        uint32_t wanted = asked->grid[i] / unit;

        most = dims[2] > most ? dims[2] : most;
        for (uint32_t n = 1; n <= most; n++) {
            uint32_t away = n > wanted ? n - wanted : wanted - n;

            if (away > MOST_STEPS && (n > wanted || wanted <= most))
                continue;
            now.layout.grid[i] = n * unit;
            now.steps = steps + away;
            vary(sizes, now, k + 1);
        }
        return;
    }
    for (uint32_t d = 0; d < asked->ndims; d++) {
        had *= mapcore_blocks_along(asked, d);
        has *= mapcore_blocks_along(&now.layout, d);
    }
    now.is_fewer = has <= had;
    now.nrouters = has > had ? has - had : had - has;
    while (at > 0 && compare_sizes(&now, &sizes->best[at - 1]) < 0)
        at--;
    if (at == SHOWN || !fits_somehow(sizes, now.layout))
        return;
    if (sizes->n < SHOWN)
        sizes->n++;
    memmove(&sizes->best[at + 1], &sizes->best[at],
            (sizes->n - 1 - at) * sizeof(now));
    sizes->best[at] = now;
}

static void put_sizes(struct buffer *text, const struct near_sizes *sizes)
{
    for (size_t s = 0; s < sizes->n; s++) {
        const struct mapcore_blocks *layout = &sizes->best[s].layout;
        uint32_t ndims = sizes->selection->only_nodes ? 3 : layout->ndims;

        buffer_printf(text, "%s",
                      s == 0             ? "; "
                      : s + 1 < sizes->n ? ", "
                                         : " and ");
        for (uint32_t i = 0; i < ndims; i++)
            buffer_printf(text, "%s%u", i > 0 ? "x" : "", layout->grid[i]);
    }
    if (sizes->n > 0)
        buffer_printf(text, " would fit");
}

static int find_sizes(struct buffer *text, const struct selection *selection)
{
    const struct mapcore_blocks *layout = &selection->layout;
    const uint32_t *dims = selection->routers->dims;
    struct near_sizes sizes = {.selection = selection};

    for (uint32_t i = 0; i < layout->ndims; i++) {
        /* A size of 1 may grow, blocks that are all inside a router not. */
        if (mapcore_blocks_along(layout, i) == 1 &&
            !(selection->only_nodes && i < 3))
            continue;
        if (sizes.nvaried == 3)
            return 0;
        sizes.varied[sizes.nvaried++] = i;
    }
    if (selection->any_tiles || sizes.nvaried == 0)
        return 0;
    sizes.length = array_alloc((size_t)dims[0] * dims[1], sizeof(*sizes.length),
                               text->err);
    if (!sizes.length)
        return MAPCORE_ENOMEM;
    for (uint32_t r = 0; r < selection->routers->nrouters; r++)
        sizes.length[r % (dims[0] * dims[1])] += selection->usable[r];
    vary(&sizes, (struct nearest_size){.layout = *layout}, 0);
    free(sizes.length);
    put_sizes(text, &sizes);
    return 0;
}

int select_nearest(const struct selection *selection, int reason)
{
    struct mapcore_error *err = selection->err;
    struct buffer text = {.err = err};
    int error;

    buffer_printf(&text, "%s", err->text);
    if ((error = find_sizes(&text, selection)) == 0 &&
        (error = text.error) == 0)
        error = error_set(err, reason, "%s", text.bytes);
    buffer_clear(&text);
    return error;
}
