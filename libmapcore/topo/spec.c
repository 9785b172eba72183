/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* spec.c - regular networks by their numbers, whoever has read them */
#include "config.h"

#include "topo/spec.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/text.h"
#include "topo/create.h"
#include "topo/topo.h"

#include <stdlib.h>
#include <string.h>

bool topo_spec_has_coordinates(const struct topo_spec *spec)
{
    return spec->kind == TOPO_SPEC_TORUS || spec->kind == TOPO_SPEC_MESH ||
           spec->kind == TOPO_SPEC_RING || spec->kind == TOPO_SPEC_HYPERCUBE;
}

int topo_spec_check_coordinates(const struct topo_spec *spec,
                                const uint32_t *x,
                                struct mapcore_error *err)
{
    for (uint32_t i = 0; i < spec->n; i++)
        if (x[i] >= spec->number[i])
            return error_set(err, MAPCORE_EINVAL,
                             "coordinate %u is not below %u", x[i],
                             spec->number[i]);
    return 0;
}

uint32_t topo_spec_dimension(const struct topo_spec *spec, char letter)
{
    const char first = spec->n <= 3 ? 'x' : 'a';

    return letter >= first && letter - first < (int)spec->n
               ? (uint32_t)(letter - first)
               : MAPCORE_NONE;
}

uint32_t topo_spec_links_along(const struct topo_spec *spec, uint32_t dimension)
{
    uint32_t n = spec->number[dimension];

    return n < 2 ? 0 : spec->wraps[dimension] ? n : n - 1;
}

int topo_spec_add_along(struct topo_spec *spec,
                        uint32_t dimension,
                        double capacity,
                        struct mapcore_error *err)
{
    uint32_t at = 0, n = ++spec->nalong[dimension];

    if (!topo_is_capacity(capacity))
        return error_set(err, MAPCORE_EINVAL, "%g is not " TOPO_CAPACITY,
                         capacity);
    for (uint32_t i = 0; i < spec->n; i++)
        at += spec->nalong[i];
    if (at > TOPO_SPEC_MAX_POSITIONS)
        return error_set(err, MAPCORE_ERANGE,
                         "more than %d capacities by position",
                         TOPO_SPEC_MAX_POSITIONS);
    spec->first_along[dimension] = at - n;
    spec->along[at - 1] = capacity;
    return 0;
}

int topo_spec_check_along(const struct topo_spec *spec,
                          uint32_t dimension,
                          struct mapcore_error *err)
{
    uint32_t n = spec->nalong[dimension];
    uint32_t nlinks = topo_spec_links_along(spec, dimension);

    if (n > 0 && nlinks > TOPO_SPEC_MAX_ROW)
        return error_set(err, MAPCORE_ERANGE,
                         "capacities by position for more than %d routers in "
                         "a row",
                         TOPO_SPEC_MAX_ROW);
    if (n <= nlinks)
        return 0;
    return error_set(err, MAPCORE_EINVAL,
                     "%u number%s for %u link%s in a row of %u router%s", n,
                     text_plural(n), nlinks, text_plural(nlinks),
                     spec->number[dimension],
                     text_plural(spec->number[dimension]));
}

void topo_spec_hosts_clear(struct topo_spec_hosts *hosts)
{
    name_set_clear(&hosts->names);
    free(hosts->coordinates);
    free(hosts->absent);
    *hosts = (struct topo_spec_hosts){0};
}

/* The capacities of a dimension by position, from those that repeat; owned. */
static double *spread_along(const struct topo_spec *spec,
                            uint32_t i,
                            struct mapcore_error *err)
{
    double *along = array_alloc(spec->number[i], sizeof(*along), err);

    for (uint32_t x = 0; along && x < spec->number[i]; x++)
        along[x] = spec->along[spec->first_along[i] + x % spec->nalong[i]];
    return along;
}

static int create_torus(struct mapcore_topo **out,
                        const struct topo_spec *spec,
                        const struct topo_spec_hosts *hosts,
                        struct mapcore_error *err)
{
    double *along[TOPO_SPEC_MAX_NUMBERS] = {NULL};
    int error = 0;
    struct mapcore_torus torus = {.ndims = spec->n,
                                  .dims = spec->number,
                                  .wraps = spec->wraps,
                                  .hosts_per_router = spec->per_router};

    if (spec->has_capacity)
        torus.capacity = spec->capacity;
    for (uint32_t i = 0; i < spec->n && error == 0; i++) {
        if (spec->nalong[i] == 0)
            continue;
        along[i] = spread_along(spec, i, err);
        error = along[i] ? 0 : MAPCORE_ENOMEM;
        torus.along = (const double *const *)along;
    }
    if (hosts) {
        torus.nabsent = hosts->nabsent;
        torus.absent = hosts->absent;
        torus.nhosts = (uint32_t)hosts->names.n;
        torus.coordinates = hosts->coordinates;
    }
    if (error == 0)
        error = mapcore_topo_create_torus(out, &torus, err);
    for (uint32_t i = 0; i < spec->n; i++)
        free(along[i]);
    return error;
}

static int create_tree(struct mapcore_topo **out,
                       const struct topo_spec *spec,
                       struct mapcore_error *err)
{
    return mapcore_topo_create_fat_tree(
        out, spec->n, spec->number, spec->has_uplinks ? spec->uplinks : NULL,
        spec->has_capacity ? spec->capacity : NULL, NULL, err);
}

/* "hypercube of 3 dimensions, ..." instead of "mesh 2x2x2, ...". */
static int rename_hypercube(struct mapcore_topo *topo,
                            const struct topo_spec *spec,
                            struct mapcore_error *err)
{
    const char *rest = strchr(mapcore_topo_describe(topo), ',');
    struct buffer text = {0};
    int error =
        buffer_printf(&text, err, "hypercube of %u dimension%s%s", spec->n,
                      spec->n == 1 ? "" : "s", rest ? rest : "");

    if (error < 0)
        return error;
    topo_set_description(topo, buffer_steal(&text));
    return 0;
}

int topo_spec_create(struct mapcore_topo **out,
                     const struct topo_spec *spec,
                     const struct topo_spec_hosts *hosts,
                     struct mapcore_error *err)
{
    struct mapcore_topo *topo = NULL;
    int error;

    if (topo_spec_has_coordinates(spec))
        error = create_torus(&topo, spec, hosts, err);
    else if (spec->kind == TOPO_SPEC_DRAGONFLY)
        error = topo_create_dragonfly(
            &topo,
            &(struct topo_dragonfly){
                .ngroups = spec->number[0],
                .nrouters = spec->number[1],
                .nhosts = spec->number[2],
                .nglobal = spec->global > 0 ? spec->global : spec->number[2],
                .capacity = spec->has_capacity ? spec->capacity : NULL},
            err);
    else
        error = create_tree(&topo, spec, err);
    if (error == 0 && spec->kind == TOPO_SPEC_HYPERCUBE)
        error = rename_hypercube(topo, spec, err);
    if (error == 0 && hosts && hosts->names.n > 0)
        error = topo_name_hosts(topo, (const char *const *)hosts->names.name,
                                hosts->names.n, err);
    if (error < 0) {
        mapcore_topo_destroy(topo);
        return error;
    }
    *out = topo;
    return 0;
}
