/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ports_model.c - gathers ports and messages */
#include "config.h"

#include "tools/ports_model.h"

#include "base/array.h"
#include "tools/common/graph_messages.h"

#include <stdlib.h>

/* Of a task in an order that no numbers of others decide: a sum of seconds is
 * the same to the last digit, however tasks are numbered. */
static int by_task(const void *x, const void *y)
{
    const struct mapcore_messages *a = x, *b = y;

    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    return (a->count > b->count) - (a->count < b->count);
}

static int add(struct port_messages *type,
               const struct mapcore_messages *message,
               struct mapcore_error *err)
{
    int error = array_reserve(&type->message, &type->capacity, type->n + 1,
                              sizeof(*type->message), err);

    if (error == 0)
        type->message[type->n++] = *message;
    return error;
}

static int take(void *arg,
                size_t type,
                const struct message_line *line,
                struct mapcore_error *err)
{
    struct ports_model *model = arg;
    const struct mapcore_messages message = {
        line->from, line->to, line->bytes / line->count, line->count};

    return add(&model->type[type], &message, err);
}

static int read_messages(struct ports_model *model,
                         const struct graph_types *types,
                         const struct graph_source *source,
                         struct mapcore_error *err)
{
    char *folder = NULL;
    int error = graphs_whole_profile(&folder, source, err);

    if (error == 0 && folder)
        error = graph_messages_read(types, folder, take, model, err);
    free(folder);
    return error;
}

static int add_edges(struct port_messages *type,
                     const struct mapcore_graph *graph,
                     struct mapcore_error *err)
{
    int error = 0;

    for (uint32_t t = 0; t < mapcore_graph_ntasks(graph); t++) {
        const uint32_t *tasks;
        const uint64_t *bytes;
        size_t n = mapcore_graph_neighbours(graph, t, &tasks, &bytes);

        for (size_t k = 0; error == 0 && k < n; k++) {
            const struct mapcore_messages message = {
                t, tasks[k], bytes[k] / 2 + bytes[k] % 2, 1};

            error = add(type, &message, err);
        }
    }
    return error;
}

static int open_ports(struct ports_model *model,
                      const struct inputs *inputs,
                      struct mapcore_error *err)
{
    struct site_file *site = NULL;
    uint32_t needed = 0;
    int error = 0;

    if (inputs_is_site_file(inputs->topology))
        error = site_read(&site, inputs->topology, err);
    if (error == 0 && site)
        error = site_ports_read(&model->ports, site, err);
    site_close(site);
    if (error == 0 && model->ports.n == 0)
        error = error_set(err, MAPCORE_ENOENT,
                          "--model ports needs a site file with ports as "
                          "--topology");
    if (error == 0)
        error = mapcore_ports_levels(&needed, inputs->alloc, err);
    if (error == 0 && model->ports.n < needed)
        error = error_set(err, MAPCORE_EINVAL,
                          "%s: ports has %u levels, and the network, from "
                          "tasks to the top switch, %u",
                          inputs->topology, model->ports.n, needed);
    return error;
}

int ports_model_open(struct ports_model *model,
                     const struct inputs *inputs,
                     const struct graph_types *types,
                     struct mapcore_error *err)
{
    int error = open_ports(model, inputs, err);

    if (error < 0)
        return error;
    model->ntasks = mapcore_graph_ntasks(inputs->graph);
    model->type = array_alloc(types->n, sizeof(*model->type), err);
    if (!model->type)
        return MAPCORE_ENOMEM;
    model->ntypes = types->n;
    error = read_messages(model, types, &inputs->source, err);
    for (size_t i = 0; error == 0 && i < types->n; i++) {
        struct port_messages *type = &model->type[i];

        if (type->n == 0)
            error = add_edges(type, types->type[i].graph, err);
        else
            qsort(type->message, type->n, sizeof(*type->message), by_task);
    }
    return error;
}

int ports_model_estimate(struct mapcore_estimate *out,
                         const struct ports_model *model,
                         size_t type,
                         const struct mapcore_alloc *alloc,
                         const uint32_t *host,
                         struct mapcore_error *err)
{
    return mapcore_ports_estimate(
        out, model->type[type].message, model->type[type].n, model->ntasks,
        alloc, host, model->ports.level, model->ports.n, err);
}

void ports_model_close(struct ports_model *model)
{
    for (size_t i = 0; i < model->ntypes; i++)
        free(model->type[i].message);
    free(model->type);
    site_ports_clear(&model->ports);
}
