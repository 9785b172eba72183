/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dragonfly_create.c - making a dragonfly: its links counted and numbered, and
 * the tree that mappers see in it */
#include "config.h"

#include "topo/kind/dragonfly.h"

#include "base/text.h"
#include "topo/create.h"
#include "topo/topo.h"

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
                          const struct topo_dragonfly *spec,
                          struct mapcore_error *err)
{
    struct dragonfly *d;
    int error;

    if (spec->ngroups == 0 || spec->nrouters == 0 || spec->nhosts == 0 ||
        spec->nglobal == 0)
        return error_set(err, MAPCORE_EINVAL,
                         "a dragonfly has at least 1 group, router, host and "
                         "global link");
    for (int i = 0; spec->capacity && i < 3; i++)
        if (!topo_is_capacity(spec->capacity[i]))
            return error_set(
                err, MAPCORE_EINVAL,
                "capacity %d of the dragonfly is not " TOPO_CAPACITY, i + 1);
    d = topo_new(sizeof(*d), &dragonfly_ops, err);
    if (!d)
        return MAPCORE_ENOMEM;
    d->ngroups = spec->ngroups;
    d->nrouters = spec->nrouters;
    d->nper = spec->nhosts;
    d->nglobal = spec->nglobal;
    d->base.has_capacities = spec->capacity != NULL;
    d->base.assumes_capacities = !spec->capacity;
    for (int i = 0; i < 3; i++)
        d->capacity[i] = spec->capacity ? spec->capacity[i] : assumed[i];
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
