/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* torus_create.c - making tori and meshes: with holes, several hosts a router,
 * or a router of its own choice for each host */
#include "config.h"

#include "topo/kind/torus.h"

#include "base/text.h"
#include "topo/create.h"
#include "topo/topo.h"

#include <stdio.h>
#include <stdlib.h>

/* One under way. */
struct making {
    struct torus *torus;
    const struct mapcore_torus *spec;
    struct mapcore_error *err;
    bool *is_absent; /* [nrouters], NULL: none is */
    size_t nabsent;  /* of these */
};

/* Checks the dimensions; strides, rings, and what follows from them. */
static int set_dims(struct torus *torus,
                    const struct mapcore_torus *spec,
                    struct mapcore_error *err)
{
    uint64_t nrouters = 1;

    if (spec->ndims == 0 || spec->ndims > TORUS_MAX_DIMS)
        return error_set(err, MAPCORE_EINVAL,
                         "a torus has 1 to %d dimensions, not %u",
                         (int)TORUS_MAX_DIMS, spec->ndims);
    torus->ndims = spec->ndims;
    for (uint32_t i = 0; i < spec->ndims; i++) {
        uint32_t dim = spec->dims[i];
        bool wraps = !spec->wraps || spec->wraps[i];

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
    torus->base.nswitches = (uint32_t)nrouters;
    torus->base.nlinks = (uint32_t)nrouters * 2 * spec->ndims;
    return 0;
}

/* Links from one position to another along a dimension. */
static uint32_t links_along(const struct torus *torus, uint32_t i)
{
    return torus->dims[i] == 1                ? 0
           : torus->ring[i] == torus->dims[i] ? torus->dims[i]
                                              : torus->dims[i] - 1;
}

/* Capacities by position: the least is that of the dimension. */
static int set_along(struct torus *torus,
                     uint32_t i,
                     const double *along,
                     struct mapcore_error *err)
{
    uint32_t n = torus->dims[i], nlinks = links_along(torus, i);
    double *copy = arena_copy(&torus->base.memory, along, n, sizeof(*copy));

    if (!copy)
        return MAPCORE_ENOMEM;
    torus->along[i] = copy;
    torus->base.has_capacities = true;
    for (uint32_t x = 0; x < n; x++) {
        if (!topo_is_capacity(copy[x]))
            return error_set(err, MAPCORE_EINVAL,
                             "a capacity of dimension %u, behind position %u, "
                             "is not " TOPO_CAPACITY,
                             i + 1, x);
        if (x == 0 || (x < nlinks && copy[x] < torus->capacity[i]))
            torus->capacity[i] = copy[x];
    }
    return 0;
}

static int set_capacities(struct torus *torus,
                          const struct mapcore_torus *spec,
                          struct mapcore_error *err)
{
    int error;

    torus->base.has_capacities = spec->capacity != NULL;
    for (uint32_t i = 0; i < torus->ndims; i++) {
        if (spec->along && spec->along[i]) {
            if ((error = set_along(torus, i, spec->along[i], err)) < 0)
                return error;
            continue;
        }
        torus->capacity[i] = spec->capacity ? spec->capacity[i] : 1;
        if (!topo_is_capacity(torus->capacity[i]))
            return error_set(
                err, MAPCORE_EINVAL,
                "the capacity of dimension %u is not " TOPO_CAPACITY, i + 1);
    }
    torus->base.max_next_hops = 2 * torus->ndims;
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

static int mark_absent(struct making *m)
{
    const struct mapcore_torus *spec = m->spec;
    const struct torus *torus = m->torus;

    if (spec->nabsent == 0)
        return 0;
    m->is_absent = array_alloc(torus->base.nswitches, sizeof(bool), m->err);
    if (!m->is_absent)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < spec->nabsent; i++) {
        uint32_t at = router_at(torus, spec->absent + i * torus->ndims);

        if (at == MAPCORE_NONE)
            return error_set(m->err, MAPCORE_EINVAL,
                             "absent router %zu lies outside the torus", i);
        m->nabsent += !m->is_absent[at];
        m->is_absent[at] = true;
    }
    return 0;
}

/* The router of each host: where the table of coordinates says, or in the order
 * of routers. */
static int set_routers(const struct making *m)
{
    const struct mapcore_torus *spec = m->spec;
    const struct torus *torus = m->torus;
    const bool *is_absent = m->is_absent;
    uint32_t *at = torus->base.at, host = 0;

    for (uint32_t r = 0; !spec->coordinates && r < torus->base.nswitches; r++)
        for (uint32_t k = 0; k < spec->hosts_per_router; k++)
            if (!is_absent || !is_absent[r])
                at[host++] = r;
    for (; host < torus->base.nhosts; host++) {
        at[host] =
            router_at(torus, spec->coordinates + (size_t)host * torus->ndims);
        if (at[host] == MAPCORE_NONE)
            return error_set(m->err, MAPCORE_EINVAL,
                             "host %u lies outside the torus", host);
        if (is_absent && is_absent[at[host]])
            return error_set(m->err, MAPCORE_EINVAL,
                             "host %u sits at an absent router", host);
    }
    return 0;
}

static int set_hosts(const struct making *m)
{
    const struct mapcore_torus *spec = m->spec;
    struct torus *torus = m->torus;
    struct arena *memory = &torus->base.memory;
    const uint64_t n = spec->coordinates
                           ? spec->nhosts
                           : (torus->base.nswitches - (uint64_t)m->nabsent) *
                                 spec->hosts_per_router;
    uint32_t *x;
    int error;

    if (!spec->coordinates && spec->hosts_per_router == 0)
        return error_set(m->err, MAPCORE_EINVAL,
                         "a torus with 0 hosts a router");
    if (n == 0)
        return error_set(m->err, MAPCORE_EINVAL, "a torus without hosts");
    if (n > TOPO_MAX_HOSTS)
        return error_set(m->err, MAPCORE_ERANGE,
                         "a torus with more than 2^24 hosts");
    torus->is_regular = !spec->coordinates;
    torus->base.nhosts = (uint32_t)n;
    torus->base.at = arena_alloc(memory, n, sizeof(*torus->base.at));
    torus->coordinates = x =
        arena_alloc(memory, n, torus->ndims * sizeof(*torus->coordinates));
    if (memory->error < 0 || (error = set_routers(m)) < 0)
        return memory->error < 0 ? memory->error : error;
    for (uint32_t host = 0; host < n; host++)
        for (uint32_t i = 0; i < torus->ndims; i++)
            *x++ = torus->base.at[host] / torus->stride[i] % torus->dims[i];
    return 0;
}

static bool repeats(const double *along, uint32_t n, uint32_t period)
{
    for (uint32_t x = period; x < n; x++)
        if (along[x] < along[x - period] || along[x] > along[x - period])
            return false;
    return true;
}

/* "2x(8,1)x2": by position what repeats, or the beginning of it. */
static void put_capacities(FILE *text, const struct torus *torus)
{
    enum { SHOWN = 8 };

    for (uint32_t i = 0; i < torus->ndims; i++) {
        const double *along = torus->along[i];
        uint32_t n = links_along(torus, i), period = 1;

        fputs(i > 0 ? "x" : ", capacity ", text);
        if (!along || n == 0) {
            fprintf(text, "%g", torus->capacity[i]);
            continue;
        }
        while (period <= SHOWN && !repeats(along, n, period))
            period++;
        for (uint32_t x = 0; x < period && x < SHOWN; x++)
            fprintf(text, "%s%g", x > 0 ? "," : "(", along[x]);
        fputs(period > SHOWN ? ",...)" : ")", text);
    }
}

static int describe(const struct making *m)
{
    const struct mapcore_torus *spec = m->spec;
    struct torus *torus = m->torus;
    uint32_t ndims = torus->ndims, nwraps = 0;
    char whole[8192]; /* 26 dimensions with nine numbers each are 7,000 bytes */
    FILE *text = fmemopen(whole, sizeof(whole), "w");

    if (!text)
        return error_set(m->err, MAPCORE_ENOMEM, "out of memory");
    for (uint32_t i = 0; i < ndims; i++)
        nwraps += torus->ring[i] != UINT32_MAX;
    fputs(nwraps > 0 ? "torus " : "mesh ", text);
    for (uint32_t i = 0; i < ndims; i++)
        fprintf(text, "%s%u", i > 0 ? "x" : "", torus->dims[i]);
    for (uint32_t i = 0; nwraps > 0 && nwraps < ndims && i < ndims; i++)
        fprintf(text, "%s%d", i > 0 ? "x" : ", wraps ",
                torus->ring[i] != UINT32_MAX);
    if (spec->coordinates)
        fprintf(text, ", %u host%s", torus->base.nhosts,
                text_plural(torus->base.nhosts));
    else if (spec->hosts_per_router > 1)
        fprintf(text, ", %u hosts a router", spec->hosts_per_router);
    if (m->nabsent > 0)
        fprintf(text, ", %zu router%s without hosts", m->nabsent,
                text_plural(m->nabsent));
    if (torus->base.has_capacities)
        put_capacities(text, torus);
    fclose(text);
    return topo_set_description(&torus->base, m->err, "%s", whole);
}

int mapcore_topo_create_torus(struct mapcore_topo **out,
                              const struct mapcore_torus *spec,
                              struct mapcore_error *err)
{
    struct torus *torus = topo_new(sizeof(*torus), &torus_ops, err);
    struct making m = {.torus = torus, .spec = spec, .err = err};
    int error;

    if (!torus)
        return MAPCORE_ENOMEM;
    if ((error = set_dims(torus, spec, err)) == 0 &&
        (error = set_capacities(torus, spec, err)) == 0 &&
        (error = mark_absent(&m)) == 0 && (error = set_hosts(&m)) == 0 &&
        (!spec->names ||
         (error = topo_name_hosts(&torus->base, spec->names, torus->base.nhosts,
                                  err)) == 0))
        error = describe(&m);
    torus->base.shape = (struct topo_shape){.kind = TOPO_TORUS,
                                            .ndims = torus->ndims,
                                            .dims = torus->dims,
                                            .ring = torus->ring,
                                            .stride = torus->stride,
                                            .capacity = torus->capacity,
                                            .along = torus->along,
                                            .coordinates = torus->coordinates};
    free(m.is_absent);
    return topo_settle(out, &torus->base, error);
}
