/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* prism.c - Topaware's node selection: lines, planes, prisms around holes */
#include "config.h"

#include "cart/prism.h"

#include "base/array.h"
#include "cart/torus_loads.h"

#include <math.h>
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

/* What measuring needs and remembers. */
struct measuring {
    struct torus_loads loads;
    uint32_t *hops; /* [npairs], of the prism at hand */
    bool are_alike; /* the links of each axis */
    bool has_box;   /* and a box without holes was measured: */
    struct mapcore_prism box;
};

static int start_measuring(struct measuring *out,
                           const struct mapcore_prism_search *search,
                           struct mapcore_error *err)
{
    int error = torus_loads_open(&out->loads, search->dims, search->wraps,
                                 search->capacity, search->along, err);

    out->are_alike = true;
    for (int i = 0; i < 3; i++)
        out->are_alike = out->are_alike && !(search->along && search->along[i]);
    out->hops = array_alloc(search->npairs, sizeof(*out->hops), err);
    return error == 0 && out->hops ? 0 : MAPCORE_ENOMEM;
}

static void end_measuring(struct measuring *measuring)
{
    torus_loads_clear(&measuring->loads);
    free(measuring->hops);
}

/* Whether nothing is left out between the routers: all such prisms are the
 * same where links are alike. */
static bool is_box(const struct mapcore_prism *prism,
                   const struct mapcore_prism_search *search,
                   const struct torus_loads *loads)
{
    const uint32_t *first = loads->at[prism->router[0]];
    size_t c = 0;

    for (uint32_t j = 0; j < search->size[1]; j++)
        for (uint32_t i = 0; i < search->size[0]; i++)
            for (uint32_t k = 0; k < search->size[2]; k++)
                if (prism->router[c++] != number(search,
                                                 step(search, 0, first[0], i),
                                                 step(search, 1, first[1], j),
                                                 step(search, 2, first[2], k)))
                    return false;
    return true;
}

/* Loads the links, beginning with detours: most prisms that are not wanted show
 * there. False: a link is slower than that. */
static bool load_links(struct measuring *measuring,
                       const struct mapcore_prism *prism,
                       const struct mapcore_prism_search *search,
                       double slowest)
{
    struct torus_loads *loads = &measuring->loads;

    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < search->npairs; i++) {
            if (pass != (measuring->hops[i] == 1))
                continue;
            torus_loads_add(loads, prism->router[search->pair[i][0]],
                            prism->router[search->pair[i][1]],
                            search->bytes[i]);
            if (loads->slowest > slowest)
                return false;
        }
    return true;
}

/* False as soon as it is worse than the last one, which may be NULL: such a
 * prism is not wanted. */
static bool measure(struct mapcore_prism *prism,
                    const struct mapcore_prism_search *search,
                    struct measuring *measuring,
                    const struct mapcore_prism *last)
{
    bool is_known =
        measuring->are_alike && is_box(prism, search, &measuring->loads);
    bool good = true;

    if (is_known && measuring->has_box) {
        prism->longest = measuring->box.longest;
        prism->slowest = measuring->box.slowest;
        prism->hops = measuring->box.hops;
        return true;
    }
    prism->longest = 0;
    prism->hops = 0;
    for (size_t i = 0; i < search->npairs; i++) {
        uint32_t hops = torus_loads_hops(&measuring->loads,
                                         prism->router[search->pair[i][0]],
                                         prism->router[search->pair[i][1]]);

        if (last && hops > last->longest)
            return false;
        measuring->hops[i] = hops;
        prism->hops += hops;
        if (hops > prism->longest)
            prism->longest = hops;
    }
    if (search->bytes)
        good = load_links(measuring, prism, search,
                          last && prism->longest == last->longest
                              ? last->slowest * (1 + 1e-9)
                              : INFINITY);
    prism->slowest = measuring->loads.slowest;
    torus_loads_reset(&measuring->loads);
    if (is_known && good) {
        measuring->has_box = true;
        measuring->box = *prism;
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

/* The best so far, in order, of ncells routers each. */
struct prism_list {
    struct mapcore_prism *best; /* [capacity] */
    size_t n, capacity, ncells;
    bool *taken; /* [routers of the torus], all false: scratch */
};

/* Which of the list has the same routers, in whatever order: n if none has. */
static size_t find_same(const struct prism_list *list,
                        const struct mapcore_prism *prism)
{
    const size_t n = list->n, ncells = list->ncells;
    size_t same = n;

    for (size_t k = 0; k < ncells; k++)
        list->taken[prism->router[k]] = true;
    for (size_t i = 0; i < n && same == n; i++) {
        size_t k = 0;

        while (k < ncells && list->taken[list->best[i].router[k]])
            k++;
        if (k == ncells)
            same = i;
    }
    for (size_t k = 0; k < ncells; k++)
        list->taken[prism->router[k]] = false;
    return same;
}

/* Puts prism, whose routers are copied, in its place in the list; of those with
 * the same routers only the best stays. */
static int keep(struct prism_list *list,
                const struct mapcore_prism *prism,
                struct mapcore_error *err)
{
    struct mapcore_prism *best = list->best, copy = *prism;
    size_t at = list->n, last;

    while (at > 0 && better(prism, &best[at - 1]))
        at--;
    if (at == list->capacity)
        return 0;
    last = find_same(list, prism);
    if (last < at)
        return 0;
    copy.router =
        array_copy(prism->router, list->ncells, sizeof(*prism->router), err);
    if (!copy.router)
        return MAPCORE_ENOMEM;
    if (last == list->n && list->n == list->capacity)
        last--;
    if (last == list->n)
        list->n++;
    else
        free(best[last].router);
    memmove(&best[at + 1], &best[at], (last - at) * sizeof(*best));
    best[at] = copy;
    return 0;
}

/* The time of the slowest link at least: cells that are apart along an axis
 * talk through one link of it, or more. */
static double least_slowest(const struct mapcore_prism_search *search)
{
    double widest[3], least = 0;

    for (uint32_t i = 0; i < 3; i++) {
        const double *along = search->along ? search->along[i] : NULL;

        widest[i] = search->capacity ? search->capacity[i] : 1;
        for (uint32_t x = 0; along && x < search->dims[i]; x++)
            widest[i] = along[x] > widest[i] ? along[x] : widest[i];
    }
    for (size_t k = 0; search->bytes && k < search->npairs; k++) {
        uint32_t a = search->pair[k][0], b = search->pair[k][1];
        uint32_t n = search->size[0] * search->size[2];
        uint32_t i = a / n != b / n                               ? 1
                     : a / search->size[2] != b / search->size[2] ? 0
                                                                  : 2;
        double time = search->bytes[k] / 2 / widest[i];

        least = time > least ? time : least;
    }
    return least;
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

/* Prisms from all starts; the most planes that any had, into *planes. */
static int try_starts(struct prism_list *list,
                      uint32_t *planes,
                      const struct mapcore_prism_search *search,
                      struct measuring *measuring,
                      struct mapcore_error *err)
{
    uint32_t nstarts = search->dims[0] * search->dims[1] * search->dims[2];
    double least = least_slowest(search);
    struct mapcore_prism now = {
        .router = array_alloc(list->ncells, sizeof(*now.router), err)};
    int error;

    list->taken = array_alloc(nstarts, sizeof(*list->taken), err);
    error = now.router && list->taken ? 0 : MAPCORE_ENOMEM;
    for (uint32_t i = 0; error == 0 && i < nstarts; i++) {
        const struct mapcore_prism *last =
            list->n > 0 && list->n == list->capacity ? &list->best[list->n - 1]
                                                     : NULL;
        uint32_t taken;

        /* Neighbours everywhere, and no link could be faster: that is all. */
        if (last && last->hops == search->npairs &&
            last->slowest <= least * (1 + 1e-9))
            break;
        now.start[0] = i % search->dims[0];
        now.start[1] = i / search->dims[0] % search->dims[1];
        now.start[2] = i / search->dims[0] / search->dims[1];
        taken = take_prism(&now, search);
        *planes = taken > *planes ? taken : *planes;
        if (taken == search->size[1] && measure(&now, search, measuring, last))
            error = keep(list, &now, err);
    }
    free(now.router);
    free(list->taken);
    return error;
}

int mapcore_prism_find(struct mapcore_prism *best,
                       size_t *n,
                       const struct mapcore_prism_search *search,
                       struct mapcore_error *err)
{
    struct prism_list list = {.best = best, .capacity = *n};
    struct measuring measuring = {.has_box = false};
    uint32_t planes = 0;
    int error;

    *n = 0;
    if ((error = check(&list.ncells, search, err)) < 0)
        return error;
    error = start_measuring(&measuring, search, err);
    if (error == 0)
        error = try_starts(&list, &planes, search, &measuring, err);
    end_measuring(&measuring);
    if (error == 0 && list.n == 0)
        error = error_set(err, MAPCORE_ENOENT,
                          "no prism of %u x %u x %u usable routers: at most %u "
                          "of %u planes were found",
                          search->size[0], search->size[1], search->size[2],
                          planes, search->size[1]);
    if (error < 0)
        while (list.n > 0)
            free(best[--list.n].router);
    *n = list.n;
    return error;
}
