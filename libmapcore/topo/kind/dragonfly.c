/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dragonfly.c - distances and routes in groups of routers, each group a
 * complete graph, with global links between the groups */
#include "config.h"

#include "topo/kind/dragonfly.h"

#include <stdio.h>

static const struct dragonfly *dragonfly_of(const struct mapcore_topo *topo)
{
    return (const struct dragonfly *)(const void *)topo;
}

/* The place of an offset in the last round, or MAPCORE_NONE. */
static uint32_t extra_place(const struct dragonfly *d, uint32_t offset)
{
    uint32_t n = d->ngroups - 1, half = d->nextra / 2;

    if (offset < half)
        return offset;
    if (offset >= n - half)
        return d->nextra - (n - offset);
    return d->nextra % 2 == 1 && offset == n / 2 ? half : MAPCORE_NONE;
}

/* Number of links to the group at an offset. */
static uint32_t count_links(const struct dragonfly *d, uint32_t offset)
{
    return d->nrounds + (extra_place(d, offset) != MAPCORE_NONE);
}

/* Port of the i-th link to the group at an offset. */
static uint32_t port_of(const struct dragonfly *d, uint32_t offset, uint32_t i)
{
    return i < d->nrounds
               ? i * (d->ngroups - 1) + offset
               : d->nrounds * (d->ngroups - 1) + extra_place(d, offset);
}

static uint32_t offset_of(const struct dragonfly *d, uint32_t from, uint32_t to)
{
    return (to + d->ngroups - from - 1) % d->ngroups;
}

/* Where the i-th link from one group to another starts and ends: routers
 * within their groups, and the port where it starts. */
struct global {
    uint32_t port, start, end;
};

static struct global global_link(const struct dragonfly *d,
                                 uint32_t offset,
                                 uint32_t i)
{
    uint32_t port = port_of(d, offset, i);
    uint32_t back = port_of(d, d->ngroups - 2 - offset, i);

    return (struct global){port, port / d->nglobal, back / d->nglobal};
}

/* Links between routers r and s of two groups over that global one. */
static uint32_t over(const struct dragonfly *d,
                     const struct global *global,
                     uint32_t r,
                     uint32_t s)
{
    return 1u + (r % d->nrouters != global->start) +
           (s % d->nrouters != global->end);
}

/* The least number of links between them, and on how many ways. */
static uint32_t shortest(const struct dragonfly *d,
                         uint32_t r,
                         uint32_t s,
                         uint32_t *nways)
{
    uint32_t offset = offset_of(d, r / d->nrouters, s / d->nrouters), best = 4;

    for (uint32_t i = 0; i < count_links(d, offset); i++) {
        struct global global = global_link(d, offset, i);
        uint32_t length = over(d, &global, r, s);

        *nways = length < best ? 1 : *nways + (length == best);
        best = length < best ? length : best;
    }
    return best;
}

static uint32_t between(const struct mapcore_topo *topo, uint32_t r, uint32_t s)
{
    const struct dragonfly *d = dragonfly_of(topo);
    uint32_t nways = 0;

    return r / d->nrouters == s / d->nrouters ? r != s
                                              : shortest(d, r, s, &nways);
}

static uint32_t local_link(const struct dragonfly *d, uint32_t r, uint32_t s)
{
    uint32_t to = s % d->nrouters;

    return d->first_local + r * (d->nrouters - 1) + to - (to > r % d->nrouters);
}

/* Of the shortest ways between two groups, that of number b mod their number:
 * spread by destination, as routers with tables do. */
static uint32_t cross(const struct dragonfly *d,
                      uint32_t r,
                      uint32_t s,
                      uint32_t b,
                      uint32_t *links)
{
    uint32_t g = r / d->nrouters, h = s / d->nrouters, n = 0, nways = 0;
    uint32_t best = shortest(d, r, s, &nways), nth = b % nways;
    uint32_t offset = offset_of(d, g, h);
    struct global global = {0};

    for (uint32_t i = 0; i < count_links(d, offset); i++) {
        global = global_link(d, offset, i);
        if (over(d, &global, r, s) == best && nth-- == 0)
            break;
    }
    uint32_t start = g * d->nrouters + global.start;
    uint32_t end = h * d->nrouters + global.end;
    if (r != start)
        links[n++] = local_link(d, r, start);
    links[n++] = d->first_global + g * d->nports + global.port;
    if (end != s)
        links[n++] = local_link(d, end, s);
    return n;
}

static uint32_t route(const struct mapcore_topo *topo,
                      uint32_t a,
                      uint32_t b,
                      uint32_t *links)
{
    const struct dragonfly *d = dragonfly_of(topo);
    uint32_t r = a / d->nper, s = b / d->nper, n = 0;

    if (a == b)
        return 0;
    links[n++] = 2 * a;
    if (r / d->nrouters != s / d->nrouters)
        n += cross(d, r, s, b, links + n);
    else if (r != s)
        links[n++] = local_link(d, r, s);
    links[n++] = 2 * b + 1;
    return n;
}

static int switch_name(const struct mapcore_topo *topo,
                       uint32_t r,
                       char *buffer,
                       size_t size)
{
    const struct dragonfly *d = dragonfly_of(topo);

    return snprintf(buffer, size, "g%ur%u", r / d->nrouters, r % d->nrouters);
}

/* Which link of which offset a port is. */
static uint32_t offset_of_port(const struct dragonfly *d,
                               uint32_t port,
                               uint32_t *i)
{
    uint32_t n = d->ngroups - 1, offset = port % n;

    *i = port / n;
    if (*i == d->nrounds)
        for (offset = 0; extra_place(d, offset) != port - d->nrounds * n;)
            offset++;
    return offset;
}

static bool link_ends(const struct mapcore_topo *topo,
                      uint32_t link,
                      uint32_t end[2])
{
    const struct dragonfly *d = dragonfly_of(topo);

    if (link < d->first_local) {
        end[link % 2] = link / 2;
        end[1 - link % 2] = topo->nhosts + topo->at[link / 2];
    } else if (link < d->first_global) {
        uint32_t at = link - d->first_local, r = at / (d->nrouters - 1);
        uint32_t to = at % (d->nrouters - 1);

        to += to >= r % d->nrouters;
        end[0] = topo->nhosts + r;
        end[1] = topo->nhosts + r - r % d->nrouters + to;
    } else {
        uint32_t at = link - d->first_global, g = at / d->nports, i;
        uint32_t offset = offset_of_port(d, at % d->nports, &i);
        struct global global = global_link(d, offset, i);

        end[0] = topo->nhosts + g * d->nrouters + global.start;
        end[1] = topo->nhosts + (g + 1 + offset) % d->ngroups * d->nrouters +
                 global.end;
    }
    return true;
}

/* From router r to group h: over any of the shortest global links, the ways to
 * which may begin alike. */
static uint32_t hops_to_group(const struct dragonfly *d,
                              uint32_t r,
                              uint32_t s,
                              uint32_t *link,
                              uint32_t *to)
{
    uint32_t g = r / d->nrouters, h = s / d->nrouters, n = 0;
    uint32_t offset = offset_of(d, g, h), nhosts = d->base.nhosts, nways = 0;
    uint32_t best = shortest(d, r, s, &nways);

    for (uint32_t i = 0; i < count_links(d, offset); i++) {
        struct global global = global_link(d, offset, i);
        uint32_t start = g * d->nrouters + global.start, k = 0;

        if (over(d, &global, r, s) != best)
            continue;
        if (r == start) {
            link[n] = d->first_global + g * d->nports + global.port;
            to[n++] = nhosts + h * d->nrouters + global.end;
            continue;
        }
        while (k < n && to[k] != nhosts + start)
            k++;
        if (k == n) {
            link[n] = local_link(d, r, start);
            to[n++] = nhosts + start;
        }
    }
    return n;
}

static uint32_t next_hops(const struct mapcore_topo *topo,
                          uint32_t vertex,
                          uint32_t b,
                          uint32_t *link,
                          uint32_t *to)
{
    const struct dragonfly *d = dragonfly_of(topo);
    uint32_t r = vertex - topo->nhosts, s = b / d->nper;

    if (vertex == b)
        return 0;
    if (vertex < topo->nhosts) {
        *link = 2 * vertex;
        *to = topo->nhosts + topo->at[vertex];
        return 1;
    }
    if (r / d->nrouters != s / d->nrouters)
        return hops_to_group(d, r, s, link, to);
    *link = r == s ? 2 * b + 1 : local_link(d, r, s);
    *to = r == s ? b : topo->nhosts + s;
    return 1;
}

static double link_capacity(const struct mapcore_topo *topo, uint32_t link)
{
    const struct dragonfly *d = dragonfly_of(topo);

    return d->capacity[(link >= d->first_local) + (link >= d->first_global)];
}

const struct topo_ops dragonfly_ops = {
    .between = between,
    .route = route,
    .link_ends = link_ends,
    .switch_name = switch_name,
    .next_hops = next_hops,
    .link_capacity = link_capacity,
    .link_directions = 1,
};
