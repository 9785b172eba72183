/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* topo.c - what all networks have in common, and the way to what they have
 * not */
#include "config.h"

#include "topo/topo.h"

#include "base/text.h"
#include "topo/ops.h"
#include "topo/shape.h"
#include "topo/walk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mapcore_topo_destroy(struct mapcore_topo *topo)
{
    int saved = errno;

    if (!topo)
        return;
    topo->ops->destroy(topo);
    name_set_clear(&topo->names);
    free(topo->description);
    free(topo);
    errno = saved;
}

const char *mapcore_topo_describe(const struct mapcore_topo *topo)
{
    return topo->description;
}

bool mapcore_topo_is_torus(const struct mapcore_topo *topo)
{
    struct topo_shape shape;

    topo_shape(&shape, topo);
    return shape.kind == TOPO_TORUS;
}

uint32_t mapcore_topo_nhosts(const struct mapcore_topo *topo)
{
    return topo->nhosts;
}

const char *mapcore_topo_host_name(const struct mapcore_topo *topo,
                                   uint32_t host)
{
    return topo->names.n > 0 ? topo->names.name[host] : NULL;
}

/* A name with a domain, where the network has it without one. */
static uint32_t find_short(const struct mapcore_topo *topo, const char *name)
{
    size_t n = name_set_first_part(name);
    char text[256];

    if (n == 0 || n >= sizeof(text))
        return MAPCORE_NONE;
    memcpy(text, name, n);
    text[n] = '\0';
    return name_set_find(&topo->names, text);
}

int mapcore_topo_find_host(uint32_t *out,
                           const struct mapcore_topo *topo,
                           const char *name,
                           struct mapcore_error *err)
{
    uint32_t host = name_set_find(&topo->names, name);

    if (host == MAPCORE_NONE && topo->ops->find_place)
        host = topo->ops->find_place(topo, name);
    if (host == MAPCORE_NONE && topo->names.n == 0) {
        uint64_t number;

        if (text_parse_u64(name, &number) && number < topo->nhosts)
            host = (uint32_t)number;
    }
    if (host == MAPCORE_NONE)
        host = find_short(topo, name);
    if (host == MAPCORE_NONE) {
        uint32_t other;

        host = name_set_find_first(&topo->names, name, &other);
        if (host != MAPCORE_NONE && other != MAPCORE_NONE)
            return error_set(err, MAPCORE_EINVAL,
                             "host '%.100s' may be %.100s or %.100s of the "
                             "topology (%.100s)",
                             name,
                             topo->names.name[host < other ? host : other],
                             topo->names.name[host < other ? other : host],
                             topo->description);
    }
    if (host == MAPCORE_NONE)
        return error_set(err, MAPCORE_ENOENT,
                         "host '%.100s' is not in the topology (%.200s)", name,
                         topo->description);
    *out = host;
    return 0;
}

uint32_t mapcore_topo_distance(const struct mapcore_topo *topo,
                               uint32_t a,
                               uint32_t b)
{
    return topo->ops->distance(topo, a, b);
}

uint32_t mapcore_topo_distance_flat(const struct mapcore_topo *topo,
                                    uint32_t a,
                                    uint32_t b)
{
    return topo->ops->distance_flat(topo, a, b);
}

uint32_t mapcore_topo_nlinks(const struct mapcore_topo *topo)
{
    return topo->nlinks;
}

uint32_t mapcore_topo_link_directions(const struct mapcore_topo *topo)
{
    return topo->ops->link_directions;
}

double mapcore_topo_link_capacity(const struct mapcore_topo *topo,
                                  uint32_t link)
{
    return topo->has_capacities || topo->assumes_capacities
               ? topo->ops->link_capacity(topo, link)
               : 1;
}

bool mapcore_topo_has_capacities(const struct mapcore_topo *topo)
{
    return topo->has_capacities;
}

uint32_t mapcore_topo_diameter(const struct mapcore_topo *topo)
{
    return topo->diameter;
}

uint32_t mapcore_topo_route(const struct mapcore_topo *topo,
                            uint32_t a,
                            uint32_t b,
                            uint32_t *links)
{
    return topo->ops->route(topo, a, b, links);
}

int mapcore_topo_link_name(const struct mapcore_topo *topo,
                           uint32_t link,
                           char *buffer,
                           size_t size)
{
    uint32_t end[2] = {0, 0};
    char name[2][300]; /* a host's name has at most 255 bytes */

    if (topo->ops->link_name)
        return topo->ops->link_name(topo, link, buffer, size);
    topo->ops->link_ends(topo, link, end);
    for (int i = 0; i < 2; i++)
        topo_vertex_name(topo, end[i], name[i], sizeof(name[i]));
    return snprintf(buffer, size, "%s - %s", name[0], name[1]);
}

int mapcore_topo_host_place(const struct mapcore_topo *topo,
                            uint32_t host,
                            char *buffer,
                            size_t size)
{
    return topo->ops->vertex_name(topo, topo->ops->host_vertex(topo, host),
                                  buffer, size);
}
