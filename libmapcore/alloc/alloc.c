/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* alloc.c - the job's hosts inside a topology, and how far they are from one
 * another */
#include "config.h"

#include "alloc/alloc.h"

#include "alloc/distances.h"
#include "base/array.h"
#include "base/text.h"

#include <stdlib.h>

struct mapcore_alloc {
    const struct mapcore_topo *topo; /* borrowed */
    uint32_t nhosts, nslots;
    uint32_t *host;  /* [nhosts], topology numbers */
    uint32_t *slots; /* [nhosts] */
    struct distances *distances;
    struct distances *no_wrap; /* NULL: the same */
};

static int set_hosts(struct mapcore_alloc *alloc,
                     const uint32_t *host,
                     struct mapcore_error *err)
{
    uint32_t total = mapcore_topo_nhosts(alloc->topo);
    unsigned char *taken;

    alloc->host = array_alloc(alloc->nhosts, sizeof(*alloc->host), err);
    if (!alloc->host)
        return MAPCORE_ENOMEM;
    if (!host) {
        if (alloc->nhosts > total)
            return error_set(err, MAPCORE_EINVAL,
                             "%u node%s, but the topology has %u",
                             alloc->nhosts, text_plural(alloc->nhosts), total);
        for (uint32_t i = 0; i < alloc->nhosts; i++)
            alloc->host[i] = i;
        return 0;
    }

    taken = array_alloc(total, sizeof(*taken), err);
    if (!taken)
        return MAPCORE_ENOMEM;
    for (uint32_t i = 0; i < alloc->nhosts; i++) {
        if (host[i] >= total || taken[host[i]]) {
            free(taken);
            return error_set(err, MAPCORE_EINVAL,
                             host[i] >= total
                                 ? "node %u of the allocation is number %u of "
                                   "a topology that has %u"
                                 : "node %u of the allocation, number %u of %u "
                                   "in the topology, is there twice",
                             i, host[i], total);
        }
        taken[host[i]] = 1;
        alloc->host[i] = host[i];
    }
    free(taken);
    return 0;
}

static int set_slots(struct mapcore_alloc *alloc,
                     const uint32_t *slots,
                     struct mapcore_error *err)
{
    uint64_t sum = 0;

    alloc->slots = array_copy(slots, alloc->nhosts, sizeof(*slots), err);
    if (!alloc->slots)
        return MAPCORE_ENOMEM;
    for (uint32_t i = 0; i < alloc->nhosts; i++) {
        sum += slots[i];
        if (sum > (uint64_t)INT32_MAX + 1)
            return error_set(err, MAPCORE_ERANGE, "more than 2^31 slots");
    }
    alloc->nslots = (uint32_t)sum;
    return 0;
}

static int set_distances(struct mapcore_alloc *alloc, struct mapcore_error *err)
{
    int error = distances_create(&alloc->distances, alloc->topo, alloc->nhosts,
                                 alloc->host, true, err);

    if (error == 0 && mapcore_topo_is_torus(alloc->topo))
        error = distances_create(&alloc->no_wrap, alloc->topo, alloc->nhosts,
                                 alloc->host, false, err);
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
    if ((error = set_hosts(alloc, host, err)) < 0 ||
        (error = set_slots(alloc, slots, err)) < 0 ||
        (error = set_distances(alloc, err)) < 0) {
        mapcore_alloc_destroy(alloc);
        return error;
    }
    *out = alloc;
    return 0;
}

void mapcore_alloc_destroy(struct mapcore_alloc *alloc)
{
    if (!alloc)
        return;
    free(alloc->host);
    free(alloc->slots);
    distances_destroy(alloc->distances);
    distances_destroy(alloc->no_wrap);
    free(alloc);
}

const struct mapcore_topo *mapcore_alloc_topo(const struct mapcore_alloc *alloc)
{
    return alloc->topo;
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
