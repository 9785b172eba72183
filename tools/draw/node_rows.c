/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* node_rows.c - the first nodes: levels of hardware that part their slots, and
 * what their tasks exchange */
#include "config.h"

#include "tools/draw/node_rows.h"

enum {
    NODES = 6,       /* that are drawn where nothing else is asked for */
    MOST_FRAMES = 4, /* inside one another */
};

static uint32_t count_nodes(const struct draw_subject *subject)
{
    const uint32_t nhosts = mapcore_alloc_nhosts(subject->inputs.alloc);
    const uint32_t most = subject->nodes > 0 ? subject->nodes : NODES;

    return nhosts < most ? nhosts : most;
}

void node_rows_put_flows(struct json_writer *writer,
                         const struct draw_subject *subject,
                         const struct mapcore_mapping *mapping)
{
    const uint32_t nodes = count_nodes(subject);
    const uint32_t *peers;
    const uint64_t *bytes;

    json_begin_array(writer, "flows");
    for (uint32_t t = 0; t < mapping->ntasks; t++) {
        const size_t n =
            mapcore_graph_neighbours(subject->inputs.graph, t, &peers, &bytes);

        for (size_t i = 0; i < n && mapping->host[t] < nodes; i++) {
            json_put_u64(writer, NULL, t);
            json_put_u64(writer, NULL, peers[i]);
            json_put_u64(writer, NULL, bytes[i]);
        }
    }
    json_end_array(writer);
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

void node_rows_put(struct json_writer *writer,
                   const struct draw_subject *subject)
{
    const uint32_t nodes = count_nodes(subject);

    json_begin_array(writer, "nodes");
    for (uint32_t h = 0; h < nodes; h++) {
        const uint32_t n = mapcore_alloc_slots(subject->inputs.alloc, h);

        json_begin_object(writer, NULL);
        json_put_u64(writer, "nslots", n);
        put_hardware(writer, subject->inputs.hwnode, n);
        json_end_object(writer);
    }
    json_end_array(writer);
}
