/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* prism.c - Topaware's node selection: lines, planes, prisms around holes */
#include "config.h"

#include "cart/prism.h"

#include "base/array.h"
#include "cart/torus_loads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct prism_finder {
    const struct mapcore_prism_search *search;
    struct torus_loads loads;
    uint32_t nplaces, *cell; /* [nplaces] */
    size_t npairs;
    struct mapcore_blocks_pair *pair; /* of cells */
    uint32_t *hops;                   /* [npairs], of the prism at hand, */
    struct mapcore_prism now;         /* whose routers are by cell */
    uint32_t gaps;                    /* what was not whole on the way, */
    uint32_t planes;                  /* and the most planes that any had */
    bool are_alike;                   /* the links of each axis: then all
                                         prisms without a gap are, */
    bool has_box;                     /* and one was measured: */
    struct mapcore_prism box;
    struct mapcore_prism *best; /* [n] so far, in order */
    size_t n, capacity;
    bool *taken; /* [routers of the torus], all false: scratch */
    struct arena arena;
};

/* Along z, x and y, one in the other: the first routers, lines or planes from
 * the start on that are whole; returns how many there were. */
static uint32_t take(struct prism_finder *finder,
                     int level,
                     uint32_t at[3],
                     uint32_t in[3])
{
    static const uint32_t axes[] = {2, 0, 1};
    const struct mapcore_prism_search *search = finder->search;
    struct mapcore_prism *now = &finder->now;
    uint32_t axis = axes[level], dim = search->dims[axis], skipped = 0;

    in[axis] = 0;
    for (uint32_t s = 0; s < dim && in[axis] < now->size[axis]; s++) {
        uint32_t x = now->start[axis] + s;
        bool is_whole;

        if (x >= dim && !search->wraps[axis])
            break;
        at[axis] = x >= dim ? x - dim : x;
        if (level == 0) {
            uint32_t r =
                at[0] + search->dims[0] * (at[1] + search->dims[1] * at[2]);

            now->router[in[0] + now->size[0] * (in[1] + now->size[1] * in[2])] =
                r;
            is_whole = search->usable[r];
        } else {
            is_whole =
                take(finder, level - 1, at, in) == now->size[axes[level - 1]];
        }
        finder->gaps += !is_whole;
        skipped += !is_whole && in[axis] > 0;
        in[axis] += is_whole;
    }
    if (level == 1 && in[axis] == now->size[axis])
        now->skipped_rows += skipped;
    if (level == 2)
        now->skipped_planes = skipped;
    return in[axis];
}

/* Loads the links, beginning with detours: most prisms that are not wanted show
 * there. False: a link is slower than that. */
static bool load_links(struct prism_finder *finder, double slowest)
{
    const uint32_t *router = finder->now.router;

    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < finder->npairs; i++) {
            const struct mapcore_blocks_pair *pair = &finder->pair[i];

            if (pass != (finder->hops[i] == 1))
                continue;
            torus_loads_add(&finder->loads, router[pair->a], router[pair->b],
                            pair->bytes);
            if (finder->loads.slowest > slowest)
                return false;
        }
    return true;
}

/* False as soon as it is worse than the last one, which may be NULL: such a
 * prism is not wanted. */
static bool measure(struct prism_finder *finder,
                    const struct mapcore_prism *last)
{
    struct mapcore_prism *now = &finder->now;
    bool is_box = finder->are_alike && finder->gaps == 0, good;

    if (is_box && finder->has_box) {
        now->longest = finder->box.longest;
        now->slowest = finder->box.slowest;
        now->hops = finder->box.hops;
        return true;
    }
    now->longest = 0;
    now->hops = 0;
    for (size_t i = 0; i < finder->npairs; i++) {
        uint32_t hops =
            torus_loads_hops(&finder->loads, now->router[finder->pair[i].a],
                             now->router[finder->pair[i].b]);

        if (last && hops > last->longest)
            return false;
        finder->hops[i] = hops;
        now->hops += hops;
        if (hops > now->longest)
            now->longest = hops;
    }
    good = load_links(finder, last && now->longest == last->longest
                                  ? last->slowest * (1 + 1e-9)
                                  : INFINITY);
    now->slowest = finder->loads.slowest;
    torus_loads_reset(&finder->loads);
    if (is_box && good) {
        finder->has_box = true;
        finder->box = *now;
    }
    return good;
}

/* Loads are sums in another order at every start: equal but for rounding. */
static bool better(const struct mapcore_prism *a, const struct mapcore_prism *b)
{
    if (a->longest != b->longest)
        return a->longest < b->longest;
    if (a->slowest < b->slowest * (1 - 1e-9) ||
        b->slowest < a->slowest * (1 - 1e-9))
        return a->slowest < b->slowest;
    return a->hops < b->hops;
}

/* Which of the best has the same routers, in any order: n if none has. */
static size_t find_same(const struct prism_finder *finder)
{
    const uint32_t *router = finder->now.router;
    size_t same = finder->n;

    for (uint32_t k = 0; k < finder->nplaces; k++)
        finder->taken[router[finder->cell[k]]] = true;
    for (size_t i = 0; i < finder->n && same == finder->n; i++) {
        uint32_t k = 0;

        while (k < finder->nplaces && finder->taken[finder->best[i].router[k]])
            k++;
        if (k == finder->nplaces)
            same = i;
    }
    for (uint32_t k = 0; k < finder->nplaces; k++)
        finder->taken[router[finder->cell[k]]] = false;
    return same;
}

/* Puts the prism at hand in its place among the best; of those with the same
 * routers only the best stays. */
static int keep(struct prism_finder *finder, struct mapcore_error *err)
{
    struct mapcore_prism *best = finder->best, copy = finder->now;
    size_t at = finder->n, last;

    while (at > 0 && better(&copy, &best[at - 1]))
        at--;
    if (at == finder->capacity || (last = find_same(finder)) < at)
        return 0;
    copy.router = array_alloc(finder->nplaces, sizeof(*copy.router), err);
    if (!copy.router)
        return MAPCORE_ENOMEM;
    for (uint32_t p = 0; p < finder->nplaces; p++)
        copy.router[p] = finder->now.router[finder->cell[p]];
    if (last == finder->n && finder->n == finder->capacity)
        last--;
    if (last == finder->n)
        finder->n++;
    else
        free(best[last].router);
    memmove(&best[at + 1], &best[at], (last - at) * sizeof(*best));
    best[at] = copy;
    return 0;
}

/* The time of the slowest link at least: cells that are apart along an axis
 * talk through one link of it, or more. */
static double least_slowest(const struct prism_finder *finder)
{
    const struct mapcore_prism_search *search = finder->search;
    double least = 0;

    for (uint32_t i = 0, stride = 1; i < 3; stride *= finder->now.size[i++]) {
        const double *along = search->along ? search->along[i] : NULL;
        double widest = search->capacity ? search->capacity[i] : 1;
        uint32_t n = finder->now.size[i];

        for (uint32_t x = 0; along && x < search->dims[i]; x++)
            widest = fmax(widest, along[x]);
        for (size_t k = 0; k < finder->npairs; k++) {
            const struct mapcore_blocks_pair *pair = &finder->pair[k];

            if (pair->a / stride % n != pair->b / stride % n)
                least = fmax(least, pair->bytes / 2 / widest);
        }
    }
    return least;
}

static int open_finder(struct prism_finder *out, struct mapcore_error *err)
{
    const struct mapcore_prism_search *search = out->search;
    struct mapcore_prism *now = &out->now;
    uint64_t routers = 1;
    size_t ncells = 1;
    int error;

    if ((error = mapcore_blocks_check(&out->nplaces, NULL, search->layout,
                                      err)) < 0 ||
        (error = mapcore_blocks_prism(now->size, search->layout, err)) < 0)
        return error;
    out->are_alike = true;
    for (int i = 0; i < 3; i++) {
        out->are_alike = out->are_alike && !(search->along && search->along[i]);
        if (now->size[i] > search->dims[i])
            return error_set(err, MAPCORE_EINVAL,
                             "a prism of %u routers along %c in a torus of %u",
                             now->size[i], "xyz"[i], search -> dims[i]);
        ncells *= now->size[i];
        if (__builtin_mul_overflow(routers, search->dims[i], &routers) ||
            routers > INT32_MAX)
            return error_set(err, MAPCORE_ERANGE,
                             "a torus of more than %d routers", INT32_MAX);
    }
    out->cell = arena_alloc(&out->arena, out->nplaces, sizeof(*out->cell));
    now->router = arena_alloc(&out->arena, ncells, sizeof(*now->router));
    out->taken = arena_alloc(&out->arena, routers, sizeof(*out->taken));
    if (out->arena.error)
        return MAPCORE_ENOMEM;
    mapcore_blocks_cells(out->cell, search->layout);
    if ((error = mapcore_blocks_pairs(&out->pair, &out->npairs, search->layout,
                                      err)) < 0 ||
        (error = torus_loads_open(&out->loads, search->dims, search->wraps,
                                  search->capacity, search->along, err)) < 0)
        return error;
    for (size_t i = 0; i < out->npairs; i++) {
        out->pair[i].a = out->cell[out->pair[i].a];
        out->pair[i].b = out->cell[out->pair[i].b];
    }
    out->hops = arena_alloc(&out->arena, out->npairs, sizeof(*out->hops));
    return out->arena.error;
}

/* Prisms from all starts. */
static int try_starts(struct prism_finder *finder, struct mapcore_error *err)
{
    const uint32_t *dims = finder->search->dims;
    double least = least_slowest(finder);
    struct mapcore_prism *now = &finder->now;
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < dims[0] * dims[1] * dims[2]; i++) {
        const struct mapcore_prism *last =
            finder->n > 0 && finder->n == finder->capacity
                ? &finder->best[finder->n - 1]
                : NULL;
        uint32_t taken, at[3], in[3];

        /* Neighbours everywhere, and no link could be faster: that is all. */
        if (last && last->hops == finder->npairs &&
            last->slowest <= least * (1 + 1e-9))
            break;
        now->start[0] = i % dims[0];
        now->start[1] = i / dims[0] % dims[1];
        now->start[2] = i / dims[0] / dims[1];
        now->skipped_rows = finder->gaps = 0;
        taken = take(finder, 2, at, in);
        finder->planes = taken > finder->planes ? taken : finder->planes;
        if (taken == now->size[1] && measure(finder, last))
            error = keep(finder, err);
    }
    return error;
}

int mapcore_prism_find(struct mapcore_prism *best,
                       size_t *n,
                       const struct mapcore_prism_search *search,
                       struct mapcore_error *err)
{
    struct prism_finder finder = {
        .search = search, .best = best, .capacity = *n, .arena.err = err};
    const uint32_t *size = finder.now.size;
    int error = open_finder(&finder, err);

    if (error == 0)
        error = try_starts(&finder, err);
    torus_loads_clear(&finder.loads);
    free(finder.pair);
    arena_clear(&finder.arena);
    if (error == 0 && finder.n == 0)
        error = error_set(err, MAPCORE_ENOENT,
                          "no prism of %u x %u x %u usable routers: at most %u "
                          "of %u planes were found",
                          size[0], size[1], size[2], finder.planes, size[1]);
    while (error < 0 && finder.n > 0)
        free(best[--finder.n].router);
    *n = finder.n;
    return error;
}
