/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ports_model.c - gathers ports and messages */
#include "config.h"

#include "tools/ports_model.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/text.h"
#include "profiles/message_lines.h"
#include "profiles/profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int by_task(const void *x, const void *y)
{
    const struct mapcore_messages *a = x, *b = y;

    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return (a->length > b->length) - (a->length < b->length);
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

/* Of a phase, or of all together (NULL), into those of their types. */
struct taking {
    struct ports_model *model;
    const struct graph_types *types;
    const struct profile_phase *phase;
};

static int take(void *arg,
                const struct message_line *line,
                struct mapcore_error *err)
{
    const struct taking *taking = arg;
    const struct graph_types *types = taking->types;

    for (size_t i = 0; i < types->n && line->count > 0; i++) {
        const struct mapcore_messages message = {
            line->from, line->to, line->bytes / line->count, line->count};

        if (types->type[i].phase == taking->phase &&
            strcmp(types->type[i].type, line->type) == 0)
            return add(&taking->model->type[i], &message, err);
    }
    return 0;
}

static int read_messages(struct ports_model *model,
                         const struct graph_types *types,
                         const char *profile,
                         const struct profile_phase *phase,
                         struct mapcore_error *err)
{
    static const char last[] = "profile.json";
    size_t n = strlen(profile), end = sizeof(last) - 1;
    struct taking taking = {model, types, phase};
    struct buffer path = {0};
    struct text *text = NULL;
    int error;

    if (n >= end && strcmp(profile + n - end, last) == 0)
        n -= end;
    error = buffer_printf(&path, err, "%.*s%smessages", (int)n, profile,
                          n > 0 && profile[n - 1] != '/' ? "/" : "");
    if (error == 0 && phase)
        error = buffer_printf(&path, err, ".phase%" PRIu32, phase->phase);
    if (error == 0 && access(path.bytes, F_OK) == 0)
        error = text_open(&text, path.bytes, err);
    if (text && error == 0)
        error = message_lines_read(text, model->ntasks, take, &taking, err);
    text_close(text);
    buffer_clear(&path);
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
    if (types->profile)
        error = read_messages(model, types, inputs->source.path, NULL, err);
    for (size_t i = 0;
         error == 0 && types->has_phases && i < types->profile->nphases; i++)
        error = read_messages(model, types, inputs->source.path,
                              &types->profile->phases[i], err);
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
