/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* inside.c - hop-bytes inside nodes, the second objective */
#include "config.h"

#include "metric/metric.h"

#include "base/text.h"

#include "graph/csr.h"

__extension__ typedef unsigned __int128 wide;

int mapcore_inside_compute(struct mapcore_inside *out,
                           const struct mapcore_graph *graph,
                           const struct mapcore_alloc *alloc,
                           const struct mapcore_mapping *mapping,
                           const struct mapcore_hwnode *node,
                           struct mapcore_error *err)
{
    uint32_t nhosts = mapcore_alloc_nhosts(alloc);
    uint64_t bytes = 0; /* each edge twice: below 2^64 */
    wide total = 0;

    if (mapping->ntasks != graph->ntasks)
        return error_set(err, MAPCORE_EINVAL, "a mapping of %u task%s, not %u",
                         mapping->ntasks, text_plural(mapping->ntasks),
                         graph->ntasks);
    for (uint32_t t = 0; t < graph->ntasks; t++) {
        uint32_t host = mapping->host[t];

        if (host >= nhosts ||
            mapping->slot[t] >= mapcore_alloc_slots(alloc, host))
            return error_set(err, MAPCORE_EINVAL, "task %u has no place", t);
        for (size_t i = graph->row[t]; i < graph->row[t + 1]; i++) {
            uint32_t u = graph->task[i];

            if (mapping->host[u] != host)
                continue;
            bytes += graph->bytes[i];
            total +=
                (wide)graph->bytes[i] *
                mapcore_hwnode_distance(node, mapcore_alloc_slots(alloc, host),
                                        mapping->slot[t], mapping->slot[u]);
        }
    }
    out->avg_inside_hop_bytes = (double)total / graph->ntasks;
    out->inside_hops_per_byte = bytes > 0 ? (double)total / (double)bytes : 0;
    out->inside_bytes = bytes / 2;
    return 0;
}
