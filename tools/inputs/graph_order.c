/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* graph_order.c - from the recorded order of pairs to a stage for each entry
 * of a graph */
#include "config.h"

#include "tools/inputs/graph_order.h"

#include "base/array.h"
#include "graph/csr.h"
#include "tools/inputs/graph_messages.h"

#include <stdlib.h>
#include <string.h>

enum { NO_STAGE = MESSAGE_ORDER_STAGES };

/* The entry of a pair; false: they exchange no bytes. */
static bool find_entry(size_t *out,
                       const struct mapcore_graph *graph,
                       uint32_t from,
                       uint32_t to)
{
    size_t low = graph->row[from], high = graph->row[from + 1];

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (graph->task[middle] < to)
            low = middle + 1;
        else
            high = middle;
    }
    *out = low;
    return low < graph->row[from + 1] && graph->task[low] == to;
}

static int make_order(struct graph_type *type, struct mapcore_error *err)
{
    const size_t n = type->graph->row[type->graph->ntasks];

    type->order = array_alloc(n, sizeof(*type->order), err);
    if (!type->order)
        return MAPCORE_ENOMEM;
    memset(type->order, NO_STAGE, n);
    return 0;
}

static int take_pair(void *arg,
                     size_t i,
                     const struct message_order *order,
                     struct mapcore_error *err)
{
    struct graph_types *types = arg;
    struct graph_type *type = &types->type[i];
    size_t entry;

    if (type->phases || !type->graph)
        return 0;
    if (!type->order && make_order(type, err) < 0)
        return MAPCORE_ENOMEM;
    if (find_entry(&entry, type->graph, order->from, order->to) &&
        order->stage < type->order[entry])
        type->order[entry] = (uint8_t)order->stage;
    return 0;
}

/* What nothing is known of goes as its other direction; false: neither is. */
static bool complete(struct graph_type *type)
{
    const struct mapcore_graph *graph = type->graph;
    size_t other;

    for (uint32_t t = 0; t < graph->ntasks; t++)
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
            if (type->order[k] != NO_STAGE)
                continue;
            if (!find_entry(&other, graph, graph->task[k], t) ||
                type->order[other] == NO_STAGE)
                return false;
            type->order[k] = type->order[other];
        }
    return true;
}

/* From entries of the graph to flows that know their direction. */
static int order_flows(struct graph_type *type, struct mapcore_error *err)
{
    const struct mapcore_phases *messages = type->messages;
    const size_t n = messages->first[messages->n];
    uint8_t *order = array_alloc(n, sizeof(*order), err);
    size_t entry;

    if (!order)
        return MAPCORE_ENOMEM;
    for (size_t k = 0; k < n; k++)
        if (find_entry(&entry, type->graph, messages->flow[k].from,
                       messages->flow[k].to))
            order[k] = type->order[entry];
    free(type->order);
    type->order = order;
    return 0;
}

int graph_order_open(struct graph_types *types,
                     const struct graph_source *source,
                     struct mapcore_error *err)
{
    char *folder = NULL;
    int error = graphs_whole_profile(&folder, source, err);

    if (error == 0 && folder)
        error = graph_messages_read_order(types, folder, take_pair, types, err);
    for (size_t i = 0; error == 0 && i < types->n; i++) {
        struct graph_type *type = &types->type[i];

        if (type->order && !complete(type)) {
            free(type->order);
            type->order = NULL;
        }
        if (type->order && type->is_directed)
            error = order_flows(type, err);
    }
    free(folder);
    return error;
}
