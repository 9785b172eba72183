/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_skeleton.c - tells edges along the axes of a grid from diagonals and
 * noise
 */
#include "config.h"

#include "grid/find/grid_skeleton.h"

#include "base/array.h"
#include "graph/csr.h"
#include "grid/grid.h"
#include "grid/grid_thresholds.h"

#include <stdlib.h>
#include <string.h>

/* Edges in squares no more than this part of the median are noise. */
#define NOISE_PART 3
/* Numbers of neighbours in a box of any dimension differ by a half when they
 * differ; this much they must, and up to this share may be missing. */
#define MARGIN 1.2
#define WHOLE  0.9

size_t grid_hub_degree(const struct mapcore_graph *graph)
{
    enum { COUNTED = 4096 };
    uint32_t count[COUNTED] = {0}, n = graph->ntasks, below = 0, hubs = 0;
    size_t median = 0, least;

    for (uint32_t t = 0; t < n; t++) {
        size_t degree = graph->row[t + 1] - graph->row[t];

        count[degree < COUNTED ? degree : COUNTED - 1]++;
    }
    while (median < COUNTED - 1 && (below += count[median]) <= n / 2)
        median++;
    least = GRID_HUB_FACTOR * median + 2 * MAPCORE_GRID_MAX_DIMS;
    for (uint32_t t = 0; t < n; t++)
        hubs += graph->row[t + 1] - graph->row[t] >= least;
    return median < COUNTED - 1 && hubs <= n / GRID_HUB_RARE ? least : SIZE_MAX;
}

static bool is_hub(const struct mapcore_graph *graph, uint32_t t, size_t hub)
{
    return graph->row[t + 1] - graph->row[t] >= hub;
}

static int take_edges(struct grid_skeleton *out,
                      const struct mapcore_graph *graph,
                      uint64_t least,
                      struct mapcore_error *err)
{
    size_t n = 0, hub = grid_hub_degree(graph);

    out->n = graph->ntasks;
    out->row = array_alloc((size_t)out->n + 1, sizeof(*out->row), err);
    out->task = array_alloc(graph->row[out->n], sizeof(*out->task), err);
    if (!out->row || !out->task)
        return MAPCORE_ENOMEM;
    for (uint32_t t = 0; t < out->n; t++) {
        for (size_t e = graph->row[t]; e < graph->row[t + 1]; e++)
            if (graph->bytes[e] >= least && !is_hub(graph, t, hub) &&
                !is_hub(graph, graph->task[e], hub))
                out->task[n++] = graph->task[e];
        out->row[t + 1] = n;
    }
    return 0;
}

static void drop_edges(struct grid_skeleton *skeleton, const bool *drop)
{
    size_t n = 0, k = 0;

    for (uint32_t t = 0; t < skeleton->n; t++) {
        for (; k < skeleton->row[t + 1]; k++)
            if (!drop[k])
                skeleton->task[n++] = skeleton->task[k];
        skeleton->row[t + 1] = n;
    }
}

bool grid_skeleton_common(const struct grid_skeleton *skeleton,
                          uint32_t x,
                          uint32_t y,
                          size_t *i,
                          size_t *k)
{
    while (*i < skeleton->row[x + 1] && *k < skeleton->row[y + 1]) {
        uint32_t a = skeleton->task[*i], b = skeleton->task[*k];

        if (a == b)
            return true;
        *i += a < b;
        *k += b < a;
    }
    return false;
}

/* Tasks that both ends of each edge know, the ends themselves among them. */
static uint32_t *count_common(const struct grid_skeleton *skeleton,
                              struct mapcore_error *err)
{
    uint32_t *common =
        array_alloc(skeleton->row[skeleton->n], sizeof(*common), err);

    for (uint32_t x = 0; x < skeleton->n && common; x++)
        for (size_t e = skeleton->row[x]; e < skeleton->row[x + 1]; e++) {
            size_t i = skeleton->row[x], k = skeleton->row[skeleton->task[e]];

            common[e] = 2;
            for (; grid_skeleton_common(skeleton, x, skeleton->task[e], &i, &k);
                 i++, k++)
                common[e]++;
        }
    return common;
}

/* Whether z knows all that its neighbour x knows, and more. */
static bool is_inside(const struct grid_skeleton *skeleton,
                      uint32_t x,
                      uint32_t z,
                      uint32_t common)
{
    double x_knows = (double)(skeleton->row[x + 1] - skeleton->row[x] + 1);
    double z_knows = (double)(skeleton->row[z + 1] - skeleton->row[z] + 1);

    return common >= WHOLE * x_knows && z_knows > MARGIN * x_knows;
}

/* Whether the edge e from x leads past a task that lies between its ends: one
 * that has more in common with either than they have with each other, or whose
 * neighbours lie between theirs. */
static bool is_diagonal(const struct grid_skeleton *skeleton,
                        const uint32_t *common,
                        uint32_t x,
                        size_t e)
{
    uint32_t y = skeleton->task[e];
    size_t i = skeleton->row[x], k = skeleton->row[y];

    for (; grid_skeleton_common(skeleton, x, y, &i, &k); i++, k++) {
        uint32_t z = skeleton->task[i];
        bool up = is_inside(skeleton, x, z, common[i]) &&
                  is_inside(skeleton, z, y, common[k]);
        bool down = is_inside(skeleton, y, z, common[k]) &&
                    is_inside(skeleton, z, x, common[i]);

        if (up || down ||
            (common[i] > MARGIN * common[e] && common[k] > MARGIN * common[e]))
            return true;
    }
    return false;
}

static int drop_diagonals(struct grid_skeleton *skeleton,
                          struct mapcore_error *err)
{
    uint32_t *common = count_common(skeleton, err);
    bool *drop = array_alloc(skeleton->row[skeleton->n], sizeof(*drop), err);
    size_t triangles = 0;

    if (!common || !drop) {
        free(common);
        free(drop);
        return MAPCORE_ENOMEM;
    }
    for (size_t e = 0; e < skeleton->row[skeleton->n]; e++)
        triangles += common[e] > 2;
    for (uint32_t x = 0; x < skeleton->n; x++)
        for (size_t e = skeleton->row[x]; e < skeleton->row[x + 1]; e++)
            drop[e] = is_diagonal(skeleton, common, x, e);
    if (2 * triangles > skeleton->row[skeleton->n])
        drop_edges(skeleton, drop);
    free(common);
    free(drop);
    return 0;
}

/* Paths of two edges from x by where they end: any two to one end are a square.
 */
static void count_squares(uint32_t *squares,
                          uint32_t *paths,
                          const struct grid_skeleton *skeleton,
                          uint32_t x)
{
    for (size_t e = skeleton->row[x]; e < skeleton->row[x + 1]; e++)
        for (size_t k = skeleton->row[skeleton->task[e]];
             k < skeleton->row[skeleton->task[e] + 1]; k++)
            paths[skeleton->task[k]]++;
    for (size_t e = skeleton->row[x]; e < skeleton->row[x + 1]; e++)
        for (size_t k = skeleton->row[skeleton->task[e]];
             k < skeleton->row[skeleton->task[e] + 1]; k++)
            if (skeleton->task[k] != x)
                squares[e] += paths[skeleton->task[k]] - 1;
    for (size_t e = skeleton->row[x]; e < skeleton->row[x + 1]; e++)
        for (size_t k = skeleton->row[skeleton->task[e]];
             k < skeleton->row[skeleton->task[e] + 1]; k++)
            paths[skeleton->task[k]] = 0;
}

static int drop_noise(struct grid_skeleton *skeleton, struct mapcore_error *err)
{
    size_t n = skeleton->row[skeleton->n];
    struct arena arena = {.err = err};
    uint32_t *squares = arena_alloc(&arena, n, sizeof(*squares));
    uint32_t *paths = arena_alloc(&arena, skeleton->n, sizeof(*paths));
    uint32_t *sorted = arena_alloc(&arena, n, sizeof(*sorted));
    bool *drop = arena_alloc(&arena, n, sizeof(*drop));
    const int error = arena.error;

    for (uint32_t x = 0; error == 0 && x < skeleton->n; x++)
        count_squares(squares, paths, skeleton, x);
    if (error == 0 && n > 0) {
        memcpy(sorted, squares, n * sizeof(*sorted));
        array_sort_u32(sorted, n);
        for (size_t e = 0; e < n; e++)
            drop[e] =
                NOISE_PART * squares[e] <= sorted[n / 2] && sorted[n / 2] > 0;
        drop_edges(skeleton, drop);
    }
    arena_clear(&arena);
    return error;
}

int grid_skeleton_open(struct grid_skeleton *out,
                       const struct mapcore_graph *graph,
                       uint64_t least,
                       struct mapcore_error *err)
{
    int error;

    *out = (struct grid_skeleton){0};
    if ((error = take_edges(out, graph, least, err)) < 0 ||
        (error = drop_diagonals(out, err)) < 0)
        return error;
    return drop_noise(out, err);
}

void grid_skeleton_clear(struct grid_skeleton *skeleton)
{
    free(skeleton->row);
    free(skeleton->task);
    *skeleton = (struct grid_skeleton){0};
}
