/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* host_tree.c - hosts chosen and halved level by level */
#include "config.h"

#include "map/bisection/host_tree.h"

#include "alloc/distances.h"
#include "base/array.h"
#include "map/bisection/host_split.h"

#include <string.h>

#define CENTRES 64
#define SAMPLE  16

uint32_t host_tree_slots(const struct host_tree *tree, uint32_t host)
{
    return mapcore_alloc_slots(tree->alloc, host) / tree->unit;
}

/* Hosts by distance from a centre until there is a slot for every task. */
struct ball {
    uint32_t *host; /* [nhosts] */
    uint32_t n;
    uint64_t score;  /* slots times distance */
    uint32_t *count; /* [diameter + 2] */
    uint32_t *far;   /* [nhosts] */
};

static void fill_ball(struct ball *ball,
                      const struct host_tree *tree,
                      uint32_t centre,
                      uint32_t ntasks)
{
    const struct mapcore_alloc *alloc = tree->alloc;
    uint32_t n = mapcore_alloc_nhosts(alloc), left = ntasks, used = 0;
    uint32_t diameter = mapcore_topo_diameter(mapcore_alloc_topo(alloc));

    memset(ball->count, 0, ((size_t)diameter + 2) * sizeof(*ball->count));
    for (uint32_t h = 0; h < n; h++) {
        ball->far[h] = mapcore_alloc_distance(alloc, centre, h);
        ball->count[ball->far[h] + 1] += host_tree_slots(tree, h) > 0;
    }
    for (uint32_t d = 0; d <= diameter; d++)
        ball->count[d + 1] += ball->count[d];
    for (uint32_t h = 0; h < n; h++)
        if (host_tree_slots(tree, h) > 0)
            ball->host[ball->count[ball->far[h]]++] = h;
    ball->score = 0;
    while (left > 0) {
        uint32_t h = ball->host[used++], slots = host_tree_slots(tree, h);
        uint32_t taken = slots < left ? slots : left;

        ball->score += (uint64_t)taken * ball->far[h];
        left -= taken;
    }
    ball->n = used;
}

/* The hosts nearest to a centre: the best of some centres. */
static int take_compact(struct host_tree *tree,
                        uint32_t ntasks,
                        struct arena *arena)
{
    const struct mapcore_alloc *alloc = tree->alloc;
    uint32_t n = mapcore_alloc_nhosts(alloc), best_centre = 0;
    uint32_t ncentres = n < CENTRES ? n : CENTRES;
    size_t diameter = mapcore_topo_diameter(mapcore_alloc_topo(alloc));
    uint64_t best = UINT64_MAX;
    struct ball ball = {
        .host = tree->host,
        .count = arena_alloc(arena, diameter + 2, sizeof(*ball.count)),
        .far = arena_alloc(arena, n, sizeof(*ball.far)),
    };

    if (arena->error)
        return MAPCORE_ENOMEM;
    for (uint32_t i = 0; i < ncentres; i++) {
        uint32_t centre = (uint32_t)((uint64_t)i * n / ncentres);

        fill_ball(&ball, tree, centre, ntasks);
        if (ball.score < best) {
            best = ball.score;
            best_centre = centre;
        }
    }
    fill_ball(&ball, tree, best_centre, ntasks);
    tree->nhosts = ball.n;
    return 0;
}

static int take_hosts(struct host_tree *tree,
                      uint32_t ntasks,
                      struct arena *arena)
{
    const struct mapcore_alloc *alloc = tree->alloc;
    uint64_t nslots = 0;

    tree->host =
        arena_alloc(arena, mapcore_alloc_nhosts(alloc), sizeof(*tree->host));
    if (!tree->host)
        return MAPCORE_ENOMEM;
    for (uint32_t h = 0; h < mapcore_alloc_nhosts(alloc); h++)
        nslots += host_tree_slots(tree, h);
    if (ntasks < nslots)
        return take_compact(tree, ntasks, arena);
    for (uint32_t h = 0; h < mapcore_alloc_nhosts(alloc); h++)
        if (host_tree_slots(tree, h) > 0)
            tree->host[tree->nhosts++] = h;
    return 0;
}

static uint32_t add_part(struct host_tree *tree,
                         uint32_t begin,
                         uint32_t end,
                         uint32_t level)
{
    struct host_part *part = &tree->part[tree->nparts];
    uint32_t slots = 0;

    for (uint32_t i = begin; i < end; i++)
        slots += host_tree_slots(tree, tree->host[i]);
    *part = (struct host_part){begin, end, slots, MAPCORE_NONE, level};
    return tree->nparts++;
}

struct host_tree *host_tree_create(const struct mapcore_alloc *alloc,
                                   uint32_t ntasks,
                                   uint32_t unit,
                                   uint32_t variant,
                                   struct arena *arena)
{
    struct host_tree *tree = arena_alloc(arena, 1, sizeof(*tree));
    struct host_split split = {0};

    if (!tree)
        return NULL;
    tree->alloc = alloc;
    tree->unit = unit;
    if (take_hosts(tree, ntasks, arena) < 0 ||
        host_split_begin(&split, alloc, tree->host, tree->nhosts, variant,
                         arena) < 0)
        return NULL;
    tree->part =
        arena_alloc(arena, (size_t)tree->nhosts * 2 - 1, sizeof(*tree->part));
    if (!tree->part)
        return NULL;
    add_part(tree, 0, tree->nhosts, 0);
    for (uint32_t p = 0; p < tree->nparts; p++) {
        struct host_part *part = &tree->part[p];
        uint32_t middle;

        if (part->end - part->begin == 1)
            continue;
        middle = host_split_cut(&split, part->begin, part->end);
        part->half = add_part(tree, part->begin, middle, part->level + 1);
        add_part(tree, middle, part->end, part->level + 1);
    }
    return tree;
}

uint32_t host_tree_distance(const struct host_tree *tree,
                            uint32_t p,
                            uint32_t q)
{
    const struct host_part *a = &tree->part[p], *b = &tree->part[q];
    uint32_t na = a->end - a->begin, nb = b->end - b->begin;
    uint32_t ma = na < SAMPLE ? na : SAMPLE, mb = nb < SAMPLE ? nb : SAMPLE;
    const struct mapcore_alloc *alloc = tree->alloc;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < ma; i++) {
        uint32_t x = tree->host[a->begin + (uint64_t)i * na / ma];

        const uint16_t *row = distances_find_row(alloc_distances(alloc), x);

        for (uint32_t j = 0; j < mb; j++) {
            uint32_t y = tree->host[b->begin + (uint64_t)j * nb / mb];

            sum += row ? row[y] : mapcore_alloc_distance(alloc, x, y);
        }
    }
    return (uint32_t)((sum * HOST_TREE_LINK + ma * mb / 2) / (ma * mb));
}
