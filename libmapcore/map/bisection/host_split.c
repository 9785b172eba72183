/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* host_split.c - cuts along the borders that each kind of network has */
#include "config.h"

#include "map/bisection/host_split.h"

#include "base/array.h"

#include <string.h>

/* Switches numbered depth first, so that a subtree's hosts stand together when
 * sorted by that number. A switch's number is that of its parent, plus what
 * the subtrees of elder siblings take, plus 1. */
static int number_switches(struct host_split *split, struct arena *arena)
{
    uint32_t n = split->shape.nswitches;
    const uint32_t *parent = split->shape.parent;
    uint32_t *size = arena_alloc(arena, n, sizeof(*size));
    uint32_t *next = arena_alloc(arena, n, sizeof(*next));

    split->preorder = arena_alloc(arena, n, sizeof(*split->preorder));
    if (arena->error)
        return MAPCORE_ENOMEM;
    for (uint32_t s = n; s-- > 0;) {
        size[s]++;
        if (s > 0)
            size[parent[s]] += size[s];
    }
    next[0] = 1;
    for (uint32_t s = 1; s < n; s++) {
        split->preorder[s] = next[parent[s]];
        next[parent[s]] += size[s];
        next[s] = split->preorder[s] + 1;
    }
    return 0;
}

/* Stable, by split->key; host[begin .. end-1]. keys are below ncount. */
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

int host_split_begin(struct host_split *split,
                     const struct mapcore_alloc *alloc,
                     uint32_t *host,
                     uint32_t nhosts,
                     uint32_t variant,
                     struct arena *arena)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(alloc);
    uint32_t n = mapcore_alloc_nhosts(alloc);
    const struct topo_shape *shape = &split->shape;

    split->alloc = alloc;
    split->host = host;
    split->variant = variant;
    topo_shape(&split->shape, topo);
    split->ncount = (size_t)mapcore_topo_diameter(topo) * 2 + 1;
    if (shape->nswitches > split->ncount)
        split->ncount = shape->nswitches;
    for (uint32_t i = 0; i < shape->ndims; i++)
        if (shape->dims[i] > split->ncount)
            split->ncount = shape->dims[i];
    split->spare = arena_alloc(arena, n, sizeof(*split->spare));
    split->key = arena_alloc(arena, n, sizeof(*split->key));
    split->count = arena_alloc(arena, split->ncount, sizeof(*split->count));
    if (shape->nswitches == 0 || arena->error)
        return arena->error;
    if (number_switches(split, arena) < 0)
        return MAPCORE_ENOMEM;
    for (uint32_t h = 0; h < n; h++)
        split->key[h] =
            split->preorder[shape->leaf[mapcore_alloc_host(alloc, h)]];
    sort_by_key(split, 0, nhosts, shape->nswitches);
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

static uint32_t coordinate(const struct host_split *split,
                           uint32_t host,
                           uint32_t dim)
{
    uint32_t number = mapcore_alloc_host(split->alloc, host);

    return split->shape.coordinates[(size_t)number * split->shape.ndims + dim];
}

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
        uint32_t x = coordinate(split, split->host[i], dim);

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

        split->key[h] =
            (coordinate(split, h, best) + size - longest.origin) % size;
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

uint32_t host_split_cut(struct host_split *split, uint32_t begin, uint32_t end)
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
