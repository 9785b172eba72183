/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* slurm_tori.c - Slurm's rings and tori: one is a torus, several are joined in
 * a network of links */
#include "config.h"

#include "base/array.h"
#include "topo/create.h"
#include "topo/file/cables.h"
#include "topo/file/slurm_shapes.h"
#include "topo/topo.h"

#include <stdio.h>
#include <stdlib.h>

/* Routers of several tori in one network, each with its name and six cables:
 * a torus alone is computed with, and may have TOPO_MAX_HOSTS. */
enum { ROUTERS_MOST = 1 << 20 };

/* A ring or torus as coordinates of its nodes, coordinates[nodes * 3], from
 * unit `at` on; regions follow their torus. Returns the number of nodes. */
static int place_nodes(size_t *n,
                       uint32_t *coordinates,
                       const struct slurm_shapes *r,
                       size_t at)
{
    const struct slurm_unit *torus = &r->unit[at];

    *n = 0;
    for (size_t i = at; i < r->nunits && (i == at || r->unit[i].kind == REGION);
         i++) {
        const struct slurm_unit *unit = &r->unit[i];

        for (uint32_t d = 0; d < 3; d++)
            if ((uint64_t)unit->anchor[d] + unit->dims[d] > torus->dims[d])
                return slurm_shapes_fail(r, unit, "a region outside its torus");
        for (size_t k = 0; k < unit->nodes.n; k++, ++*n) {
            size_t rest = k;

            for (uint32_t d = 0; d < 3; d++) {
                coordinates[3 * *n + d] =
                    unit->anchor[d] + (uint32_t)(rest % unit->dims[d]);
                rest /= unit->dims[d];
            }
            if (rest > 0)
                return slurm_shapes_fail(r, unit, "more nodes than places");
        }
    }
    return 0;
}

static int create_torus(struct mapcore_topo **out,
                        const struct slurm_shapes *r,
                        const uint32_t *coordinates)
{
    uint32_t ndims = r->unit[0].kind == RING ? 1 : 3;
    uint32_t *places = array_alloc(r->hosts.n, ndims * sizeof(*places), r->err);
    int error;

    if (!places)
        return MAPCORE_ENOMEM;
    for (size_t h = 0; h < r->hosts.n; h++)
        for (uint32_t d = 0; d < ndims; d++)
            places[h * ndims + d] = coordinates[3 * h + d];
    error = mapcore_topo_create_torus(
        out,
        &(struct mapcore_torus){.ndims = ndims,
                                .dims = r->unit[0].dims,
                                .nhosts = (uint32_t)r->hosts.n,
                                .coordinates = places,
                                .names = (const char *const *)r->hosts.name},
        r->err);
    free(places);
    return error;
}

/* Switch number of a place in a torus whose first is number `first`. */
static uint32_t place_number(const struct slurm_unit *torus,
                             uint32_t first,
                             const uint32_t x[3])
{
    return first + x[0] + torus->dims[0] * (x[1] + torus->dims[1] * x[2]);
}

/* One of several tori: its routers and their cables. */
static int add_torus(struct cables *cables,
                     const struct slurm_shapes *r,
                     const struct slurm_unit *torus,
                     uint32_t *first)
{
    const uint32_t *dims = torus->dims;
    uint32_t n = dims[0] * dims[1] * dims[2];
    char name[160];
    int error = 0;

    *first = (uint32_t)cables->switches.n;
    for (uint32_t i = 0; error == 0 && i < n; i++) {
        uint32_t number;
        bool is_new = true;

        snprintf(name, sizeof(name), "%.100s(%u,%u,%u)", torus->name,
                 i % dims[0], i / dims[0] % dims[1], i / dims[0] / dims[1]);
        error = cables_add_switch(cables, &number, name, &is_new, r->err);
        if (error == 0 && !is_new)
            error =
                slurm_shapes_fail(r, torus, "a ring or torus is there twice");
    }
    for (uint32_t i = 0; error == 0 && i < n; i++) {
        uint32_t x[3] = {i % dims[0], i / dims[0] % dims[1],
                         i / dims[0] / dims[1]};

        for (uint32_t d = 0; error == 0 && d < 3; d++) {
            uint32_t y[3] = {x[0], x[1], x[2]};

            y[d] = (x[d] + 1) % dims[d];
            /* Two routers in a ring have one cable. */
            if (dims[d] == 1 || (dims[d] == 2 && x[d] == 1))
                continue;
            error = cables_add(
                cables, cables_switch(place_number(torus, *first, x)),
                cables_switch(place_number(torus, *first, y)), 1, r->err);
        }
    }
    return error;
}

/* Nothing is said of the way from one to another: their first routers are
 * joined by a switch of their own. */
static int create_several(struct mapcore_topo **out,
                          const struct slurm_shapes *r,
                          const uint32_t *coordinates)
{
    struct cables cables = {0};
    uint32_t root, first, number;
    uint64_t nrouters = 0;
    size_t host = 0, n;
    bool is_new;
    int error = cables_add_switch(&cables, &root, "root", &is_new, r->err);

    for (size_t i = 0; error == 0 && i < r->nunits; i++) {
        const struct slurm_unit *torus = &r->unit[i];

        if (torus->kind == REGION)
            continue;
        nrouters += (uint64_t)torus->dims[0] * torus->dims[1] * torus->dims[2];
        if (nrouters > ROUTERS_MOST) {
            error = error_set(r->err, MAPCORE_ERANGE,
                              "%s:%zu: several tori of more than 2^20 routers",
                              text_name(r->text), torus->line);
            break;
        }
        if ((error = add_torus(&cables, r, torus, &first)) < 0 ||
            (error = cables_add(&cables, cables_switch(root),
                                cables_switch(first), 1, r->err)) < 0)
            break;
        n = torus->nodes.n;
        for (size_t k = i + 1; k < r->nunits && r->unit[k].kind == REGION; k++)
            n += r->unit[k].nodes.n;
        for (; error == 0 && n > 0; n--, host++)
            error = cables_add_host(
                &cables, &number, r->hosts.name[host],
                place_number(torus, first, coordinates + 3 * host), &is_new,
                r->err);
    }
    if (error == 0)
        error = cables_create(out, &cables, text_name(r->text), r->err);
    cables_clear(&cables);
    return error;
}

int slurm_shapes_create_tori(struct mapcore_topo **out, struct slurm_shapes *r)
{
    uint32_t *coordinates =
        array_alloc(r->hosts.n, 3 * sizeof(*coordinates), r->err);
    size_t at = 0, n, ntori = 0;
    int error = coordinates ? 0 : MAPCORE_ENOMEM;

    for (size_t i = 0; error == 0 && i < r->nunits; i++) {
        struct slurm_unit *unit = &r->unit[i];

        if (unit->kind == RING) {
            unit->dims[0] = (uint32_t)unit->nodes.n;
            unit->dims[1] = unit->dims[2] = 1;
        } else if (!unit->has_dims) {
            error = slurm_shapes_fail(r, unit, "Dims= is missing");
        }
        if (unit->kind == REGION && i == 0)
            error = slurm_shapes_fail(r, unit, "a region of no torus");
        if (error < 0)
            break;
        if ((uint64_t)unit->dims[0] * unit->dims[1] > TOPO_MAX_HOSTS ||
            (uint64_t)unit->dims[0] * unit->dims[1] * unit->dims[2] >
                TOPO_MAX_HOSTS ||
            unit->dims[0] == 0 || unit->dims[1] == 0 || unit->dims[2] == 0)
            error = slurm_shapes_fail(r, unit, "no places, or more than 2^24");
    }
    for (size_t i = 0; error == 0 && i < r->nunits; i++) {
        if (r->unit[i].kind == REGION)
            continue;
        ntori++;
        error = place_nodes(&n, coordinates + 3 * at, r, i);
        at += n;
    }
    if (error == 0 && ntori == 1)
        error = create_torus(out, r, coordinates);
    else if (error == 0)
        error = create_several(out, r, coordinates);
    free(coordinates);
    return error;
}
