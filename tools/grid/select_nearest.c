/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* select_nearest.c - the sizes nearest to one that fits nowhere that do */
#include "config.h"

#include "tools/grid/select.h"

#include "base/array.h"
#include "base/buffer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHOWN = 3,
    MOST_STEPS = 40, /* along each dimension */
};

/* Of a torus with holes: how many planes have at least so many rows of at least
 * so many usable routers. A box fits somewhere if there are enough of them, for
 * from the start of every axis, or anywhere on a ring, all routers are seen. */
struct plane_counts {
    const struct routers *routers;
    uint32_t *n; /* [dims[2] + 1][dims[0] + 1], by length of rows, rows */
};

static int count_planes(struct plane_counts *out,
                        const bool *usable,
                        const struct routers *routers,
                        struct mapcore_error *err)
{
    uint32_t nx = routers->dims[0], ny = routers->dims[1],
             nz = routers->dims[2];
    uint32_t *long_rows = array_alloc((size_t)nz + 1, sizeof(*long_rows), err);

    out->routers = routers;
    out->n = array_alloc(((size_t)nz + 1) * (nx + 1), sizeof(*out->n), err);
    if (!out->n || !long_rows) {
        free(long_rows);
        return MAPCORE_ENOMEM;
    }
    for (uint32_t y = 0; y < ny; y++) {
        memset(long_rows, 0, ((size_t)nz + 1) * sizeof(*long_rows));
        for (uint32_t x = 0; x < nx; x++) {
            uint32_t length = 0;

            for (uint32_t z = 0; z < nz; z++)
                length += usable[x + nx * (y + ny * z)];
            long_rows[length]++;
        }
        for (uint32_t length = nz, rows = 0; length > 0; length--) {
            rows += long_rows[length];
            for (uint32_t k = 1; k <= rows; k++)
                out->n[(size_t)length * (nx + 1) + k]++;
        }
    }
    free(long_rows);
    return 0;
}

static bool fits(const struct plane_counts *planes, const uint32_t size[3])
{
    const uint32_t *dims = planes->routers->dims;

    return size[0] <= dims[0] && size[1] <= dims[1] && size[2] <= dims[2] &&
           planes->n[(size_t)size[2] * (dims[0] + 1) + size[0]] >= size[1];
}

/* Blocks along each dimension that can change, or tiles' blocks. */
struct nearest_size {
    uint32_t along[3];
    uint32_t steps;    /* of all dimensions together */
    uint64_t nrouters; /* more or fewer than asked for */
    bool is_more;
};

struct near_sizes {
    const struct select_query *query;
    const struct plane_counts *planes;
    uint32_t nvaried, varied[3]; /* dimensions */
    uint32_t unit[3];            /* blocks of a step: tiles */
    uint64_t nblocks;
    size_t n;
    struct nearest_size best[SHOWN];
};

static bool is_nearer(const struct nearest_size *a,
                      const struct nearest_size *b)
{
    if (a->steps != b->steps)
        return a->steps < b->steps;
    if (a->nrouters != b->nrouters)
        return a->nrouters < b->nrouters;
    return a->is_more && !b->is_more;
}

/* Whether blocks along[] fit in any order of axes that may be taken. */
static bool fits_somehow(const struct near_sizes *sizes, const uint32_t *along)
{
    struct mapcore_blocks layout = sizes->query->layout;
    bool fixed = sizes->query->has_axes || layout.tiled;

    for (uint32_t k = 0; k < sizes->nvaried; k++) {
        uint32_t i = sizes->varied[k];

        layout.grid[i] = layout.block[i] * along[k] * sizes->unit[k];
    }
    for (int p = 0; p < (fixed ? 1 : SELECT_AXIS_ORDERS); p++) {
        uint32_t size[3];

        for (uint32_t k = 0; !fixed && k < sizes->nvaried; k++)
            layout.axis[sizes->varied[k]] = select_axis_orders[p][k];
        if (mapcore_blocks_prism(size, &layout, NULL) == 0 &&
            fits(sizes->planes, size))
            return true;
    }
    return false;
}

static void keep(struct near_sizes *sizes, const struct nearest_size *now)
{
    size_t at = sizes->n;

    while (at > 0 && is_nearer(now, &sizes->best[at - 1]))
        at--;
    if (at == SHOWN || !fits_somehow(sizes, now->along))
        return;
    if (sizes->n < SHOWN)
        sizes->n++;
    memmove(&sizes->best[at + 1], &sizes->best[at],
            (sizes->n - 1 - at) * sizeof(*now));
    sizes->best[at] = *now;
}

/* All values of dimensions k, k+1, ... */
static void vary(struct near_sizes *sizes, struct nearest_size *now, uint32_t k)
{
    const struct mapcore_blocks *layout = &sizes->query->layout;
    const uint32_t *dims = sizes->planes->routers->dims;
    uint32_t most = dims[0], steps = now->steps;

    if (k == sizes->nvaried) {
        uint64_t n = 1;

        for (uint32_t i = 0; i < k; i++)
            n *= (uint64_t)now->along[i] * sizes->unit[i];
        now->is_more = n > sizes->nblocks;
        now->nrouters = now->is_more ? n - sizes->nblocks : sizes->nblocks - n;
        keep(sizes, now);
        return;
    }
    most = dims[1] > most ? dims[1] : most;
    most = dims[2] > most ? dims[2] : most;

    uint32_t i = sizes->varied[k];
    uint32_t wanted = mapcore_blocks_along(layout, i) / sizes->unit[k];
    for (uint32_t n = 1; n <= most; n++) {
        uint32_t away = n > wanted ? n - wanted : wanted - n;

        if (away > MOST_STEPS && (n > wanted || wanted <= most))
            continue;
        now->along[k] = n;
        now->steps = steps + away;
        vary(sizes, now, k + 1);
    }
    now->steps = steps;
}

static int put_sizes(struct buffer *text,
                     const struct near_sizes *sizes,
                     struct mapcore_error *err)
{
    const struct mapcore_blocks *layout = &sizes->query->layout;
    uint32_t ndims = sizes->query->only_nodes ? 3 : layout->ndims;
    int error = 0;

    for (size_t s = 0; s < sizes->n && error == 0; s++) {
        error = buffer_printf(text, err, "%s",
                              s == 0             ? "; "
                              : s + 1 < sizes->n ? ", "
                                                 : " and ");
        for (uint32_t i = 0; i < ndims && error == 0; i++) {
            uint32_t grid = layout->grid[i];

            for (uint32_t k = 0; k < sizes->nvaried; k++)
                if (sizes->varied[k] == i)
                    grid = layout->block[i] * sizes->best[s].along[k] *
                           sizes->unit[k];
            error =
                buffer_printf(text, err, "%s%" PRIu32, i > 0 ? "x" : "", grid);
        }
    }
    return error < 0 ? error : buffer_printf(text, err, " would fit");
}

static int find_sizes(struct buffer *text,
                      const struct select_query *query,
                      const bool *usable,
                      const struct routers *routers,
                      struct mapcore_error *err)
{
    const struct mapcore_blocks *layout = &query->layout;
    struct near_sizes sizes = {.query = query, .nblocks = 1};
    struct nearest_size now = {.steps = 0};
    struct plane_counts planes = {.n = NULL};
    int error = 0;

    for (uint32_t i = 0; i < layout->ndims; i++) {
        uint32_t along = mapcore_blocks_along(layout, i);

        sizes.nblocks *= along;
        /* A size of 1 may grow, blocks that are all inside a router not. */
        if (along == 1 && !(query->only_nodes && i < 3))
            continue;
        if (sizes.nvaried == 3)
            return 0;
        sizes.unit[sizes.nvaried] = layout->tiled ? layout->tiles[i] : 1;
        sizes.varied[sizes.nvaried++] = i;
    }
    if (query->any_tiles || sizes.nvaried == 0)
        return 0;
    sizes.planes = &planes;
    error = count_planes(&planes, usable, routers, err);
    if (error == 0) {
        vary(&sizes, &now, 0);
        if (sizes.n > 0)
            error = put_sizes(text, &sizes, err);
    }
    free(planes.n);
    return error;
}

int select_nearest(const struct select_query *query,
                   const bool *usable,
                   const struct routers *routers,
                   int reason,
                   struct mapcore_error *err)
{
    struct buffer text = {0};
    int error = buffer_printf(&text, err, "%s", err->text);

    if (error == 0)
        error = find_sizes(&text, query, usable, routers, err);
    if (error == 0)
        error = error_set(err, reason, "%s", text.bytes);
    buffer_clear(&text);
    return error;
}
