/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ports_model.c - gathers ports and messages */
#include "config.h"

#include "tools/eval/ports_model.h"

#include "base/array.h"
#include "base/hosts.h"
#include "tools/inputs/graph_messages.h"
#include "topo/shape.h"

#include <stdlib.h>
#include <string.h>

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
    const uint64_t longer = line->bytes % line->count;
    /* Of a class the mean; no byte is lost where that is none. */
    struct mapcore_messages message = {
        line->from, line->to, line->bytes / line->count, line->count - longer};
    int error = add(&model->type[type], &message, err);

    message.length++;
    message.count = longer;
    return error == 0 && longer > 0 ? add(&model->type[type], &message, err)
                                    : error;
}

static int read_messages(struct ports_model *model,
                         const struct graph_types *types,
                         const struct graph_source *source)
{
    char *folder = NULL;
    int error = graphs_whole_profile(&folder, source, model->err);

    if (error == 0 && folder)
        error = graph_messages_read(types, folder, take, model);
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

/* Switches by the names that mapcore_port_name has for them. */
static int find_switches(uint32_t **out,
                         uint32_t *n,
                         const struct inputs *inputs,
                         const char *list,
                         struct mapcore_error *err)
{
    static const char before[] = "switch ";
    struct topo_shape shape;
    struct hosts names = {0};
    char name[160];
    int error = hosts_expand(&names, list, err);

    topo_shape(&shape, inputs->topo);
    *n = 0;
    *out = error == 0 ? array_alloc(names.n, sizeof(**out), err) : NULL;
    if (error == 0 && !*out)
        error = MAPCORE_ENOMEM;
    for (size_t i = 0; error == 0 && i < names.n; i++) {
        struct mapcore_port port = {.kind = MAPCORE_PORT_SWITCH};
        bool found = false;

        for (; !found && port.number < shape.nswitches; port.number++) {
            mapcore_port_name(inputs->alloc, port, name, sizeof(name));
            found = strcmp(name + sizeof(before) - 1, names.name[i]) == 0;
        }
        if (!found)
            error = error_set(err, MAPCORE_ENOENT,
                              "ports: there is no switch %.80s", names.name[i]);
        (*out)[(*n)++] = port.number - 1;
    }
    hosts_clear(&names);
    return error;
}

/* Gives the nodes or switches of a list their type. */
static int set_types(uint32_t *type_of,
                     const struct inputs *inputs,
                     bool is_switch,
                     const char *names,
                     uint32_t type,
                     struct mapcore_error *err)
{
    uint32_t *found = NULL, n = 0;
    int error = is_switch ? find_switches(&found, &n, inputs, names, err)
                          : inputs_find_nodes(&found, &n, inputs->topo, names,
                                              "ports", err);

    for (uint32_t i = 0; error == 0 && i < n; i++) {
        if (type_of[found[i]] != 0)
            error = error_set(err, MAPCORE_EINVAL,
                              "ports: a level names one of %.80s twice", names);
        type_of[found[i]] = type;
    }
    free(found);
    return error;
}

/* One level as the model has it: the types of its nodes or switches. */
static int add_level(struct ports_model *model,
                     const struct inputs *inputs,
                     uint32_t i,
                     bool is_switch)
{
    const struct site_port_types *types = &model->site.types[i];
    const uint32_t k = model->ports.n++;
    struct topo_shape shape;
    int error = 0;

    topo_shape(&shape, inputs->topo);
    model->level[k] = model->site.level[i];
    if (types->n < 2)
        return 0;
    model->type_of[k] = array_alloc(
        is_switch ? shape.nswitches : mapcore_topo_nhosts(inputs->topo),
        sizeof(**model->type_of), model->err);
    if (!model->type_of[k])
        return MAPCORE_ENOMEM;
    model->level[k].type_of = model->type_of[k];
    for (size_t t = 1; error == 0 && t < types->n; t++)
        error = set_types(model->type_of[k], inputs, is_switch, types->names[t],
                          (uint32_t)t, model->err);
    return error;
}

/* Of nodes of which nothing is known no level is inside. */
static int add_levels(struct ports_model *model, const struct inputs *inputs)
{
    const uint32_t n = model->site.n;
    uint32_t ninside = 0;
    int error = 0;

    model->level = array_alloc(n, sizeof(*model->level), model->err);
    model->type_of = array_alloc(n, sizeof(*model->type_of), model->err);
    if (!model->level || !model->type_of)
        return MAPCORE_ENOMEM;
    model->ports.level = model->level;
    for (uint32_t i = 0; error == 0 && i < n; i++) {
        const bool is_inside = model->site.level[i].object != NULL;

        if (!is_inside || model->ports.node)
            error = add_level(model, inputs, i, i > ninside + 1);
        ninside += is_inside;
    }
    if (error == 0 && ninside > 0 && !model->ports.node)
        tool_note("ports inside nodes are left out: --node says what a node is "
                  "inside");
    return error;
}

static int check_levels(const struct ports_model *model,
                        const struct inputs *inputs)
{
    uint32_t needed = 0, n = 0;
    int error = mapcore_ports_levels(&needed, inputs->alloc, model->err);

    for (uint32_t i = 0; i < model->site.n; i++)
        n += !model->site.level[i].object;
    return error < 0 || n >= needed
               ? error
               : error_set(model->err, MAPCORE_EINVAL,
                           "%s: ports has %u levels, and the network, from "
                           "tasks to the top switch, %u",
                           inputs->topology, n, needed);
}

static int open_ports(struct ports_model *model, const struct inputs *inputs)
{
    struct site_file *site = NULL;
    int error = 0;

    if (inputs_is_site_file(inputs->topology))
        error = site_read(&site, inputs->topology, model->err);
    if (error == 0 && site)
        error = site_ports_read(&model->site, site, model->err);
    if (error == 0 && model->site.n == 0)
        error = error_set(model->err, MAPCORE_ENOENT,
                          "--model=ports needs a site file with ports as "
                          "--topology");
    if (error == 0 && !inputs->hwnode && site->node)
        error = inputs_open_site_node(&model->node, site, model->err);
    site_close(site);
    model->ports.node = inputs->hwnode ? inputs->hwnode : model->node;
    if (error == 0)
        error = check_levels(model, inputs);
    return error == 0 ? add_levels(model, inputs) : error;
}

int ports_model_open(struct ports_model *model,
                     const struct inputs *inputs,
                     const struct graph_types *types)
{
    int error = mapcore_alloc_by_rail(inputs->alloc) != inputs->alloc
                    ? error_set(model->err, MAPCORE_ENOTSUP,
                                "--model ports knows no rails")
                    : open_ports(model, inputs);

    if (error < 0)
        return error;
    model->type = array_alloc(types->n, sizeof(*model->type), model->err);
    if (!model->type)
        return MAPCORE_ENOMEM;
    model->ntypes = types->n;
    error = read_messages(model, types, &inputs->source);
    for (size_t i = 0; error == 0 && i < types->n; i++) {
        struct port_messages *type = &model->type[i];

        if (type->n == 0)
            error = add_edges(type, types->type[i].graph, model->err);
        else
            qsort(type->message, type->n, sizeof(*type->message), by_task);
    }
    return error;
}

int ports_model_estimate(struct mapcore_estimate *out,
                         const struct ports_model *model,
                         size_t type,
                         const struct mapcore_alloc *alloc,
                         const struct mapcore_mapping *mapping)
{
    return mapcore_ports_estimate(out, model->type[type].message,
                                  model->type[type].n, mapping, alloc,
                                  &model->ports, model->err);
}

void ports_model_close(struct ports_model *model)
{
    for (size_t i = 0; i < model->ntypes; i++)
        free(model->type[i].message);
    for (uint32_t i = 0; model->type_of && i < model->ports.n; i++)
        free(model->type_of[i]);
    free(model->type);
    free(model->level);
    free(model->type_of);
    mapcore_hwnode_destroy(model->node);
    site_ports_clear(&model->site);
}
