/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* alloc.c - the job's hosts inside a topology, and how far they are from one
 * another */
#include "config.h"

#include "alloc/alloc.h"

#include "alloc/distances.h"
#include "base/array.h"
#include "base/text.h"
#include "topo/create.h"

#include <stdlib.h>

struct mapcore_alloc {
    const struct mapcore_topo *topo; /* borrowed */
    uint32_t nhosts, nslots;
    uint32_t *host;  /* [nhosts], topology numbers */
    uint32_t *slots; /* [nhosts] */
    struct distances *distances;
    struct distances *no_wrap;     /* NULL: the same */
    struct mapcore_alloc *by_rail; /* NULL: the same; in: */
    struct mapcore_topo *rails;
    uint32_t parts;      /* interfaces of a node there */
    struct arena memory; /* of all these but by_rail and rails */
};

static int set_hosts(struct mapcore_alloc *alloc, const uint32_t *host)
{
    struct mapcore_error *err = alloc->memory.err;
    const uint32_t n = alloc->nhosts, total = mapcore_topo_nhosts(alloc->topo);
    unsigned char *taken;
    int error = 0;

    if (!host && n > total)
        return error_set(err, MAPCORE_EINVAL,
                         "%u node%s, but the topology has %u", n,
                         text_plural(n), total);
    alloc->host = arena_alloc(&alloc->memory, n, sizeof(*alloc->host));
    taken = array_alloc(total, sizeof(*taken), err);
    if (!alloc->host || !taken)
        error = MAPCORE_ENOMEM;
    for (uint32_t i = 0; error == 0 && i < n; i++) {
        const uint32_t h = alloc->host[i] = host ? host[i] : i;

        if (h >= total || taken[h])
            error = error_set(err, MAPCORE_EINVAL,
                              h >= total
                                  ? "node %u of the allocation is number %u of "
                                    "a topology that has %u"
                                  : "node %u of the allocation, number %u of "
                                    "%u in the topology, is there twice",
                              i, h, total);
        else
            taken[h] = 1;
    }
    free(taken);
    return error;
}

static int set_slots(struct mapcore_alloc *alloc, const uint32_t *slots)
{
    uint64_t sum = 0;

    alloc->slots =
        arena_copy(&alloc->memory, slots, alloc->nhosts, sizeof(*slots));
    for (uint32_t i = 0; alloc->slots && i < alloc->nhosts; i++) {
        sum += slots[i];
        if (sum > (uint64_t)INT32_MAX + 1)
            return error_set(alloc->memory.err, MAPCORE_ERANGE,
                             "more than 2^31 slots");
    }
    alloc->nslots = (uint32_t)sum;
    return alloc->memory.error;
}

uint32_t mapcore_alloc_rail_host(const struct mapcore_alloc *alloc,
                                 uint32_t node,
                                 uint32_t slot)
{
    const uint64_t parts = alloc->parts;

    return (uint32_t)(node * parts + slot * parts / alloc->slots[node]);
}

static uint32_t count_parts(const struct mapcore_alloc *alloc)
{
    const uint32_t rails = mapcore_topo_rails(alloc->topo);
    uint32_t parts = rails;

    for (uint32_t i = 0; i < alloc->nhosts; i++)
        while (parts > 1 && alloc->slots[i] > 0 &&
               (parts > alloc->slots[i] || rails % parts > 0))
            parts--;
    return parts;
}

static int set_rails(struct mapcore_alloc *alloc)
{
    const uint32_t parts = alloc->parts = count_parts(alloc);
    const size_t n = (size_t)alloc->nhosts * parts;
    struct arena arena = {.err = alloc->memory.err};
    uint32_t *host, *slots;
    int error;

    if (parts == 1)
        return 0;
    error = topo_create_by_rail(&alloc->rails, alloc->topo, parts, arena.err);
    if (error < 0)
        return error;
    host = arena_alloc(&arena, n, sizeof(*host));
    slots = arena_alloc(&arena, n, sizeof(*slots));
    for (size_t i = 0; arena.error == 0 && i < n; i++)
        host[i] = alloc->host[i / parts] * parts + (uint32_t)(i % parts);
    for (uint32_t i = 0; arena.error == 0 && i < alloc->nhosts; i++)
        for (uint32_t s = 0; s < alloc->slots[i]; s++)
            slots[mapcore_alloc_rail_host(alloc, i, s)]++;
    error =
        arena.error < 0
            ? arena.error
            : mapcore_alloc_create(&alloc->by_rail, alloc->rails, (uint32_t)n,
                                   host, slots, alloc->memory.err);
    arena_clear(&arena);
    return error;
}

int mapcore_alloc_create(struct mapcore_alloc **out,
                         const struct mapcore_topo *topo,
                         uint32_t nhosts,
                         const uint32_t *host,
                         const uint32_t *slots,
                         struct mapcore_error *err)
{
    struct mapcore_alloc *alloc;
    int error;

    if (nhosts == 0)
        return error_set(err, MAPCORE_EINVAL, "an allocation without nodes");
    alloc = array_alloc(1, sizeof(*alloc), err);
    if (!alloc)
        return MAPCORE_ENOMEM;
    alloc->topo = topo;
    alloc->nhosts = nhosts;
    alloc->memory.err = err;
    if ((error = set_hosts(alloc, host)) == 0 &&
        (error = set_slots(alloc, slots)) == 0 &&
        (error = set_rails(alloc)) == 0) {
        alloc->distances =
            distances_open(&alloc->memory, topo, nhosts, alloc->host, true);
        if (mapcore_topo_is_torus(topo))
            alloc->no_wrap = distances_open(&alloc->memory, topo, nhosts,
                                            alloc->host, false);
        error = alloc->memory.error;
    }
    if (error == 0)
        *out = alloc;
    else
        mapcore_alloc_destroy(alloc);
    return error;
}

void mapcore_alloc_destroy(struct mapcore_alloc *alloc)
{
    if (!alloc)
        return;
    mapcore_alloc_destroy(alloc->by_rail);
    mapcore_topo_destroy(alloc->rails);
    distances_close(alloc->distances);
    distances_close(alloc->no_wrap);
    arena_clear(&alloc->memory);
    free(alloc);
}

const struct mapcore_topo *mapcore_alloc_topo(const struct mapcore_alloc *alloc)
{
    return alloc->topo;
}

const struct mapcore_alloc *mapcore_alloc_by_rail(
    const struct mapcore_alloc *alloc)
{
    return alloc->by_rail ? alloc->by_rail : alloc;
}

uint32_t mapcore_alloc_nhosts(const struct mapcore_alloc *alloc)
{
    return alloc->nhosts;
}

uint32_t mapcore_alloc_nslots(const struct mapcore_alloc *alloc)
{
    return alloc->nslots;
}

uint32_t mapcore_alloc_slots(const struct mapcore_alloc *alloc, uint32_t host)
{
    return alloc->slots[host];
}

uint32_t mapcore_alloc_host(const struct mapcore_alloc *alloc, uint32_t host)
{
    return alloc->host[host];
}

uint32_t mapcore_alloc_distance(const struct mapcore_alloc *alloc,
                                uint32_t a,
                                uint32_t b)
{
    return distances_between(alloc->distances, a, b);
}

struct distances *alloc_distances(const struct mapcore_alloc *alloc)
{
    return alloc->distances;
}

struct distances *alloc_distances_no_wrap(const struct mapcore_alloc *alloc)
{
    return alloc->no_wrap ? alloc->no_wrap : alloc->distances;
}
