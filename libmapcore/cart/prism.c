/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* prism.c - Topaware's node selection: lines, planes, prisms around holes */
#include "config.h"

#include "cart/prism.h"

#include "base/array.h"
#include "cart/torus_loads.h"

#include <stdlib.h>
#include <string.h>

/* A position along an axis, so many steps from the start; dims or more: the
 * axis ends there. */
static uint32_t step(const struct mapcore_prism_search *search,
                     int axis,
                     uint32_t start,
                     uint32_t steps)
{
    uint32_t at = start + steps;

    return at >= search->dims[axis] && search->wraps[axis]
               ? at - search->dims[axis]
               : at;
}

static uint32_t number(const struct mapcore_prism_search *search,
                       uint32_t x,
                       uint32_t y,
                       uint32_t z)
{
    return x + search->dims[0] * (y + search->dims[1] * z);
}

/* The first N_z usable routers along z, into line[N_z]; false: not so many. */
static bool take_line(uint32_t *line,
                      const struct mapcore_prism_search *search,
                      uint32_t x,
                      uint32_t y,
                      uint32_t start)
{
    uint32_t taken = 0;

    for (uint32_t s = 0; s < search->dims[2] && taken < search->size[2]; s++) {
        uint32_t z = step(search, 2, start, s), router;

        if (z >= search->dims[2])
            break;
        router = number(search, x, y, z);
        if (search->usable[router])
            line[taken++] = router;
    }
    return taken == search->size[2];
}

/* N_x lines, into plane[N_x N_z]. */
static bool take_plane(uint32_t *plane,
                       uint32_t *skipped,
                       const struct mapcore_prism_search *search,
                       uint32_t y,
                       const uint32_t start[3])
{
    uint32_t taken = 0;

    *skipped = 0;
    for (uint32_t s = 0; s < search->dims[0] && taken < search->size[0]; s++) {
        uint32_t x = step(search, 0, start[0], s);

        if (x >= search->dims[0])
            break;
        if (take_line(plane + (size_t)taken * search->size[2], search, x, y,
                      start[2]))
            taken++;
        else if (taken > 0)
            ++*skipped;
    }
    return taken == search->size[0];
}

/* N_y planes, into out->router; returns how many there were. */
static uint32_t take_prism(struct mapcore_prism *out,
                           const struct mapcore_prism_search *search)
{
    size_t per_plane = (size_t)search->size[0] * search->size[2];
    uint32_t taken = 0, skipped;

    out->skipped_rows = out->skipped_planes = 0;
    for (uint32_t s = 0; s < search->dims[1] && taken < search->size[1]; s++) {
        uint32_t y = step(search, 1, out->start[1], s);

        if (y >= search->dims[1])
            break;
        if (take_plane(out->router + taken * per_plane, &skipped, search, y,
                       out->start)) {
            taken++;
            out->skipped_rows += skipped;
        } else if (taken > 0) {
            out->skipped_planes++;
        }
    }
    return taken;
}

/* False as soon as a path is longer than most: such a prism is not wanted. */
static bool measure(struct mapcore_prism *prism,
                    const struct mapcore_prism_search *search,
                    struct torus_loads *loads,
                    uint32_t most)
{
    prism->longest = 0;
    prism->hops = 0;
    for (size_t i = 0; i < search->npairs; i++) {
        uint32_t hops =
            torus_loads_hops(loads, prism->router[search->pair[i][0]],
                             prism->router[search->pair[i][1]]);

        if (hops > most)
            return false;
        prism->hops += hops;
        if (hops > prism->longest)
            prism->longest = hops;
    }
    for (size_t i = 0; search->bytes && i < search->npairs; i++)
        torus_loads_add(loads, prism->router[search->pair[i][0]],
                        prism->router[search->pair[i][1]], search->bytes[i]);
    prism->slowest = torus_loads_slowest(loads);
    return true;
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

/* Which of best[n] has the same routers, in whatever order: n if none has.
 * taken: [routers of the torus], all false. */
static size_t find_same(const struct mapcore_prism *best,
                        size_t n,
                        const struct mapcore_prism *prism,
                        size_t ncells,
                        bool *taken)
{
    size_t same = n;

    for (size_t k = 0; k < ncells; k++)
        taken[prism->router[k]] = true;
    for (size_t i = 0; i < n && same == n; i++) {
        size_t k = 0;

        while (k < ncells && taken[best[i].router[k]])
            k++;
        if (k == ncells)
            same = i;
    }
    for (size_t k = 0; k < ncells; k++)
        taken[prism->router[k]] = false;
    return same;
}

/* Puts prism, whose routers are copied, in its place among best[*n]; of those
 * with the same routers only the best stays. */
static int keep(struct mapcore_prism *best,
                size_t *n,
                size_t capacity,
                const struct mapcore_prism *prism,
                size_t ncells,
                bool *taken,
                struct mapcore_error *err)
{
    struct mapcore_prism copy = *prism;
    size_t at = *n, last;

    while (at > 0 && better(prism, &best[at - 1]))
        at--;
    if (at == capacity)
        return 0;
    last = find_same(best, *n, prism, ncells, taken);
    if (last < at)
        return 0;
    copy.router =
        array_copy(prism->router, ncells, sizeof(*prism->router), err);
    if (!copy.router)
        return MAPCORE_ENOMEM;
    if (last == *n && *n == capacity)
        last--;
    if (last == *n)
        ++*n;
    else
        free(best[last].router);
    memmove(&best[at + 1], &best[at], (last - at) * sizeof(*best));
    best[at] = copy;
    return 0;
}

static int check(size_t *ncells,
                 const struct mapcore_prism_search *search,
                 struct mapcore_error *err)
{
    static const char axes[] = "xyz";
    uint64_t routers = 1;

    *ncells = 1;
    for (int i = 0; i < 3; i++) {
        if (search->size[i] < 1 || search->size[i] > search->dims[i])
            return error_set(err, MAPCORE_EINVAL,
                             "a prism of %u routers along %c in a torus of %u",
                             search->size[i], axes[i], search->dims[i]);
        *ncells *= search->size[i];
        if (__builtin_mul_overflow(routers, search->dims[i], &routers) ||
            routers > INT32_MAX)
            return error_set(err, MAPCORE_ERANGE,
                             "a torus of more than %d routers", INT32_MAX);
    }
    return 0;
}

int mapcore_prism_find(struct mapcore_prism *best,
                       size_t *n,
                       const struct mapcore_prism_search *search,
                       struct mapcore_error *err)
{
    struct mapcore_prism now = {.router = NULL};
    struct torus_loads loads;
    size_t capacity = *n, found = 0, ncells;
    uint32_t planes = 0;
    bool *seen;
    int error;

    *n = 0;
    if ((error = check(&ncells, search, err)) < 0)
        return error;
    error = torus_loads_open(&loads, search->dims, search->wraps,
                             search->capacity, search->along, err);
    seen =
        array_alloc((size_t)search->dims[0] * search->dims[1] * search->dims[2],
                    sizeof(*seen), err);
    now.router = array_alloc(ncells, sizeof(*now.router), err);
    if (!now.router || !seen || error < 0) {
        free(now.router);
        free(seen);
        torus_loads_clear(&loads);
        return MAPCORE_ENOMEM;
    }
    for (uint32_t i = 0;
         i < search->dims[0] * search->dims[1] * search->dims[2]; i++) {
        uint32_t taken, most;

        now.start[0] = i % search->dims[0];
        now.start[1] = i / search->dims[0] % search->dims[1];
        now.start[2] = i / search->dims[0] / search->dims[1];
        taken = take_prism(&now, search);
        planes = taken > planes ? taken : planes;
        most = found == capacity && capacity > 0 ? best[found - 1].longest
                                                 : UINT32_MAX;
        if (taken == search->size[1] && measure(&now, search, &loads, most) &&
            (error = keep(best, &found, capacity, &now, ncells, seen, err)) < 0)
            break;
    }
    free(now.router);
    free(seen);
    torus_loads_clear(&loads);
    if (error == 0 && found == 0)
        error = error_set(err, MAPCORE_ENOENT,
                          "no prism of %u x %u x %u usable routers: at most %u "
                          "of %u planes were found",
                          search->size[0], search->size[1], search->size[2],
                          planes, search->size[1]);
    if (error < 0)
        while (found > 0)
            free(best[--found].router);
    *n = found;
    return error;
}
