/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* torus.c - distances, routes and places on N-dimensional tori and meshes */
#include "config.h"

#include "topo/kind/torus.h"

#include "base/text.h"
#include "topo/walk.h"

#include <stdio.h>
#include <string.h>

static const struct torus *torus_of(const struct mapcore_topo *topo)
{
    return (const struct torus *)(const void *)topo;
}

static uint32_t along(uint32_t x, uint32_t y, uint32_t ring)
{
    uint32_t d = x > y ? x - y : y - x;

    return ring - d < d ? ring - d : d;
}

static const uint32_t *place_of(const struct torus *torus, uint32_t host)
{
    return torus->coordinates + (size_t)host * torus->ndims;
}

static uint32_t distance(const struct mapcore_topo *topo,
                         uint32_t a,
                         uint32_t b,
                         bool wraps)
{
    const struct torus *torus = torus_of(topo);
    const uint32_t *x = place_of(torus, a), *y = place_of(torus, b);
    uint32_t sum = 0;

    for (uint32_t i = 0; i < torus->ndims; i++)
        sum += along(x[i], y[i], wraps ? torus->ring[i] : UINT32_MAX);
    return sum;
}

/* Neighbouring dimensions taken together, first .. end-1: the distances along
 * them are looked up at once. */
struct torus_group {
    uint32_t first, end;
    size_t size; /* product of the dimensions */
};

/* As many dimensions a group as keep its table no larger than a row. */
static uint32_t make_groups(struct torus_group *groups,
                            const struct torus *torus,
                            uint32_t n)
{
    uint32_t ngroups = 0;

    for (uint32_t i = 0; i < torus->ndims; i++) {
        struct torus_group *last = &groups[ngroups - (ngroups > 0)];

        if (ngroups > 0 && last->size * torus->dims[i] <= n) {
            last->end++;
            last->size *= torus->dims[i];
        } else {
            groups[ngroups++] = (struct torus_group){i, i + 1, torus->dims[i]};
        }
    }
    return ngroups;
}

/* How far every place along the dimensions of a group is from x. */
static void fill_group(uint16_t *far,
                       const struct torus *torus,
                       const struct torus_group *group,
                       const uint32_t *x)
{
    size_t n = 1;

    far[0] = 0;
    for (uint32_t i = group->first; i < group->end; i++) {
        /* Downwards, for the first n are both source and last target. */
        for (uint32_t c = torus->dims[i]; c-- > 0;) {
            uint32_t d = along(x[i], c, torus->ring[i]);

            for (size_t k = 0; k < n; k++)
                far[c * n + k] = (uint16_t)(far[k] + d);
        }
        n *= torus->dims[i];
    }
}

/* Row by row, each from small tables: the steps from host a to every place
 * along the dimensions of a group, looked up by where host b is in it. */
static int distance_block(uint16_t *out,
                          const struct mapcore_topo *topo,
                          const struct topo_rows *rows,
                          struct mapcore_error *err)
{
    struct arena arena = {.err = err};
    const uint32_t n = rows->n, *host = rows->host;
    const struct torus *torus = torus_of(topo);
    struct torus_group groups[TORUS_MAX_DIMS];
    uint32_t ngroups = make_groups(groups, torus, n);
    size_t largest = 0;

    for (uint32_t g = 0; g < ngroups; g++)
        largest = groups[g].size > largest ? groups[g].size : largest;

    uint16_t *far = arena_alloc(&arena, largest, sizeof(*far));
    uint32_t *where = arena_alloc(&arena, n, ngroups * sizeof(*where));
    for (uint32_t g = 0; arena.error == 0 && g < ngroups; g++) {
        uint32_t origin = torus->stride[groups[g].first];

        for (uint32_t b = 0; b < n; b++)
            where[(size_t)g * n + b] =
                (uint32_t)(topo->at[host[b]] / origin % groups[g].size);
    }
    for (uint32_t a = rows->begin; arena.error == 0 && a < rows->end; a++) {
        uint16_t *row = out + (size_t)(a - rows->begin) * n;
        const uint32_t *x = place_of(torus, host[a]);

        for (uint32_t g = 0; g < ngroups; g++) {
            const uint32_t *at = where + (size_t)g * n;

            fill_group(far, torus, &groups[g], x);
            for (uint32_t b = 0; b < n; b++)
                row[b] = (uint16_t)((g > 0 ? row[b] : 0) + far[at[b]]);
        }
    }
    arena_clear(&arena);
    return arena.error;
}

/* The links along dimension i from a router at x to y; returns how many. */
static uint32_t walk_ring(uint32_t *links,
                          const struct torus *torus,
                          uint32_t i,
                          uint32_t router,
                          const uint32_t ends[2],
                          bool up)
{
    uint32_t x = ends[0], y = ends[1];
    uint32_t last = torus->dims[i] - 1, n = 0;

    while (x != y) {
        links[n++] = (router * torus->ndims + i) * 2 + !up;
        if (up) {
            router += x == last ? -last * torus->stride[i] : torus->stride[i];
            x = x == last ? 0 : x + 1;
        } else {
            router -= x == 0 ? -last * torus->stride[i] : torus->stride[i];
            x = x == 0 ? last : x - 1;
        }
    }
    return n;
}

/* whole NULL: all of it goes one way. Both halves meet again at the end of each
 * dimension, so that no more than half takes any link of a tie, and the links
 * of other dimensions carry all. */
static uint32_t split_route(const struct mapcore_topo *topo,
                            uint32_t a,
                            uint32_t b,
                            uint32_t *links,
                            uint32_t *whole)
{
    const struct torus *torus = torus_of(topo);
    uint32_t n = 0, router = topo->at[a];
    const uint32_t *from = place_of(torus, a), *to = place_of(torus, b);
    uint32_t tied[TORUS_MAX_DIMS], at[TORUS_MAX_DIMS], ntied = 0, way = b;

    for (uint32_t i = 0; i < torus->ndims; i++) {
        const bool is_tied = topo_ring_is_tied(from[i], to[i], torus->ring[i]);

        if (whole && is_tied) {
            tied[ntied] = i;
            at[ntied++] = router;
        } else {
            n += walk_ring(
                links + n, torus, i, router, (uint32_t[]){from[i], to[i]},
                is_tied ? way % 2 == 0
                        : topo_ring_goes_up(from[i], to[i], torus->ring[i]));
            way /= is_tied ? 2 : 1;
        }
        router += (to[i] - from[i]) * torus->stride[i];
    }
    if (whole)
        *whole = n;
    for (uint32_t k = 0; k < ntied; k++)
        for (int up = 0; up < 2; up++)
            n += walk_ring(links + n, torus, tied[k], at[k],
                           (uint32_t[]){from[tied[k]], to[tied[k]]}, up);
    return n;
}

static int switch_name(const struct mapcore_topo *topo,
                       uint32_t router,
                       char *buffer,
                       size_t size)
{
    const struct torus *torus = torus_of(topo);
    char place[TORUS_MAX_DIMS * 11 + 1];
    size_t n = 0;

    for (uint32_t i = 0; i < torus->ndims; i++)
        n += (size_t)snprintf(place + n, sizeof(place) - n, "%s%u",
                              i > 0 ? "," : "",
                              router / torus->stride[i] % torus->dims[i]);
    return snprintf(buffer, size, "(%s)", place);
}

static int link_name(const struct mapcore_topo *topo,
                     uint32_t link,
                     char *buffer,
                     size_t size)
{
    uint32_t ndims = torus_of(topo)->ndims, dimension = link / 2 % ndims;
    char place[TORUS_MAX_DIMS * 11 + 3];

    switch_name(topo, link / 2 / ndims, place, sizeof(place));
    /* x, y, z as everybody says; from four dimensions on a, b, c, ... as on
     * Blue Gene/Q. */
    return snprintf(buffer, size, "%s %c%c", place, link % 2 ? '-' : '+',
                    (int)((ndims <= 3 ? 'x' : 'a') + dimension));
}

/* Where hosts are in the order of their routers, the first at it or behind. */
static uint32_t first_host(const struct torus *torus, uint32_t router)
{
    uint32_t low = 0, high = torus->is_regular ? torus->base.nhosts : 0;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (torus->base.at[middle] < router)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* "3 4 5", "3,4,5" or "3,4,5/1". */
static uint32_t find_place(const struct mapcore_topo *topo, const char *place)
{
    const struct torus *torus = torus_of(topo);
    uint32_t router = 0;
    uint64_t x, nth = 0;

    for (uint32_t i = 0; i < torus->ndims; i++) {
        const size_t n = i > 0 ? strspn(place, " \t,") : 0;

        place += n;
        if ((i > 0 && n == 0) ||
            !text_take_digits(&place, torus->dims[i] - 1, &x))
            return MAPCORE_NONE;
        router += (uint32_t)x * torus->stride[i];
    }
    if (*place == '/') {
        place++;
        if (!text_take_digits(&place, UINT32_MAX, &nth))
            return MAPCORE_NONE;
    }
    if (*place != '\0')
        return MAPCORE_NONE;
    for (uint32_t h = first_host(torus, router); h < topo->nhosts; h++) {
        if (topo->at[h] == router && nth-- == 0)
            return h;
        if (torus->is_regular && topo->at[h] > router)
            break;
    }
    return MAPCORE_NONE;
}

/* Router one step on, or MAPCORE_NONE at the edge of a mesh. */
static uint32_t neighbour(const struct torus *torus,
                          uint32_t router,
                          uint32_t dimension,
                          bool up)
{
    uint32_t stride = torus->stride[dimension], dim = torus->dims[dimension];
    uint32_t x = router / stride % dim;

    if (dim == 1 ||
        (torus->ring[dimension] == UINT32_MAX && x == (up ? dim - 1 : 0)))
        return MAPCORE_NONE;
    if (up)
        return x == dim - 1 ? router - x * stride : router + stride;
    return x == 0 ? router + (dim - 1) * stride : router - stride;
}

static bool link_ends(const struct mapcore_topo *topo,
                      uint32_t link,
                      uint32_t end[2])
{
    const struct torus *torus = torus_of(topo);
    uint32_t router = link / 2 / torus->ndims;
    uint32_t to =
        neighbour(torus, router, link / 2 % torus->ndims, link % 2 == 0);

    if (to == MAPCORE_NONE)
        return false;
    end[0] = topo->nhosts + router;
    end[1] = topo->nhosts + to;
    return true;
}

/* Any dimension that is left to go, the shorter way round, either way where
 * both are equal. */
static uint32_t next_hops(const struct mapcore_topo *topo,
                          uint32_t vertex,
                          uint32_t b,
                          uint32_t *link,
                          uint32_t *to)
{
    const struct torus *torus = torus_of(topo);
    const uint32_t *y = place_of(torus, b);
    uint32_t n = 0, router = vertex < topo->nhosts ? topo->at[vertex]
                                                   : vertex - topo->nhosts;

    for (uint32_t i = 0; i < torus->ndims; i++) {
        const uint32_t x = router / torus->stride[i] % torus->dims[i];
        const bool up = topo_ring_goes_up(x, y[i], torus->ring[i]);
        const bool is_tied = topo_ring_is_tied(x, y[i], torus->ring[i]);

        for (uint32_t way = 0; x != y[i] && way < 2; way++) {
            if (!is_tied && up != (way == 0))
                continue;
            link[n] = (router * torus->ndims + i) * 2 + way;
            to[n++] = topo->nhosts + neighbour(torus, router, i, way == 0);
        }
    }
    return n;
}

static double link_capacity(const struct mapcore_topo *topo, uint32_t link)
{
    const struct torus *torus = torus_of(topo);
    uint32_t i = link / 2 % torus->ndims;

    if (!torus->along[i])
        return torus->capacity[i];

    uint32_t x = link / 2 / torus->ndims / torus->stride[i] % torus->dims[i];
    if (link % 2 == 1)
        x = x == 0 ? torus->dims[i] - 1 : x - 1;
    return torus->along[i][x];
}

const struct topo_ops torus_ops = {
    .distance = distance,
    .split_route = split_route,
    .link_name = link_name,
    .distance_block = distance_block,
    .find_place = find_place,
    .link_ends = link_ends,
    .all_attached = true,
    .switch_name = switch_name,
    .next_hops = next_hops,
    .link_capacity = link_capacity,
    .link_directions = 1,
};
