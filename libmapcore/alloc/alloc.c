/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* alloc.c - the job's hosts inside a topology, and how far they are from one
 * another */
#include "config.h"

#include "alloc/alloc.h"

#include "base/array.h"
#include "base/text.h"
#include "topo/distance_block.h"

#include <stdlib.h>

/* 128 MB of distances at most. */
enum { MAX_TABLE = 8192 };

struct mapcore_alloc {
    const struct mapcore_topo *topo; /* borrowed */
    uint32_t nhosts, nslots;
    uint32_t *host;      /* [nhosts], topology numbers */
    uint32_t *slots;     /* [nhosts] */
    uint16_t *distances; /* [nhosts * nhosts] or NULL */
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
                             "%u host%s, but the topology has %u",
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
                                 ? "host %u of the allocation is number %u of "
                                   "a topology that has %u"
                                 : "host %u of the allocation, number %u of %u "
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
    size_t n = alloc->nhosts;

    if (n > MAX_TABLE || mapcore_topo_diameter(alloc->topo) > UINT16_MAX)
        return 0;
    alloc->distances = array_alloc(n * n, sizeof(*alloc->distances), err);
    if (!alloc->distances)
        return MAPCORE_ENOMEM;
    return topo_distance_block(alloc->distances, alloc->topo, alloc->nhosts,
                               alloc->host, 0, alloc->nhosts, err);
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
        return error_set(err, MAPCORE_EINVAL, "an allocation without hosts");
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
    free(alloc->distances);
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
    if (alloc->distances)
        return alloc->distances[(size_t)a * alloc->nhosts + b];
    return mapcore_topo_distance(alloc->topo, alloc->host[a], alloc->host[b]);
}

int mapcore_alloc_distances8(uint8_t **out,
                             const struct mapcore_alloc *alloc,
                             struct mapcore_error *err)
{
    enum { ROWS = 64 };
    size_t n = alloc->nhosts;
    uint16_t *rows = NULL;
    uint8_t *table = NULL;
    int error = MAPCORE_ENOMEM;

    if (mapcore_topo_diameter(alloc->topo) > UINT8_MAX)
        return error_set(err, MAPCORE_ERANGE,
                         "distances of up to %u links do not fit a byte",
                         mapcore_topo_diameter(alloc->topo));
    table = array_alloc(n * n, 1, err);
    rows = array_alloc(n, ROWS * sizeof(*rows), err);
    if (!table || !rows)
        goto out;
    for (uint32_t begin = 0; begin < n; begin += ROWS) {
        uint32_t end = begin + ROWS < n ? begin + ROWS : alloc->nhosts;
        const uint16_t *from = rows;

        if (alloc->distances)
            from = alloc->distances + begin * n;
        else if ((error = topo_distance_block(rows, alloc->topo, alloc->nhosts,
                                              alloc->host, begin, end, err)) <
                 0)
            goto out;
        for (size_t i = 0; i < (end - begin) * n; i++)
            table[begin * n + i] = (uint8_t)from[i];
    }
    *out = table;
    table = NULL;
    error = 0;
out:
    free(rows);
    free(table);
    return error;
}

const uint16_t *mapcore_alloc_distances(const struct mapcore_alloc *alloc)
{
    return alloc->distances;
}
