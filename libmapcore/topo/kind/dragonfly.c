/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dragonfly.c - groups of routers, each group a complete graph, with global
 * links between the groups: distances, routes, and the tree that mappers see in
 * it */
#include "config.h"

#include "base/text.h"
#include "topo/create.h"
#include "topo/ops.h"
#include "topo/topo.h"

#include <stdio.h>

/* Kim, Dally, Scott and Abts, ISCA 2008: a minimal route takes at most one
 * global link, which may need a local one before and one behind it. Global
 * port k of a group is at its router k / nglobal. Ports are dealt in rounds: in
 * each, group g is connected with g+1, g+2, ..., g-1 (mod ngroups) in this
 * order, so "offset" o = 0 .. ngroups-2 leads to g + 1 + o, whose way back is
 * offset ngroups-2-o of the same round (the relative arrangement of Hastings
 * et al., CLUSTER 2015). Ports that are left behind the full rounds go in one
 * more round to the first and last offsets, as many of each, and an odd one to
 * the middle offset if there is one: numbers of links between two groups differ
 * by at most 1. */
struct dragonfly {
    struct mapcore_topo base;
    uint32_t ngroups, nrouters, nper, nglobal;
    uint32_t nrounds; /* full ones */
    uint32_t nextra;  /* offsets of the last round */
    uint32_t nports;  /* global ports of a group in use */
    /* Links, one number a direction. That of host h to its router 2h, back
     * 2h + 1; from first_local, router by router, those to the other routers
     * of its group; from first_global those of the ports, group by group. */
    uint32_t first_local, first_global;
    double capacity[3]; /* host, local, global */
};

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

static const struct topo_ops dragonfly_ops = {
    .between = between,
    .route = route,
    .link_ends = link_ends,
    .switch_name = switch_name,
    .next_hops = next_hops,
    .link_capacity = link_capacity,
    .link_directions = 1,
};

/* Of a host's link, one inside a group and one between groups, relative to the
 * last, where nothing is stated. With all equal the host's own would always be
 * the slowest one and hide all others. These are Aries': 10.2 GB/s of a network
 * interface, 5.25 of an electrical link and 4.7 of an optical one, in each
 * direction (Faanes et al., Cray Cascade, SC'12; Alverson, Froese, Kaplan,
 * Roweth, Cray XC Series Network, 2012). */
static const double assumed[3] = {10.2 / 4.7, 5.25 / 4.7, 1};

/* Rounds, links and the diameter. */
static int set_links(struct dragonfly *d, struct mapcore_error *err)
{
    uint64_t nrouters = (uint64_t)d->ngroups * d->nrouters;
    uint64_t nhosts = nrouters * d->nper, nlinks;
    uint32_t n = d->ngroups - 1;

    if (nrouters > TOPO_MAX_HOSTS || nhosts > TOPO_MAX_HOSTS ||
        (uint64_t)d->nrouters * d->nglobal > TOPO_MAX_HOSTS)
        return error_set(err, MAPCORE_ERANGE,
                         "a dragonfly with more than 2^24 hosts, routers or "
                         "global ports a group");
    if (n > 0) {
        uint32_t ports = d->nrouters * d->nglobal;

        d->nrounds = ports / n;
        d->nextra = ports % n;
        if (d->nrounds == 0)
            return error_set(err, MAPCORE_EINVAL,
                             "%u global ports of a group do not reach the %u "
                             "other groups",
                             ports, n);
        d->nextra -= d->nextra % 2 == 1 && n % 2 == 0;
        d->nports = d->nrounds * n + d->nextra;
    }
    nlinks = 2 * nhosts + nrouters * (d->nrouters - 1) +
             (uint64_t)d->ngroups * d->nports;
    if (nlinks > (uint64_t)INT32_MAX)
        return error_set(err, MAPCORE_ERANGE,
                         "a dragonfly with more than 2^31 links");
    d->base.nhosts = (uint32_t)nhosts;
    d->base.nswitches = (uint32_t)nrouters;
    d->base.nlinks = (uint32_t)nlinks;
    d->first_local = 2 * (uint32_t)nhosts;
    d->first_global = d->first_local + (uint32_t)nrouters * (d->nrouters - 1);
    return 0;
}

/* As a tree: a root, the groups, the routers. */
static void set_tree(struct dragonfly *d)
{
    struct mapcore_topo *topo = &d->base;
    struct arena *memory = &topo->memory;
    uint32_t first = 1 + d->ngroups, n = first + topo->nswitches;
    uint32_t *parent = arena_alloc(memory, n, sizeof(*parent));
    uint32_t *depth = arena_alloc(memory, n, sizeof(*depth));
    uint32_t *leaf = arena_alloc(memory, topo->nhosts, sizeof(*leaf));

    topo->at = arena_alloc(memory, topo->nhosts, sizeof(*topo->at));
    topo->shape = (struct topo_shape){.kind = TOPO_DRAGONFLY,
                                      .nswitches = n,
                                      .parent = parent,
                                      .depth = depth,
                                      .leaf = leaf,
                                      .ngroups = d->ngroups,
                                      .nrouters = d->nrouters,
                                      .nper = d->nper};
    if (memory->error < 0)
        return;
    parent[0] = MAPCORE_NONE;
    for (uint32_t s = 1; s < n; s++) {
        parent[s] = s < first ? 0 : 1 + (s - first) / d->nrouters;
        depth[s] = s < first ? 1 : 2;
    }
    for (uint32_t h = 0; h < topo->nhosts; h++) {
        topo->at[h] = h / d->nper;
        leaf[h] = first + topo->at[h];
    }
}

/* By symmetry, over the routers of group 0 and all others. The search ends with
 * the first pair that needs three links. */
static uint32_t find_diameter(const struct dragonfly *d)
{
    uint32_t largest = d->nper > 1 ? 2 : 0;

    if (d->nrouters > 1)
        largest = 3;
    for (uint32_t r = 0; r < d->nrouters; r++) {
        for (uint32_t s = d->nrouters; s < d->nrouters * d->ngroups; s++) {
            uint32_t far =
                mapcore_topo_distance(&d->base, r * d->nper, s * d->nper);

            largest = far > largest ? far : largest;
            if (largest == 5)
                return 5;
        }
    }
    return largest;
}

int topo_create_dragonfly(struct mapcore_topo **out,
                          const uint32_t number[4],
                          const double *capacity,
                          struct mapcore_error *err)
{
    struct dragonfly *d;
    int error;

    if (!number[0] || !number[1] || !number[2] || !number[3])
        return error_set(err, MAPCORE_EINVAL,
                         "a dragonfly has at least 1 group, router, host and "
                         "global link");
    for (int i = 0; capacity && i < 3; i++)
        if (!topo_is_capacity(capacity[i]))
            return error_set(
                err, MAPCORE_EINVAL,
                "capacity %d of the dragonfly is not " TOPO_CAPACITY, i + 1);
    d = topo_new(sizeof(*d), &dragonfly_ops, err);
    if (!d)
        return MAPCORE_ENOMEM;
    d->ngroups = number[0];
    d->nrouters = number[1];
    d->nper = number[2];
    d->nglobal = number[3];
    d->base.has_capacities = capacity != NULL;
    d->base.assumes_capacities = !capacity;
    for (int i = 0; i < 3; i++)
        d->capacity[i] = capacity ? capacity[i] : assumed[i];
    if ((error = set_links(d, err)) == 0) {
        set_tree(d);
        error = topo_set_description(
            &d->base, err,
            "dragonfly of %u group%s of %u router%s, %u host%s a router, "
            "%u global link%s a group",
            d->ngroups, text_plural(d->ngroups), d->nrouters,
            text_plural(d->nrouters), d->nper, text_plural(d->nper), d->nports,
            text_plural(d->nports));
    }
    if (error == 0 && d->base.memory.error == 0)
        d->base.diameter = find_diameter(d);
    d->base.max_next_hops = d->nrounds + 2;
    return topo_settle(out, &d->base, error);
}
