/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* layered_layout.c - levels of switches above the nodes */
#include "config.h"

#include "tools/draw/network/layered_layout.h"

#include "base/array.h"
#include "topo/walk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MOST_DOTS = 128, /* of a level */
    LEVEL_HEIGHT = 130,
    BOW = 120, /* how far the middle of a level is raised whose switches are
                  joined with one another: lines lie apart then */
    TOP = 16,
    LABELS = 84, /* pixels for names of levels */
};

struct switch_levels {
    const struct mapcore_topo *topo;
    uint32_t nvertices, nlevels;
    uint32_t *level;       /* [nvertices] */
    uint32_t *count;       /* [nvertices + 1], vertices of each level */
    bool *is_joined;       /* [nvertices + 1], with links inside the level */
    uint32_t *order;       /* [nvertices], level by level */
    double *rank, *weight; /* [nvertices], place in the level, 0 .. 1 */
};

static int make_layers(struct switch_levels *out,
                       const struct mapcore_topo *topo,
                       struct mapcore_error *err)
{
    const uint32_t n = mapcore_topo_nhosts(topo) + topo_nswitches(topo);

    *out = (struct switch_levels){.topo = topo, .nvertices = n};
    out->level = array_alloc(n, sizeof(*out->level), err);
    out->count = array_alloc((size_t)n + 1, sizeof(*out->count), err);
    out->is_joined = array_alloc((size_t)n + 1, sizeof(*out->is_joined), err);
    out->order = array_alloc(n, sizeof(*out->order), err);
    out->rank = array_alloc(n, sizeof(*out->rank), err);
    out->weight = array_alloc(n, sizeof(*out->weight), err);
    return out->level && out->count && out->is_joined && out->order &&
                   out->rank && out->weight
               ? 0
               : MAPCORE_ENOMEM;
}

static void clear_layers(struct switch_levels *layers)
{
    free(layers->level);
    free(layers->count);
    free(layers->is_joined);
    free(layers->order);
    free(layers->rank);
    free(layers->weight);
}

/* Hosts are level 0; one pass over the links a level is enough, since networks
 * of switches are flat. */
static void find_levels(struct switch_levels *layers)
{
    const struct mapcore_topo *topo = layers->topo;
    const uint32_t nhosts = mapcore_topo_nhosts(topo);
    bool more = true;
    uint32_t end[2];

    for (uint32_t v = 0; v < layers->nvertices; v++)
        layers->level[v] = v < nhosts ? 0 : MAPCORE_NONE;
    for (uint32_t h = 0; h < nhosts; h++)
        if (topo_is_attached(topo, h))
            layers->level[topo_host_vertex(topo, h)] = 1;
    for (uint32_t level = 0; more; level++) {
        more = level == 0;
        for (uint32_t l = 0; l < mapcore_topo_nlinks(topo); l++) {
            if (!topo_link_ends(topo, l, end))
                continue;
            for (int i = 0; i < 2; i++)
                if (layers->level[end[i]] == level &&
                    layers->level[end[1 - i]] > level + 1) {
                    layers->level[end[1 - i]] = level + 1;
                    more = true;
                }
        }
        layers->nlevels = level + 1;
    }
    /* Where nothing leads. */
    for (uint32_t v = 0; v < layers->nvertices; v++) {
        if (layers->level[v] >= layers->nlevels)
            layers->level[v] = layers->nlevels - 1;
        layers->count[layers->level[v]]++;
    }
    for (uint32_t l = 0; l < mapcore_topo_nlinks(topo); l++)
        if (topo_link_ends(topo, l, end) &&
            layers->level[end[0]] == layers->level[end[1]])
            layers->is_joined[layers->level[end[0]]] = true;
    while (layers->nlevels > 1 && layers->count[layers->nlevels - 1] == 0)
        layers->nlevels--;
}

static int compare_ranks(const void *a, const void *b, void *arg)
{
    const struct switch_levels *layers = arg;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    if (layers->level[x] != layers->level[y])
        return layers->level[x] < layers->level[y] ? -1 : 1;
    if (layers->rank[x] != layers->rank[y])
        return layers->rank[x] < layers->rank[y] ? -1 : 1;
    return (x > y) - (x < y);
}

/* Order by rank, and ranks spread evenly over each level again. */
static void settle(struct switch_levels *layers)
{
    uint32_t i = 0;

    qsort_r(layers->order, layers->nvertices, sizeof(*layers->order),
            compare_ranks, layers);
    for (uint32_t level = 0; level < layers->nlevels; level++)
        for (uint32_t j = 0; j < layers->count[level]; j++, i++)
            layers->rank[layers->order[i]] = (j + 0.5) / layers->count[level];
}

/* Ranks of one level become the mean of what they are joined with one level
 * below, or above. */
static void average(struct switch_levels *layers,
                    uint32_t level,
                    uint32_t other)
{
    uint32_t end[2];

    for (uint32_t v = 0; v < layers->nvertices; v++)
        layers->weight[v] = 0;
    for (uint32_t l = 0; l < mapcore_topo_nlinks(layers->topo); l++) {
        if (!topo_link_ends(layers->topo, l, end))
            continue;
        for (int i = 0; i < 2; i++) {
            const uint32_t v = end[i];

            if (layers->level[v] != level || layers->level[end[1 - i]] != other)
                continue;
            if (layers->weight[v]++ == 0)
                layers->rank[v] = 0;
            layers->rank[v] += layers->rank[end[1 - i]];
        }
    }
    for (uint32_t v = 0; v < layers->nvertices; v++)
        if (layers->weight[v] > 0)
            layers->rank[v] /= layers->weight[v];
    settle(layers);
}

static void order_levels(struct switch_levels *layers)
{
    for (uint32_t v = 0; v < layers->nvertices; v++) {
        layers->order[v] = v;
        layers->rank[v] = v;
    }
    settle(layers);
    for (uint32_t level = 1; level < layers->nlevels; level++)
        average(layers, level, level - 1);
    /* Nodes of one switch stand together. */
    for (uint32_t level = layers->nlevels - 1; level-- > 0;)
        average(layers, level, level + 1);
}

static uint32_t dots_of(uint32_t count)
{
    return count < MOST_DOTS ? count : MOST_DOTS;
}

/* The level's line, of which joined ones are bent upwards. */
static double height_of(const struct switch_levels *layers, uint32_t level)
{
    double y = TOP;

    for (uint32_t i = layers->nlevels; i-- > level;)
        y += (i + 1 < layers->nlevels ? LEVEL_HEIGHT : 0) +
             (layers->is_joined[i] ? BOW : 0);
    return y;
}

static void place_level(struct network_layout *out,
                        const struct switch_levels *layers,
                        uint32_t level,
                        uint32_t first)
{
    const uint32_t count = layers->count[level], n = dots_of(count);
    const double y = height_of(layers, level);
    const double bow = layers->is_joined[level] && n > 2 ? 4.0 * BOW : 0;
    const double width = LAYOUT_WIDTH - LABELS;

    for (uint32_t j = 0; j < n; j++) {
        const double x = (j + 0.5) / n;

        out->dot[first + j] = (struct layout_dot){
            .at = {(float)(LABELS + x * width), (float)(y - bow * x * (1 - x))},
            .radius = (float)fmin(level == 0 ? 3.5 : 6, 0.4 * width / n)};
    }
    out->label[level].at[0] = 0;
    out->label[level].at[1] = (float)y + 4;
    snprintf(out->label[level].text, sizeof(out->label[level].text), "%u %s%s",
             count, level == 0 ? "node" : "switch",
             count == 1   ? ""
             : level == 0 ? "s"
                          : "es");
}

static void place_dots(struct network_layout *out,
                       const struct switch_levels *layers)
{
    uint32_t first = 0, i = 0;

    for (uint32_t level = 0; level < layers->nlevels; level++) {
        const uint32_t count = layers->count[level], n = dots_of(count);

        place_level(out, layers, level, first);
        for (uint32_t j = 0; j < count; j++, i++)
            out->dot_of[layers->order[i]] =
                first + (uint32_t)((uint64_t)j * n / count);
        first += n;
    }
}

int layered_layout_make(struct network_layout *out,
                        const struct mapcore_topo *topo,
                        struct mapcore_error *err)
{
    struct switch_levels layers;
    size_t ndots = 0;
    int error = make_layers(&layers, topo, err);

    if (error == 0) {
        find_levels(&layers);
        order_levels(&layers);
        for (uint32_t level = 0; level < layers.nlevels; level++)
            ndots += dots_of(layers.count[level]);
        error = network_layout_alloc(out, topo, 0, ndots, layers.nlevels, err);
    }
    if (error == 0) {
        place_dots(out, &layers);
        error = network_layout_join(out, topo, err);
        out->width = LAYOUT_WIDTH;
        out->height = height_of(&layers, 0) + 20;
        out->legend =
            "Nodes at the bottom, switches above them level by level.";
    }
    clear_layers(&layers);
    return error;
}
