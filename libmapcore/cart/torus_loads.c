/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* torus_loads.c - what the links of a 3-D torus or mesh carry, and the slowest
 * of them */
#include "config.h"

#include "cart/torus_loads.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

int torus_loads_open(struct torus_loads *out,
                     const uint32_t dims[3],
                     const bool wraps[3],
                     const double *capacity,
                     const double *const *along,
                     struct mapcore_error *err)
{
    size_t n = (size_t)dims[0] * dims[1] * dims[2];

    *out = (struct torus_loads){.nused = 0};
    memcpy(out->dims, dims, sizeof(out->dims));
    memcpy(out->wraps, wraps, sizeof(out->wraps));
    for (int i = 0; i < 3; i++) {
        out->capacity[i] = capacity ? capacity[i] : 1;
        out->along[i] = along ? along[i] : NULL;
    }
    out->at = array_alloc(n, sizeof(*out->at), err);
    out->load = array_alloc(n * 6, sizeof(*out->load), err);
    out->used = array_alloc(n * 6, sizeof(*out->used), err);
    if (!out->at || !out->load || !out->used)
        return MAPCORE_ENOMEM;
    for (uint32_t r = 0; r < n; r++) {
        out->at[r][0] = r % dims[0];
        out->at[r][1] = r / dims[0] % dims[1];
        out->at[r][2] = r / dims[0] / dims[1];
    }
    return 0;
}

void torus_loads_clear(struct torus_loads *loads)
{
    free(loads->at);
    free(loads->load);
    free(loads->used);
    *loads = (struct torus_loads){.nused = 0};
}

uint32_t torus_loads_hops(const struct torus_loads *loads,
                          uint32_t a,
                          uint32_t b)
{
    const uint32_t *x = loads->at[a], *y = loads->at[b];
    uint32_t hops = 0;

    for (int i = 0; i < 3; i++) {
        uint32_t n = loads->dims[i],
                 d = x[i] > y[i] ? x[i] - y[i] : y[i] - x[i];

        hops += loads->wraps[i] && n - d < d ? n - d : d;
    }
    return hops;
}

static void add_link(struct torus_loads *loads,
                     uint32_t router,
                     uint32_t i,
                     bool up,
                     double bytes)
{
    uint32_t link = (router * 3 + i) * 2 + !up;
    double carries = loads->capacity[i], time;

    if (loads->along[i]) {
        uint32_t x = loads->at[router][i];

        if (!up)
            x = x == 0 ? loads->dims[i] - 1 : x - 1;
        carries = loads->along[i][x];
    }
    if (loads->load[link] <= 0)
        loads->used[loads->nused++] = link;
    loads->load[link] += bytes;
    time = loads->load[link] / carries;
    if (time > loads->slowest)
        loads->slowest = time;
}

static void add_ring(struct torus_loads *loads,
                     uint32_t router,
                     uint32_t i,
                     uint32_t to,
                     bool up,
                     double bytes)
{
    uint32_t n = loads->dims[i], x = loads->at[router][i], stride = 1;

    for (uint32_t k = 0; k < i; k++)
        stride *= loads->dims[k];
    while (x != to) {
        add_link(loads, router, i, up, bytes);
        if (up) {
            router += x == n - 1 ? -(n - 1) * stride : stride;
            x = x == n - 1 ? 0 : x + 1;
        } else {
            router -= x == 0 ? -(n - 1) * stride : stride;
            x = x == 0 ? n - 1 : x - 1;
        }
    }
}

static void add_way(struct torus_loads *loads,
                    uint32_t a,
                    uint32_t b,
                    double bytes)
{
    const uint32_t *from = loads->at[a], *to = loads->at[b];
    uint32_t router = a, stride = 1;

    for (uint32_t i = 0; i < 3; stride *= loads->dims[i++]) {
        uint32_t n = loads->dims[i];
        uint32_t ahead =
            to[i] >= from[i] ? to[i] - from[i] : to[i] + n - from[i];

        if (loads->wraps[i] && 2 * ahead == n) {
            add_ring(loads, router, i, to[i], true, bytes / 2);
            add_ring(loads, router, i, to[i], false, bytes / 2);
        } else {
            add_ring(loads, router, i, to[i],
                     loads->wraps[i] ? 2 * ahead < n : to[i] > from[i], bytes);
        }
        router += (to[i] - from[i]) * stride;
    }
}

void torus_loads_add(struct torus_loads *loads,
                     uint32_t a,
                     uint32_t b,
                     double bytes)
{
    if (!(bytes > 0))
        return;
    add_way(loads, a, b, bytes / 2);
    add_way(loads, b, a, bytes / 2);
}

void torus_loads_reset(struct torus_loads *loads)
{
    for (size_t k = 0; k < loads->nused; k++)
        loads->load[loads->used[k]] = 0;
    loads->nused = 0;
    loads->slowest = 0;
}
