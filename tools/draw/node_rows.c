/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* node_rows.c - slots of nodes, with the levels of hardware that part them */
#include "config.h"

#include "tools/draw/node_rows.h"

#include "base/array.h"

#include <stdlib.h>

enum {
    NODES = 6,       /* that are drawn where nothing else is asked for */
    MOST_FRAMES = 4, /* inside one another */
};

struct node_arc {
    uint32_t a, b; /* slots, a < b */
    uint64_t bytes;
};

/* A node under one mapping. */
struct node_row {
    uint32_t host, nslots;
    uint32_t *task; /* [nslots], MAPCORE_NONE: free */
    size_t narcs, capacity;
    struct node_arc *arc;
    uint64_t inside, leaves;
};

static int compare_arcs(const void *a, const void *b)
{
    const struct node_arc *x = a, *y = b;

    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a)
                        : (x->b > y->b) - (x->b < y->b);
}

static int add_task(struct node_row *row,
                    const struct mapcore_graph *graph,
                    const struct mapcore_mapping *mapping,
                    uint32_t task,
                    struct mapcore_error *err)
{
    const uint32_t *peers;
    const uint64_t *bytes;
    const size_t n = mapcore_graph_neighbours(graph, task, &peers, &bytes);
    int error = 0;

    for (size_t i = 0; error == 0 && i < n; i++) {
        const uint32_t a = mapping->slot[task], b = mapping->slot[peers[i]];

        if (mapping->host[peers[i]] != row->host) {
            row->leaves += bytes[i];
        } else if (a < b) {
            row->inside += bytes[i];
            error = array_reserve(&row->arc, &row->capacity, row->narcs + 1,
                                  sizeof(*row->arc), err);
            if (error == 0)
                row->arc[row->narcs++] =
                    (struct node_arc){.a = a, .b = b, .bytes = bytes[i]};
        }
    }
    return error;
}

static int open_row(struct node_row *out,
                    const struct draw_subject *subject,
                    const struct mapcore_mapping *mapping,
                    uint32_t host,
                    struct mapcore_error *err)
{
    int error = 0;

    *out = (struct node_row){
        .host = host,
        .nslots = mapcore_alloc_slots(subject->inputs.alloc, host)};
    out->task = array_alloc(out->nslots, sizeof(*out->task), err);
    if (!out->task)
        return MAPCORE_ENOMEM;
    for (uint32_t s = 0; s < out->nslots; s++)
        out->task[s] = MAPCORE_NONE;
    for (uint32_t t = 0; error == 0 && t < mapping->ntasks; t++) {
        if (mapping->host[t] != host)
            continue;
        out->task[mapping->slot[t]] = t;
        error = add_task(out, subject->inputs.graph, mapping, t, err);
    }
    if (error == 0 && out->narcs > 0)
        qsort(out->arc, out->narcs, sizeof(*out->arc), compare_arcs);
    return error;
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

static void put_row(struct json_writer *writer,
                    const struct draw_subject *subject,
                    const struct node_row *row)
{
    char name[DRAW_HOST_NAME];

    json_begin_object(writer, NULL);
    json_put_string(writer, "name",
                    draw_host_name(name, subject->inputs.alloc, row->host));
    json_put_u64(writer, "inside", row->inside);
    json_put_u64(writer, "leaves", row->leaves);
    json_begin_array(writer, "slots");
    for (uint32_t s = 0; s < row->nslots; s++)
        if (row->task[s] == MAPCORE_NONE)
            json_put_null(writer, NULL);
        else
            json_put_u64(writer, NULL, row->task[s]);
    json_end_array(writer);
    put_hardware(writer, subject->inputs.hwnode, row->nslots);
    json_begin_array(writer, "arcs");
    for (size_t i = 0; i < row->narcs; i++) {
        json_begin_array(writer, NULL);
        json_put_u64(writer, NULL, row->arc[i].a);
        json_put_u64(writer, NULL, row->arc[i].b);
        json_put_u64(writer, NULL, row->arc[i].bytes);
        json_end_array(writer);
    }
    json_end_array(writer);
    json_end_object(writer);
}

int node_rows_put(struct json_writer *writer,
                  const struct draw_subject *subject,
                  struct mapcore_error *err)
{
    const uint32_t nhosts = mapcore_alloc_nhosts(subject->inputs.alloc);
    const uint32_t most = subject->nodes > 0 ? subject->nodes : NODES;
    int error = 0;

    json_begin_array(writer, "nodes");
    for (size_t i = 0; i < subject->nsides; i++) {
        json_begin_array(writer, NULL);
        for (uint32_t h = 0; error == 0 && h < nhosts && h < most; h++) {
            struct node_row row;

            error = open_row(&row, subject, subject->side[i].mapping, h, err);
            if (error == 0)
                put_row(writer, subject, &row);
            free(row.task);
            free(row.arc);
        }
        json_end_array(writer);
    }
    json_end_array(writer);
    return error;
}
