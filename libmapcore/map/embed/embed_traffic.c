/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* embed_traffic.c - bytes along the dimensions of a grid, and what is left of
 * them when a dimension is cut into parts */
#include "config.h"

#include "map/embed/embed_internal.h"

#include "base/array.h"
#include "graph/csr.h"
#include "grid/tally.h"

/* The cells of a table of pairs of parts, a * m + b. */
static int take_pairs(struct embed_traffic *out,
                      struct tally *tally,
                      uint32_t m,
                      struct arena *arena)
{
    double *part = arena_alloc(arena, m, sizeof(*part));

    tally_sort(tally);
    out->m = m;
    out->pair = arena_alloc(arena, tally->n, sizeof(*out->pair));
    if (arena->error)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < tally->n; i++) {
        out->pair[i].a = (uint32_t)(tally->cell[i].key / m);
        out->pair[i].b = (uint32_t)(tally->cell[i].key % m);
        out->pair[i].bytes = tally->cell[i].bytes;
        out->cross += (double)tally->cell[i].bytes;
        part[out->pair[i].a] += (double)tally->cell[i].bytes;
        part[out->pair[i].b] += (double)tally->cell[i].bytes;
    }
    for (uint32_t k = 0; k < m; k++)
        if (part[k] > out->most)
            out->most = part[k];
    out->n = tally->n;
    return 0;
}

static int add_pair(struct tally *tally,
                    uint32_t m,
                    uint32_t a,
                    uint32_t b,
                    uint64_t bytes,
                    struct mapcore_error *err)
{
    if (a == b)
        return 0;
    return tally_add(tally, a < b ? (uint64_t)a * m + b : (uint64_t)b * m + a,
                     bytes, err);
}

int embed_traffics_open(struct embed_traffics *out,
                        const struct mapcore_grid *grid,
                        const struct mapcore_graph *graph,
                        struct arena *arena)
{
    struct tally tally[MAPCORE_GRID_MAX_DIMS] = {{0}};
    int error = 0;

    *out = (struct embed_traffics){.grid = grid, .arena = arena};
    for (uint32_t a = 0; a < graph->ntasks && error == 0; a++) {
        const uint32_t *x = &grid->coordinates[(size_t)a * grid->ndims];

        for (size_t e = graph->row[a]; e < graph->row[a + 1]; e++) {
            const uint32_t *y =
                &grid->coordinates[(size_t)graph->task[e] * grid->ndims];

            if (graph->task[e] < a)
                continue;
            for (uint32_t i = 0; i < grid->ndims && error == 0; i++)
                error = add_pair(&tally[i], grid->dims[i], x[i], y[i],
                                 graph->bytes[e], arena->err);
        }
    }
    for (uint32_t i = 0; i < grid->ndims; i++) {
        if (error == 0)
            error = take_pairs(&out->uncut[i], &tally[i], grid->dims[i], arena);
        out->cut[i] =
            arena_alloc(arena, (size_t)grid->dims[i] + 1, sizeof(*out->cut[i]));
        tally_clear(&tally[i]);
    }
    return error < 0 ? error : arena->error;
}

const struct embed_traffic *embed_traffic_get(struct embed_traffics *traffics,
                                              uint32_t i,
                                              uint32_t m)
{
    const struct embed_traffic *uncut = &traffics->uncut[i];
    struct embed_traffic *cut = traffics->cut[i][m];
    struct tally tally = {0};
    int error = 0;

    if (cut)
        return cut;
    cut = arena_alloc(traffics->arena, 1, sizeof(*cut));
    if (!cut)
        return NULL;
    for (size_t k = 0; k < uncut->n && error == 0; k++)
        error = add_pair(&tally, m,
                         (uint32_t)((uint64_t)uncut->pair[k].a * m / uncut->m),
                         (uint32_t)((uint64_t)uncut->pair[k].b * m / uncut->m),
                         uncut->pair[k].bytes, traffics->arena->err);
    if (error == 0)
        error = take_pairs(cut, &tally, m, traffics->arena);
    tally_clear(&tally);
    if (error == 0)
        traffics->cut[i][m] = cut;
    return error == 0 ? cut : NULL;
}
