/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* host_tree.c - hosts chosen, and halved level by level along the borders that
 * each kind of network has */
#include "config.h"

#include "map/bisection/dual.h"

#include "alloc/distances.h"
#include "base/array.h"
#include "map/problem.h"

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

/* What the cuts of one list of hosts share. */
struct host_split {
    const struct mapcore_alloc *alloc; /* borrowed */
    uint32_t *host; /* [nhosts], the caller's: cuts sort it */
    struct topo_shape shape;
    uint32_t variant;
    uint32_t *spare; /* [nhosts] */
    uint32_t *key;   /* [nhosts of the allocation], what hosts are sorted by */
    uint32_t *count; /* [most keys], zero between calls */
};

/* Switches numbered depth first, so that a subtree's hosts stand together when
 * sorted by that number. A switch's number is that of its parent, plus what
 * the subtrees of elder siblings take, plus 1. */
static uint32_t *number_switches(const struct topo_shape *shape,
                                 struct arena *arena)
{
    uint32_t n = shape->nswitches;
    uint32_t *size = arena_alloc(arena, n, sizeof(*size));
    uint32_t *next = arena_alloc(arena, n, sizeof(*next));
    uint32_t *preorder = arena_alloc(arena, n, sizeof(*preorder));

    if (!preorder)
        return NULL;
    for (uint32_t s = n; s-- > 0;) {
        size[s]++;
        if (s > 0)
            size[shape->parent[s]] += size[s];
    }
    next[0] = 1;
    for (uint32_t s = 1; s < n; s++) {
        preorder[s] = next[shape->parent[s]];
        next[shape->parent[s]] += size[s];
        next[s] = preorder[s] + 1;
    }
    return preorder;
}

/* Stable, by split->key; host[begin .. end-1]. keys are below nkeys. */
static void sort_by_key(struct host_split *split,
                        uint32_t begin,
                        uint32_t end,
                        uint32_t nkeys)
{
    uint32_t *host = split->host, at = begin;

    for (uint32_t i = begin; i < end; i++)
        split->count[split->key[host[i]]]++;
    for (uint32_t k = 0; k < nkeys; k++) {
        uint32_t n = split->count[k];

        split->count[k] = at;
        at += n;
    }
    memcpy(split->spare, host + begin, (end - begin) * sizeof(*host));
    for (uint32_t i = 0; i < end - begin; i++)
        host[split->count[split->key[split->spare[i]]]++] = split->spare[i];
    memset(split->count, 0, nkeys * sizeof(*split->count));
}

static int begin_split(struct host_split *split,
                       const struct host_tree *tree,
                       uint32_t variant,
                       struct arena *arena)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(tree->alloc);
    uint32_t n = mapcore_alloc_nhosts(tree->alloc), *preorder;
    size_t ncount = (size_t)mapcore_topo_diameter(topo) * 2 + 1;
    const struct topo_shape *shape = &split->shape;

    *split = (struct host_split){
        .alloc = tree->alloc, .host = tree->host, .variant = variant};
    topo_shape(&split->shape, topo);
    ncount = shape->nswitches > ncount ? shape->nswitches : ncount;
    for (uint32_t i = 0; i < shape->ndims; i++)
        ncount = shape->dims[i] > ncount ? shape->dims[i] : ncount;
    split->spare = arena_alloc(arena, n, sizeof(*split->spare));
    split->key = arena_alloc(arena, n, sizeof(*split->key));
    split->count = arena_alloc(arena, ncount, sizeof(*split->count));
    if (shape->nswitches == 0 || arena->error)
        return arena->error;
    preorder = number_switches(shape, arena);
    if (!preorder)
        return MAPCORE_ENOMEM;
    for (uint32_t h = 0; h < n; h++)
        split->key[h] =
            preorder[shape->leaf[mapcore_alloc_host(tree->alloc, h)]];
    sort_by_key(split, 0, tree->nhosts, shape->nswitches);
    return 0;
}

/* Of the places in host[begin .. end-1], which is sorted by key, where the key
 * changes, the one with most nearly half of the slots before it; MAPCORE_NONE
 * when it never changes. */
static uint32_t border_at_half(const struct host_split *split,
                               uint32_t begin,
                               uint32_t end)
{
    uint64_t total = 0, before = 0, least = UINT64_MAX;
    uint32_t best = MAPCORE_NONE;

    for (uint32_t i = begin; i < end; i++)
        total += mapcore_alloc_slots(split->alloc, split->host[i]);
    for (uint32_t i = begin; i + 1 < end; i++) {
        uint32_t h = split->host[i];
        uint64_t off;

        before += mapcore_alloc_slots(split->alloc, h);
        if (split->key[h] == split->key[split->host[i + 1]])
            continue;
        off = before * 2 > total ? before * 2 - total : total - before * 2;
        if (off < least) {
            least = off;
            best = i + 1;
        }
    }
    return best;
}

/* The same wherever the key is: between any two hosts. */
static uint32_t host_at_half(struct host_split *split,
                             uint32_t begin,
                             uint32_t end)
{
    for (uint32_t i = begin; i < end; i++)
        split->key[split->host[i]] = i;
    return border_at_half(split, begin, end);
}

/* Where a part lies in one dimension. */
struct extent {
    uint32_t origin; /* coordinate where it begins, upwards round the ring */
    uint32_t length; /* as a line, times 4 */
};

static struct extent measure(struct host_split *split,
                             uint32_t begin,
                             uint32_t end,
                             uint32_t dim)
{
    uint32_t size = split->shape.dims[dim], gap = 0, widest = 0, behind = 0;
    bool wraps = split->shape.ring[dim] == size;
    uint32_t low = UINT32_MAX, high = 0;
    struct extent extent;

    for (uint32_t i = begin; i < end; i++) {
        uint32_t x =
            map_coordinate(split->alloc, &split->shape, split->host[i], dim);

        split->count[x] = 1;
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    for (uint32_t x = low; x <= high; x++) {
        gap = split->count[x] ? 0 : gap + 1;
        if (gap > widest) {
            widest = gap;
            behind = x + 1;
        }
        split->count[x] = 0;
    }
    extent.origin = low;
    extent.length = 4 * (high - low + 1);
    if (!wraps)
        return extent;
    if (size - (high - low + 1) < widest) {
        extent.origin = behind;
        extent.length = 4 * (size - widest);
    } else if (size > 2 && high - low + 1 == size) {
        extent.origin = split->variant % size;
        extent.length = 3 * size;
    }
    return extent;
}

static uint32_t cut_torus(struct host_split *split,
                          uint32_t begin,
                          uint32_t end)
{
    uint32_t ndims = split->shape.ndims, best = 0, size;
    struct extent longest = {0, 0};

    for (uint32_t k = 0; k < ndims; k++) {
        uint32_t dim = (k + split->variant) % ndims;
        struct extent extent = measure(split, begin, end, dim);

        if (extent.length > longest.length) {
            longest = extent;
            best = dim;
        }
    }
    if (longest.length <= 4)
        return host_at_half(split, begin, end);
    size = split->shape.dims[best];
    for (uint32_t i = begin; i < end; i++) {
        uint32_t h = split->host[i];

        split->key[h] = (map_coordinate(split->alloc, &split->shape, h, best) +
                         size - longest.origin) %
                        size;
    }
    sort_by_key(split, begin, end, size);
    return border_at_half(split, begin, end);
}

/* The ancestor of a switch at that depth. */
static uint32_t ancestor(const struct topo_shape *shape,
                         uint32_t s,
                         uint32_t depth)
{
    while (shape->depth[s] > depth)
        s = shape->parent[s];
    return s;
}

/* Hosts are sorted depth first: the first and the last have the lowest switch
 * above all of them in common. */
static uint32_t cut_tree(struct host_split *split, uint32_t begin, uint32_t end)
{
    const struct topo_shape *shape = &split->shape;
    uint32_t s =
        shape->leaf[mapcore_alloc_host(split->alloc, split->host[begin])];
    uint32_t t =
        shape->leaf[mapcore_alloc_host(split->alloc, split->host[end - 1])];

    while (s != t) {
        if (shape->depth[s] >= shape->depth[t])
            s = shape->parent[s];
        else
            t = shape->parent[t];
    }
    for (uint32_t i = begin; i < end; i++) {
        uint32_t h = split->host[i];
        uint32_t leaf = shape->leaf[mapcore_alloc_host(split->alloc, h)];

        split->key[h] = leaf == s ? shape->nswitches + i
                                  : ancestor(shape, leaf, shape->depth[s] + 1);
    }
    return border_at_half(split, begin, end);
}

static uint32_t farthest(const struct host_split *split,
                         uint32_t begin,
                         uint32_t end,
                         uint32_t from)
{
    uint32_t best = split->host[begin], most = 0;

    for (uint32_t i = begin; i < end; i++) {
        uint32_t d = mapcore_alloc_distance(split->alloc, from, split->host[i]);

        if (d > most) {
            most = d;
            best = split->host[i];
        }
    }
    return best;
}

/* Two hosts far apart, and the others by how much nearer they are to which. A
 * border that leaves a fifth of the hosts on a side is better than a cut among
 * equals. */
static uint32_t cut_any(struct host_split *split, uint32_t begin, uint32_t end)
{
    const struct mapcore_alloc *alloc = split->alloc;
    uint32_t diameter = mapcore_topo_diameter(mapcore_alloc_topo(alloc));
    uint32_t n = end - begin, cut;
    uint32_t p, q;

    p = farthest(split, begin, end, split->host[begin + split->variant % n]);
    q = farthest(split, begin, end, p);
    for (uint32_t i = begin; i < end; i++) {
        uint32_t h = split->host[i];

        split->key[h] = diameter + mapcore_alloc_distance(alloc, h, p) -
                        mapcore_alloc_distance(alloc, h, q);
    }
    sort_by_key(split, begin, end, 2 * diameter + 1);
    cut = border_at_half(split, begin, end);
    if (cut != MAPCORE_NONE && (cut - begin) >= n / 5 && end - cut >= n / 5)
        return cut;
    return host_at_half(split, begin, end);
}

/* Sorts host[begin .. end-1] (two at least) and says where its second half
 * begins. */
static uint32_t cut_hosts(struct host_split *split,
                          uint32_t begin,
                          uint32_t end)
{
    switch (split->shape.kind) {
    case TOPO_TORUS:
        return cut_torus(split, begin, end);
    case TOPO_TREE:
    case TOPO_DRAGONFLY:
    case TOPO_LAYERS:
        return cut_tree(split, begin, end);
    case TOPO_OTHER:
        break;
    }
    return cut_any(split, begin, end);
}

struct host_tree *host_tree_create(const struct mapcore_alloc *alloc,
                                   uint32_t ntasks,
                                   uint32_t unit,
                                   uint32_t variant,
                                   struct arena *arena)
{
    struct host_tree *tree = arena_alloc(arena, 1, sizeof(*tree));
    struct host_split split;

    if (!tree)
        return NULL;
    tree->alloc = alloc;
    tree->unit = unit;
    if (take_hosts(tree, ntasks, arena) < 0 ||
        begin_split(&split, tree, variant, arena) < 0)
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
        middle = cut_hosts(&split, part->begin, part->end);
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
