/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* torus.c - N-dimensional tori and meshes, with holes, several hosts a router
 * or a router of its own choice for each host */
#include "config.h"

#include "base/array.h"
#include "base/buffer.h"
#include "topo/ops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One letter a dimension. With 2^31 links there is no use for more: 25
 * dimensions of two routers are the limit. */
enum { MAX_DIMS = 26 };

struct torus {
    struct mapcore_topo base;
    uint32_t ndims;
    uint32_t nrouters;
    uint32_t dims[MAX_DIMS];
    uint32_t ring[MAX_DIMS];   /* dims, or UINT32_MAX where nothing wraps: the
                                  way round is never shorter then */
    uint32_t stride[MAX_DIMS]; /* from a router to the next in a dimension */
    uint32_t *router;          /* [nhosts] */
    uint32_t *coordinates;     /* [nhosts * ndims] */
    uint32_t *by_router;       /* [nhosts], hosts by (router, number), or NULL
                                  when hosts are in that order already */
};

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
    char place[MAX_DIMS * 11 + 1];
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
    uint64_t nth = 0, number[MAX_DIMS + 1];
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

static const struct topo_ops torus_ops = {
    .destroy = destroy,
    .distance = distance,
    .distance_flat = distance_flat,
    .route = route,
    .link_name = link_name,
    .table = table,
    .find_place = find_place,
    .is_torus = true,
};

/* Checks the dimensions; strides, rings, and what follows from them. */
static int set_dims(struct torus *torus,
                    const struct mapcore_torus *spec,
                    struct mapcore_error *err)
{
    uint64_t nrouters = 1;

    if (spec->ndims == 0 || spec->ndims > MAX_DIMS)
        return error_set(err, MAPCORE_EINVAL,
                         "a torus has 1 to %d dimensions, not %u",
                         (int)MAX_DIMS, spec->ndims);
    torus->ndims = spec->ndims;
    for (uint32_t i = 0; i < spec->ndims; i++) {
        uint32_t dim = spec->dims[i];
        bool wraps = spec->wraps == NULL || spec->wraps[i];

        if (dim == 0)
            return error_set(err, MAPCORE_EINVAL,
                             "dimension %u of the torus is 0", i + 1);
        torus->dims[i] = dim;
        torus->ring[i] = wraps ? dim : UINT32_MAX;
        torus->stride[i] = (uint32_t)nrouters;
        nrouters *= dim;
        if (nrouters * 2 * spec->ndims > (uint64_t)INT32_MAX + 1)
            return error_set(err, MAPCORE_ERANGE,
                             "a torus with more than 2^31 links");
        torus->base.diameter += wraps ? dim / 2 : dim - 1;
    }
    torus->nrouters = (uint32_t)nrouters;
    torus->base.nlinks = (uint32_t)nrouters * 2 * spec->ndims;
    return 0;
}

/* The router at the coordinates x[ndims], or MAPCORE_NONE outside. */
static uint32_t router_at(const struct torus *torus, const uint32_t *x)
{
    uint32_t router = 0;

    for (uint32_t i = 0; i < torus->ndims; i++) {
        if (x[i] >= torus->dims[i])
            return MAPCORE_NONE;
        router += x[i] * torus->stride[i];
    }
    return router;
}

static int compare_routers(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

    return (a > b) - (a < b);
}

/* The absent routers, ascending, each once; owned by the caller. */
static int sort_absent(uint32_t **out,
                       size_t *n,
                       const struct torus *torus,
                       const struct mapcore_torus *spec,
                       struct mapcore_error *err)
{
    uint32_t *absent = array_alloc(spec->nabsent, sizeof *absent, err);

    *n = 0;
    if (absent == NULL)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < spec->nabsent; i++) {
        absent[i] = router_at(torus, spec->absent + i * torus->ndims);
        if (absent[i] == MAPCORE_NONE) {
            free(absent);
            return error_set(err, MAPCORE_EINVAL,
                             "absent router %zu lies outside the torus", i);
        }
    }
    qsort(absent, spec->nabsent, sizeof *absent, compare_routers);
    for (size_t i = 0; i < spec->nabsent; i++) {
        if (*n == 0 || absent[*n - 1] != absent[i])
            absent[(*n)++] = absent[i];
    }
    *out = absent;
    return 0;
}

static int alloc_hosts(struct torus *torus,
                       uint64_t nhosts,
                       struct mapcore_error *err)
{
    if (nhosts == 0)
        return error_set(err, MAPCORE_EINVAL, "a torus without hosts");
    if (nhosts > INT32_MAX)
        return error_set(err, MAPCORE_ERANGE,
                         "a torus with more than 2^31 hosts");
    torus->base.nhosts = (uint32_t)nhosts;
    torus->router = array_alloc(nhosts, sizeof *torus->router, err);
    torus->coordinates =
        array_alloc(nhosts, torus->ndims * sizeof *torus->coordinates, err);
    if (torus->router == NULL || torus->coordinates == NULL)
        return MAPCORE_ENOMEM;
    return 0;
}

/* Hosts in the order of their routers. */
static int place_regularly(struct torus *torus,
                           const struct mapcore_torus *spec,
                           const uint32_t *absent,
                           size_t nabsent,
                           struct mapcore_error *err)
{
    uint32_t per_router = spec->hosts_per_router, host = 0;
    size_t next = 0;

    if (per_router == 0)
        return error_set(err, MAPCORE_EINVAL, "a torus with 0 hosts a router");
    int code = alloc_hosts(
        torus, (torus->nrouters - (uint64_t)nabsent) * per_router, err);
    if (code < 0)
        return code;
    for (uint32_t router = 0; router < torus->nrouters; router++) {
        if (next < nabsent && absent[next] == router) {
            next++;
            continue;
        }
        for (uint32_t k = 0; k < per_router; k++) {
            uint32_t *x = torus->coordinates + (size_t)host * torus->ndims;

            torus->router[host++] = router;
            for (uint32_t i = 0; i < torus->ndims; i++)
                x[i] = router / torus->stride[i] % torus->dims[i];
        }
    }
    return 0;
}

/* Hosts by router and number, by sorting one 64-bit key each. */
static int compare_keys(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

static int sort_by_router(struct torus *torus, struct mapcore_error *err)
{
    uint32_t nhosts = torus->base.nhosts;
    uint64_t *key = array_alloc(nhosts, sizeof *key, err);

    if (key == NULL)
        return MAPCORE_ENOMEM;
    torus->by_router = array_alloc(nhosts, sizeof *torus->by_router, err);
    if (torus->by_router == NULL) {
        free(key);
        return MAPCORE_ENOMEM;
    }
    for (uint32_t host = 0; host < nhosts; host++)
        key[host] = (uint64_t)torus->router[host] << 32 | host;
    qsort(key, nhosts, sizeof *key, compare_keys);
    for (uint32_t i = 0; i < nhosts; i++)
        torus->by_router[i] = (uint32_t)key[i];
    free(key);
    return 0;
}

/* Each host where the table of coordinates says. */
static int place_as_told(struct torus *torus,
                         const struct mapcore_torus *spec,
                         const uint32_t *absent,
                         size_t nabsent,
                         struct mapcore_error *err)
{
    size_t ndims = torus->ndims;
    int code = alloc_hosts(torus, spec->nhosts, err);

    if (code < 0)
        return code;
    memcpy(torus->coordinates, spec->coordinates,
           spec->nhosts * ndims * sizeof *torus->coordinates);
    for (uint32_t host = 0; host < spec->nhosts; host++) {
        uint32_t router = router_at(torus, torus->coordinates + host * ndims);

        if (router == MAPCORE_NONE)
            return error_set(err, MAPCORE_EINVAL,
                             "host %u lies outside the torus", host);
        if (nabsent > 0 && bsearch(&router, absent, nabsent, sizeof *absent,
                                   compare_routers) != NULL)
            return error_set(err, MAPCORE_EINVAL,
                             "host %u sits at an absent router", host);
        torus->router[host] = router;
    }
    return sort_by_router(torus, err);
}

static int describe(struct torus *torus,
                    const struct mapcore_torus *spec,
                    size_t nabsent,
                    struct mapcore_error *err)
{
    struct buffer text = {0};
    uint32_t nwraps = 0;
    int code;

    for (uint32_t i = 0; i < torus->ndims; i++)
        nwraps += torus->ring[i] != UINT32_MAX;
    code = buffer_printf(&text, err, "%s ", nwraps > 0 ? "torus" : "mesh");
    for (uint32_t i = 0; code == 0 && i < torus->ndims; i++)
        code =
            buffer_printf(&text, err, "%s%u", i > 0 ? "x" : "", torus->dims[i]);
    if (code == 0 && nwraps > 0 && nwraps < torus->ndims)
        code = buffer_printf(&text, err, ", wraps ");
    for (uint32_t i = 0;
         code == 0 && nwraps > 0 && nwraps < torus->ndims && i < torus->ndims;
         i++)
        code = buffer_printf(&text, err, "%s%d", i > 0 ? "x" : "",
                             torus->ring[i] != UINT32_MAX);
    if (code == 0 && spec->coordinates != NULL)
        code = buffer_printf(&text, err, ", %u hosts", torus->base.nhosts);
    else if (code == 0 && spec->hosts_per_router > 1)
        code = buffer_printf(&text, err, ", %u hosts a router",
                             spec->hosts_per_router);
    if (code == 0 && nabsent > 0)
        code =
            buffer_printf(&text, err, ", %zu routers without hosts", nabsent);
    if (code < 0) {
        buffer_clear(&text);
        return code;
    }
    torus->base.description = buffer_steal(&text);
    return 0;
}

int mapcore_topo_create_torus(struct mapcore_topo **out,
                              const struct mapcore_torus *spec,
                              struct mapcore_error *err)
{
    struct torus *torus = array_alloc(1, sizeof *torus, err);
    uint32_t *absent = NULL;
    size_t nabsent = 0;
    int code;

    if (torus == NULL)
        return MAPCORE_ENOMEM;
    torus->base.ops = &torus_ops;
    if ((code = set_dims(torus, spec, err)) < 0 ||
        (code = sort_absent(&absent, &nabsent, torus, spec, err)) < 0)
        goto out;
    if (spec->coordinates != NULL)
        code = place_as_told(torus, spec, absent, nabsent, err);
    else
        code = place_regularly(torus, spec, absent, nabsent, err);
    if (code < 0)
        goto out;
    if (spec->names != NULL)
        code = names_add_all(&torus->base.names, spec->names,
                             torus->base.nhosts, err);
    if (code < 0 || (code = describe(torus, spec, nabsent, err)) < 0)
        goto out;
    *out = &torus->base;
    torus = NULL;
out:
    free(absent);
    if (torus != NULL)
        mapcore_topo_destroy(&torus->base);
    return code;
}
