/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* scene.c - writes the scene, and has it drawn: pictures are Python's, numbers
 * are made here */
#include "config.h"

#include "tools/draw/scene.h"

#include "tools/common/script.h"
#include "tools/draw/scene_pairs.h"
#include "tools/map_report.h"
#include "topo/shape.h"
#include "topo/walk.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

enum {
    NAME = 600,      /* two host names of 255 bytes */
    MOST_FRAMES = 4, /* of hardware, inside one another */
};

static bool is(const struct scene *scene, const char *picture)
{
    return strcmp(scene->picture, picture) == 0 ||
           strcmp(scene->picture, "report") == 0;
}

/* Whole numbers without a point: they are most, and cheaper. */
static void put_value(struct json_writer *writer, const char *key, double value)
{
    if (value >= 0 && value < 1e15 && value <= (double)(uint64_t)value)
        json_put_u64(writer, key, (uint64_t)value);
    else
        json_put_double(writer, key, value);
}

/* Both tasks and what they exchange, pair by pair. */
static void put_traffic(struct json_writer *writer,
                        const struct traffic *traffic)
{
    json_begin_array(writer, "traffic");
    for (size_t i = 0; traffic && i < traffic->n; i++) {
        json_put_u64(writer, NULL, traffic->pair[i].a);
        json_put_u64(writer, NULL, traffic->pair[i].b);
        put_value(writer, NULL, traffic->pair[i].value);
    }
    json_end_array(writer);
}

/* The same of the graph by which mappings were judged. */
static void put_flows(struct json_writer *writer,
                      const struct mapcore_graph *graph)
{
    const uint32_t *peers;
    const uint64_t *bytes;

    json_begin_array(writer, "flows");
    for (uint32_t t = 0; t < mapcore_graph_ntasks(graph); t++) {
        const size_t n = mapcore_graph_neighbours(graph, t, &peers, &bytes);

        for (size_t i = 0; i < n; i++)
            if (peers[i] > t) {
                json_put_u64(writer, NULL, t);
                json_put_u64(writer, NULL, peers[i]);
                json_put_u64(writer, NULL, bytes[i]);
            }
    }
    json_end_array(writer);
}

static void put_side(struct json_writer *writer,
                     const struct scene *scene,
                     const struct eval_mapping *side)
{
    const struct mapcore_mapping *mapping = side->mapping;
    const bool has_network = is(scene, "network");

    json_begin_object(writer, NULL);
    json_put_string(writer, "title", side->title);
    json_begin_object(writer, "metrics");
    report_json(writer, &side->metrics, scene->subject->inputs.alloc);
    json_end_object(writer);
    json_put_numbers(writer, "host", mapping->host, mapping->ntasks);
    json_put_numbers(writer, "slot", mapping->slot, mapping->ntasks);
    json_begin_array(writer, "vertex");
    for (uint32_t t = 0; has_network && t < mapping->ntasks; t++)
        json_put_u64(writer, NULL,
                     mapcore_alloc_host(side->at.alloc, side->at.host[t]));
    json_end_array(writer);
    json_begin_array(writer, "load");
    for (uint32_t l = 0;
         has_network &&
         l < mapcore_topo_nlinks(mapcore_alloc_topo(side->at.alloc));
         l++)
        put_value(writer, NULL, side->load[l]);
    json_end_array(writer);
    json_end_object(writer);
}

/* Its own, or its place. */
static const char *host_name(char text[NAME],
                             const struct mapcore_alloc *alloc,
                             uint32_t host)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(alloc);
    const uint32_t number = mapcore_alloc_host(alloc, host);
    const char *name = mapcore_topo_host_name(topo, number);

    if (name) {
        snprintf(text, NAME, "%s", name);
    } else {
        int n = snprintf(text, NAME, "node %u ", number);

        if (mapcore_topo_is_torus(topo))
            mapcore_topo_host_place(topo, number, text + n, (size_t)(NAME - n));
        else
            text[n - 1] = '\0';
    }
    return text;
}

static void put_hosts(struct json_writer *writer,
                      const struct mapcore_alloc *alloc)
{
    const uint32_t n = alloc ? mapcore_alloc_nhosts(alloc) : 0;
    char name[NAME];

    json_put_u64(writer, "nslots", alloc ? mapcore_alloc_nslots(alloc) : 0);
    json_begin_array(writer, "hosts");
    for (uint32_t h = 0; h < n; h++)
        json_put_string(writer, NULL, host_name(name, alloc, h));
    json_end_array(writer);
}

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

/* tools/pictures/network.py says of what that consists. */
static void put_network(struct json_writer *writer,
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

/* The farthest that neighbours are from each other, below the limit. */
static uint32_t farthest_below(const struct mapcore_hwnode *node,
                               uint32_t nslots,
                               uint32_t limit)
{
    uint32_t farthest = 0;

    for (uint32_t s = 1; s < nslots; s++) {
        const uint32_t d = mapcore_hwnode_distance(node, nslots, s - 1, s);

        farthest = d < limit && d > farthest ? d : farthest;
    }
    return farthest;
}

/* The objects of hardware whose slots are nearer than `steps` to their
 * neighbours. */
static void put_level(struct json_writer *writer,
                      const struct mapcore_hwnode *node,
                      uint32_t nslots,
                      uint32_t steps)
{
    char name[MAPCORE_HWNODE_TEXT];

    json_begin_object(writer, NULL);
    json_put_u64(writer, "steps", steps);
    json_begin_array(writer, "objects");
    for (uint32_t first = 0, next; first < nslots; first = next) {
        next = first + 1;
        while (next < nslots &&
               mapcore_hwnode_distance(node, nslots, next - 1, next) < steps)
            next++;
        mapcore_hwnode_object(name, node, nslots, first, steps);
        json_begin_array(writer, NULL);
        json_put_u64(writer, NULL, first);
        json_put_u64(writer, NULL, next);
        json_put_string(writer, NULL, name);
        json_end_array(writer);
    }
    json_end_array(writer);
    json_end_object(writer);
}

static void put_hardware(struct json_writer *writer,
                         const struct mapcore_hwnode *node,
                         uint32_t nslots)
{
    uint32_t limit = UINT32_MAX;
    char core[MAPCORE_HWNODE_TEXT];

    json_begin_array(writer, "near");
    for (uint32_t s = 1; s < nslots; s++)
        json_put_u64(writer, NULL,
                     node ? mapcore_hwnode_distance(node, nslots, s - 1, s)
                          : 0);
    json_end_array(writer);
    json_begin_array(writer, "frames");
    /* Cores alone in their frames tell nothing. */
    for (int i = 0; node && i < MOST_FRAMES &&
                    (limit = farthest_below(node, nslots, limit)) > 2;
         i++)
        put_level(writer, node, nslots, limit);
    json_end_array(writer);
    json_begin_array(writer, "cores");
    for (uint32_t s = 0; node && nslots > 1 && s < nslots; s++) {
        mapcore_hwnode_object(core, node, nslots, s, 2);
        json_put_string(writer, NULL, core);
    }
    json_end_array(writer);
}

/* The slots of each node, and what a node of each number of slots is inside. */
static void put_nodes(struct json_writer *writer,
                      const struct draw_subject *subject)
{
    const struct mapcore_alloc *alloc = subject->inputs.alloc;
    const uint32_t nhosts = mapcore_alloc_nhosts(alloc);

    json_put_u64(writer, "show", subject->nodes);
    json_begin_array(writer, "node_slots");
    for (uint32_t h = 0; h < nhosts; h++)
        json_put_u64(writer, NULL, mapcore_alloc_slots(alloc, h));
    json_end_array(writer);
    json_begin_array(writer, "nodes");
    for (uint32_t h = 0, like; h < nhosts; h++) {
        const uint32_t n = mapcore_alloc_slots(alloc, h);

        for (like = 0; mapcore_alloc_slots(alloc, like) != n;)
            like++;
        if (like < h)
            continue;
        json_begin_object(writer, NULL);
        json_put_u64(writer, "nslots", n);
        put_hardware(writer, subject->inputs.hwnode, n);
        json_end_object(writer);
    }
    json_end_array(writer);
    put_flows(writer, subject->inputs.graph);
}

/* Messages by size, which an imported profile lacks. */
static int put_sizes(struct json_writer *writer,
                     const struct scene *scene,
                     struct mapcore_error *err)
{
    double sizes[TRAFFIC_SIZES];
    int error = traffic_read_sizes(sizes, scene->traffic->ntasks,
                                   scene->subject->folder, err);

    json_begin_array(writer, "sizes");
    for (int i = 0; error == 0 && i < TRAFFIC_SIZES; i++)
        put_value(writer, NULL, sizes[i]);
    json_end_array(writer);
    return error == MAPCORE_EIO ? 0 : error;
}

static void put_search(struct json_writer *writer,
                       const struct search_trace *trace)
{
    json_begin_object(writer, "search");
    json_put_double(writer, "seconds", trace->seconds);
    json_put_u64(writer, "work", trace->work);
    json_put_string(writer, "mapper", trace->mapper);
    json_begin_array(writer, "events");
    for (size_t i = 0; i < trace->n; i++) {
        const struct search_event *event = &trace->event[i];

        json_begin_array(writer, NULL);
        json_put_double(writer, NULL, event->seconds);
        json_put_u64(writer, NULL, event->work);
        json_put_double(writer, NULL, event->hops_per_byte);
        json_put_string(writer, NULL, event->mapper);
        json_end_array(writer);
    }
    json_end_array(writer);
    json_end_object(writer);
}

static int put_scene(struct json_writer *writer,
                     const struct scene *scene,
                     struct mapcore_error *err)
{
    static const char *const units[] = {[AMOUNT_BYTES] = "bytes",
                                        [AMOUNT_MESSAGES] = "messages",
                                        [AMOUNT_SECONDS] = "seconds"};
    const struct draw_subject *subject = scene->subject;
    const struct traffic *traffic = scene->traffic;
    int error = 0;

    json_begin_array(writer, "command");
    for (size_t i = 0; scene->command && scene->command[i]; i++)
        json_put_string(writer, NULL, scene->command[i]);
    json_end_array(writer);
    json_put_string(writer, "picture", scene->picture);
    json_put_string(writer, "version", PACKAGE_VERSION);
    json_put_string(writer, "name", draw_subject_name(subject));
    json_put_string(writer, "type", scene->type);
    json_put_string(writer, "unit", units[traffic ? traffic->unit : 0]);
    json_put_u64(writer, "ntasks", traffic ? traffic->ntasks : 0);
    json_put_bool(writer, "has_node", subject->inputs.hwnode != NULL);
    put_hosts(writer, subject->inputs.alloc);
    json_begin_array(writer, "sides");
    for (size_t i = 0; i < subject->nsides; i++)
        put_side(writer, scene, &subject->side[i]);
    json_end_array(writer);
    put_traffic(writer, traffic);
    if (subject->inputs.topo && is(scene, "network"))
        put_network(writer, mapcore_alloc_topo(
                                mapcore_alloc_by_rail(subject->inputs.alloc)));
    if (subject->inputs.topo && is(scene, "nodes"))
        put_nodes(writer, subject);
    if (subject->profile && is(scene, "profile")) {
        json_begin_object(writer, "profile");
        profile_put(writer, subject->profile);
        json_put_double(writer, "mpi_share",
                        profile_mpi_share(subject->profile));
        json_end_object(writer);
    }
    if (error == 0 && subject->profile && is(scene, "profile"))
        error = put_sizes(writer, scene, err);
    if (error == 0 && is(scene, "report"))
        error = scene_put_pairs(writer, scene->subject, scene->traffic);
    if (subject->search.n > 0 && is(scene, "search"))
        put_search(writer, &subject->search);
    return error;
}

int scene_draw(struct buffer *out,
               const struct scene *scene,
               struct mapcore_error *err)
{
    const char *const none[] = {NULL};
    struct script_document document;
    struct json_writer *writer = script_document_begin(&document);
    int error;

    json_begin_object(writer, NULL);
    error = put_scene(writer, scene, err);
    return script_document_end(&document, out, "pictures", none, error, err);
}
