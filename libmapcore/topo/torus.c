/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* torus.c - distances, routes and places on N-dimensional tori and meshes */
#include "config.h"

#include "topo/torus.h"

#include "base/array.h"

#include <stdio.h>
#include <stdlib.h>
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

static uint32_t distance(const struct mapcore_topo *topo,
                         uint32_t a,
                         uint32_t b)
{
    const struct torus *torus = torus_of(topo);
    uint32_t ndims = torus->ndims, sum = 0;
    const uint32_t *x = torus->coordinates + (size_t)a * ndims;
    const uint32_t *y = torus->coordinates + (size_t)b * ndims;

    for (uint32_t i = 0; i < ndims; i++)
        sum += along(x[i], y[i], torus->ring[i]);
    return sum;
}

static uint32_t distance_flat(const struct mapcore_topo *topo,
                              uint32_t a,
                              uint32_t b)
{
    const struct torus *torus = torus_of(topo);
    uint32_t ndims = torus->ndims, sum = 0;
    const uint32_t *x = torus->coordinates + (size_t)a * ndims;
    const uint32_t *y = torus->coordinates + (size_t)b * ndims;

    for (uint32_t i = 0; i < ndims; i++)
        sum += x[i] > y[i] ? x[i] - y[i] : y[i] - x[i];
    return sum;
}

/* Row by row, each from small tables: how far is every coordinate of a
 * dimension from that of host a? */
static int table(uint16_t *out,
                 const struct mapcore_topo *topo,
                 uint32_t n,
                 const uint32_t *host,
                 struct mapcore_error *err)
{
    const struct torus *torus = torus_of(topo);
    uint32_t ndims = torus->ndims, longest = 0;
    int code = MAPCORE_ENOMEM;

    for (uint32_t i = 0; i < ndims; i++)
        longest = torus->dims[i] > longest ? torus->dims[i] : longest;

    uint16_t *far = array_alloc(longest, sizeof *far, err);
    uint32_t *x = array_alloc(n, ndims * sizeof *x, err);
    if (far == NULL || x == NULL)
        goto out;
    for (uint32_t i = 0; i < ndims; i++) {
        for (uint32_t b = 0; b < n; b++)
            x[(size_t)i * n + b] =
                torus->coordinates[(size_t)host[b] * ndims + i];
    }
    memset(out, 0, (size_t)n * n * sizeof *out);
    for (uint32_t a = 0; a < n; a++) {
        uint16_t *row = out + (size_t)a * n;

        for (uint32_t i = 0; i < ndims; i++) {
            const uint32_t *xi = x + (size_t)i * n;

            for (uint32_t c = 0; c < torus->dims[i]; c++)
                far[c] = (uint16_t)along(xi[a], c, torus->ring[i]);
            for (uint32_t b = 0; b < n; b++)
                row[b] = (uint16_t)(row[b] + far[xi[b]]);
        }
    }
    code = 0;
out:
    free(x);
    free(far);
    return code;
}

/* Which way from x to y: the shorter, ties positive. */
static bool goes_up(uint32_t x, uint32_t y, uint32_t ring)
{
    if (ring == UINT32_MAX)
        return y > x;
    uint32_t ahead = y >= x ? y - x : ring - (x - y);
    return ahead <= ring - ahead;
}

static uint32_t route(const struct mapcore_topo *topo,
                      uint32_t a,
                      uint32_t b,
                      uint32_t *links)
{
    const struct torus *torus = torus_of(topo);
    uint32_t ndims = torus->ndims, n = 0, router = torus->router[a];
    const uint32_t *from = torus->coordinates + (size_t)a * ndims;
    const uint32_t *to = torus->coordinates + (size_t)b * ndims;

    for (uint32_t i = 0; i < ndims; i++) {
        bool up = goes_up(from[i], to[i], torus->ring[i]);
        uint32_t last = torus->dims[i] - 1;

        for (uint32_t x = from[i]; x != to[i];) {
            links[n++] = (router * ndims + i) * 2 + !up;
            if (up) {
                router +=
                    x == last ? -last * torus->stride[i] : torus->stride[i];
                x = x == last ? 0 : x + 1;
            } else {
                router -= x == 0 ? -last * torus->stride[i] : torus->stride[i];
                x = x == 0 ? last : x - 1;
            }
        }
    }
    return n;
}

static int link_name(const struct mapcore_topo *topo,
                     uint32_t link,
                     char *buffer,
                     size_t size)
{
    const struct torus *torus = torus_of(topo);
    uint32_t ndims = torus->ndims, router = link / 2 / ndims;
    uint32_t dimension = link / 2 % ndims;
    char place[TORUS_MAX_DIMS * 11 + 1];
    size_t n = 0;

    for (uint32_t i = 0; i < ndims; i++)
        n += (size_t)snprintf(place + n, sizeof place - n, "%s%u",
                              i > 0 ? "," : "",
                              router / torus->stride[i] % torus->dims[i]);
    /* x, y, z as everybody says; from four dimensions on a, b, c, ... as on
     * Blue Gene/Q. */
    return snprintf(buffer, size, "(%s) %c%c", place, link % 2 ? '-' : '+',
                    (int)((ndims <= 3 ? 'x' : 'a') + dimension));
}

/* The position of the first host of a router in the order by router. */
static uint32_t lower_bound(const struct torus *torus, uint32_t router)
{
    uint32_t low = 0, high = torus->base.nhosts;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        uint32_t host =
            torus->by_router != NULL ? torus->by_router[middle] : middle;

        if (torus->router[host] < router)
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
    uint64_t nth = 0, number[TORUS_MAX_DIMS + 1];
    char digits[32];

    for (uint32_t i = 0; i <= torus->ndims; i++) {
        size_t n = strspn(place, "0123456789");

        if (n == 0 || n >= sizeof digits)
            return MAPCORE_NONE;
        memcpy(digits, place, n);
        digits[n] = '\0';
        if (!text_parse_u64(digits, &number[i]))
            return MAPCORE_NONE;
        place += n;
        if (i < torus->ndims) {
            if (number[i] >= torus->dims[i])
                return MAPCORE_NONE;
            router += (uint32_t)number[i] * torus->stride[i];
        } else {
            nth = number[i];
        }
        if (i + 1 >= torus->ndims && *place == '\0')
            break;
        if (i + 1 < torus->ndims) {
            n = strspn(place, " \t,");
            if (n == 0)
                return MAPCORE_NONE;
        } else if (i == torus->ndims || *place != '/') {
            return MAPCORE_NONE;
        } else {
            n = 1;
        }
        place += n;
    }

    uint32_t first = lower_bound(torus, router);
    if (nth >= topo->nhosts - first)
        return MAPCORE_NONE;
    uint32_t at = first + (uint32_t)nth;
    uint32_t host = torus->by_router != NULL ? torus->by_router[at] : at;
    return torus->router[host] == router ? host : MAPCORE_NONE;
}

static void destroy(struct mapcore_topo *topo)
{
    struct torus *torus = (struct torus *)(void *)topo;

    free(torus->router);
    free(torus->coordinates);
    free(torus->by_router);
}

const struct topo_ops torus_ops = {
    .destroy = destroy,
    .distance = distance,
    .distance_flat = distance_flat,
    .route = route,
    .link_name = link_name,
    .table = table,
    .find_place = find_place,
    .is_torus = true,
};
