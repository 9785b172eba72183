/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* links_write.c - any network written down as a list of links */
#include "config.h"

#include "base/error_set.h"
#include "topo/topo.h"
#include "topo/walk.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A name that the reader takes for one name: "(0,1)" is _0_1_. */
static const char *plain_name(const struct mapcore_topo *topo,
                              uint32_t vertex,
                              char *buffer,
                              size_t size)
{
    if (vertex < mapcore_topo_nhosts(topo) &&
        !mapcore_topo_host_name(topo, vertex))
        snprintf(buffer, size, "h%u", vertex);
    else
        topo_vertex_name(topo, vertex, buffer, size);
    for (char *p = buffer; *p != '\0'; p++)
        if (strchr(" \t,[]()#", *p))
            *p = '_';
    return buffer;
}

/* A host that sits at a switch of its own name is a `node`. */
static void write_nodes(const struct mapcore_topo *topo, FILE *file)
{
    uint32_t nhosts = mapcore_topo_nhosts(topo), host;
    char name[300], at[300];

    for (uint32_t s = 0; s < topo_nswitches(topo); s++) {
        topo_vertex_name(topo, nhosts + s, name, sizeof(name));
        if (mapcore_topo_find_host(&host, topo, name, NULL) < 0 ||
            !topo_is_attached(topo, host) ||
            topo_host_vertex(topo, host) != nhosts + s)
            fprintf(file, "switch %s\n",
                    plain_name(topo, nhosts + s, name, sizeof(name)));
    }
    for (uint32_t h = 0; h < nhosts; h++) {
        plain_name(topo, h, name, sizeof(name));
        plain_name(topo, topo_host_vertex(topo, h), at, sizeof(at));
        if (!topo_is_attached(topo, h))
            fprintf(file, "host %s\n", name);
        else if (strcmp(name, at) == 0)
            fprintf(file, "node %s\n", name);
        else
            fprintf(file, "host %s at %s\n", name, at);
    }
}

/* A cable once: on a torus, which may have two between the same routers, in
 * its positive direction. */
static bool is_written(const struct mapcore_topo *topo,
                       uint32_t link,
                       const uint32_t end[2])
{
    if (mapcore_topo_is_torus(topo))
        return link % 2 == 0;
    return mapcore_topo_link_directions(topo) == 2 || end[0] < end[1];
}

int mapcore_topo_write_links(const struct mapcore_topo *topo,
                             FILE *file,
                             struct mapcore_error *err)
{
    char name[2][300];
    uint32_t end[2];

    errno = 0;
    fprintf(file, "links # %s\n", mapcore_topo_describe(topo));
    if (mapcore_topo_rails(topo) > 1)
        fprintf(file, "rails %u\n", mapcore_topo_rails(topo));
    write_nodes(topo, file);
    for (uint32_t l = 0; l < mapcore_topo_nlinks(topo); l++) {
        if (!topo_link_ends(topo, l, end) || !is_written(topo, l, end))
            continue;
        for (int i = 0; i < 2; i++)
            plain_name(topo, end[i], name[i], sizeof(name[i]));
        fprintf(file, "link %s %s", name[0], name[1]);
        if (mapcore_topo_has_capacities(topo))
            fprintf(file, " %.17g", mapcore_topo_link_capacity(topo, l));
        fputc('\n', file);
    }
    if (fflush(file) != 0 || ferror(file))
        return error_set(err, MAPCORE_EIO, "the links cannot be written: %s",
                         errno != 0 ? strerror(errno) : "write error");
    return 0;
}
