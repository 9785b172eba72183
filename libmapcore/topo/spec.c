/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* spec.c - regular networks by their numbers, whoever has read them */
#include "config.h"

#include "topo/spec.h"

#include "base/buffer.h"
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

void topo_spec_hosts_clear(struct topo_spec_hosts *hosts)
{
    name_set_clear(&hosts->names);
    free(hosts->coordinates);
    free(hosts->absent);
    *hosts = (struct topo_spec_hosts){0};
}

static int create_torus(struct mapcore_topo **out,
                        const struct topo_spec *spec,
                        const struct topo_spec_hosts *hosts,
                        struct mapcore_error *err)
{
    struct mapcore_torus torus = {.ndims = spec->n,
                                  .dims = spec->number,
                                  .wraps = spec->wraps,
                                  .hosts_per_router = spec->per_router};

    if (spec->has_capacity)
        torus.capacity = spec->capacity;
    if (hosts) {
        torus.nabsent = hosts->nabsent;
        torus.absent = hosts->absent;
        torus.nhosts = (uint32_t)hosts->names.n;
        torus.coordinates = hosts->coordinates;
    }
    return mapcore_topo_create_torus(out, &torus, err);
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
