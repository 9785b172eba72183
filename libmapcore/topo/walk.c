/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* walk.c - a network as a directed graph, whatever its kind */
#include "config.h"

#include "topo/walk.h"

#include "topo/ops.h"

#include <stdio.h>

uint32_t topo_nswitches(const struct mapcore_topo *topo)
{
    return topo->nswitches;
}

int topo_vertex_name(const struct mapcore_topo *topo,
                     uint32_t vertex,
                     char *buffer,
                     size_t size)
{
    if (vertex >= topo->nhosts)
        return topo->ops->vertex_name(topo, vertex, buffer, size);
    if (topo->names.n > 0)
        return snprintf(buffer, size, "%s", topo->names.name[vertex]);
    return snprintf(buffer, size, "host %u", vertex);
}

uint32_t topo_host_vertex(const struct mapcore_topo *topo, uint32_t host)
{
    return topo->ops->host_vertex(topo, host);
}

bool topo_is_attached(const struct mapcore_topo *topo, uint32_t host)
{
    return topo->ops->is_attached && topo->ops->is_attached(topo, host);
}

bool topo_link_ends(const struct mapcore_topo *topo,
                    uint32_t link,
                    uint32_t end[2])
{
    return topo->ops->link_ends(topo, link, end);
}

uint32_t topo_next_hops(const struct mapcore_topo *topo,
                        uint32_t vertex,
                        uint32_t b,
                        uint32_t *link,
                        uint32_t *to)
{
    return topo->ops->next_hops(topo, vertex, b, link, to);
}

uint32_t topo_max_next_hops(const struct mapcore_topo *topo)
{
    return topo->max_next_hops;
}

uint32_t topo_split_route(const struct mapcore_topo *topo,
                          uint32_t a,
                          uint32_t b,
                          uint32_t *links,
                          uint32_t *whole)
{
    if (topo->ops->split_route)
        return topo->ops->split_route(topo, a, b, links, whole);
    return *whole = topo->ops->route(topo, a, b, links);
}
