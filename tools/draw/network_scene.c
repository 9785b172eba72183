/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* network_scene.c - names, ends and capacities of links */
#include "config.h"

#include "tools/draw/network_scene.h"

#include "topo/shape.h"
#include "topo/walk.h"

enum {
    NAME = 600, /* two host names of 255 bytes */
};

/* How a network is built, where that decides how it is drawn. */
static void put_shape(struct json_writer *writer,
                      const struct mapcore_topo *topo)
{
    struct topo_shape shape;

    topo_shape(&shape, topo);
    json_put_string(writer, "kind",
                    shape.kind == TOPO_TORUS       ? "torus"
                    : shape.kind == TOPO_DRAGONFLY ? "dragonfly"
                                                   : "other");
    if (shape.kind == TOPO_TORUS) {
        json_put_numbers(writer, "dims", shape.dims, shape.ndims);
        json_put_numbers(writer, "stride", shape.stride, shape.ndims);
    } else if (shape.kind == TOPO_DRAGONFLY) {
        json_put_u64(writer, "groups", shape.ngroups);
        json_put_u64(writer, "routers", shape.nrouters);
        json_put_u64(writer, "per", shape.nper);
    }
}

static void put_vertices(struct json_writer *writer,
                         const struct mapcore_topo *topo)
{
    const uint32_t nhosts = mapcore_topo_nhosts(topo);
    const uint32_t nswitches = topo_nswitches(topo);
    char name[NAME];

    json_put_u64(writer, "nhosts", nhosts);
    json_put_u64(writer, "nswitches", nswitches);
    json_begin_array(writer, "vertices");
    for (uint32_t v = 0; v < nhosts + nswitches; v++) {
        topo_vertex_name(topo, v, name, sizeof(name));
        json_put_string(writer, NULL, name);
    }
    json_end_array(writer);
    json_begin_array(writer, "host_vertex");
    for (uint32_t h = 0; h < nhosts; h++)
        json_put_u64(writer, NULL, topo_host_vertex(topo, h));
    json_end_array(writer);
    json_begin_array(writer, "attached");
    for (uint32_t h = 0; h < nhosts; h++)
        if (topo_is_attached(topo, h))
            json_put_u64(writer, NULL, h);
    json_end_array(writer);
}

static void put_links(struct json_writer *writer,
                      const struct mapcore_topo *topo)
{
    const uint32_t nlinks = mapcore_topo_nlinks(topo);
    uint32_t end[2];
    char name[NAME];

    json_begin_array(writer, "links");
    for (uint32_t l = 0; l < nlinks; l++)
        if (topo_link_ends(topo, l, end))
            json_put_numbers(writer, NULL, end, 2);
        else
            json_put_null(writer, NULL);
    json_end_array(writer);
    json_begin_array(writer, "link_names");
    for (uint32_t l = 0; l < nlinks; l++) {
        mapcore_topo_link_name(topo, l, name, sizeof(name));
        json_put_string(writer, NULL, name);
    }
    json_end_array(writer);
    json_begin_array(writer, "capacity");
    for (uint32_t l = 0; l < nlinks; l++)
        json_put_double(writer, NULL, mapcore_topo_link_capacity(topo, l));
    json_end_array(writer);
}

void network_scene_put(struct json_writer *writer,
                       const struct mapcore_topo *topo)
{
    json_begin_object(writer, "network");
    json_put_string(writer, "describe", mapcore_topo_describe(topo));
    json_put_u64(writer, "directions", mapcore_topo_link_directions(topo));
    json_put_bool(writer, "has_capacities", mapcore_topo_has_capacities(topo));
    put_shape(writer, topo);
    put_vertices(writer, topo);
    put_links(writer, topo);
    json_end_object(writer);
}
