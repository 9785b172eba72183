/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* traffic.c - pairs of tasks out of a graph, of the file `messages` of a
 * profile, or of the graphs and seconds of its types */
#include "config.h"

#include "tools/draw/traffic.h"

#include "base/array.h"
#include "base/text.h"
#include "profiles/catalogue/catalogue_names.h"
#include "profiles/message_lines.h"
#include "profiles/profile.h"
#include "tools/inputs/graphs.h"

#include <stdlib.h>
#include <string.h>

static int add_pair(struct traffic *traffic,
                    uint32_t a,
                    uint32_t b,
                    double value)
{
    int error =
        array_reserve(&traffic->pair, &traffic->capacity, traffic->n + 1,
                      sizeof(*traffic->pair), traffic->err);

    if (error == 0 && a != b && value > 0)
        traffic->pair[traffic->n++] = (struct traffic_pair){
            .a = a < b ? a : b, .b = a < b ? b : a, .value = value};
    return error;
}

static int add_graph(struct traffic *traffic,
                     const struct mapcore_graph *graph,
                     double factor)
{
    const uint32_t *peers;
    const uint64_t *bytes;
    int error = 0;

    for (uint32_t a = 0; a < mapcore_graph_ntasks(graph); a++) {
        const size_t n = mapcore_graph_neighbours(graph, a, &peers, &bytes);

        for (size_t i = 0; error == 0 && i < n; i++)
            if (peers[i] > a)
                error =
                    add_pair(traffic, a, peers[i], factor * (double)bytes[i]);
    }
    return error;
}

int traffic_from_graph(struct traffic *out, const struct mapcore_graph *graph)
{
    *out = (struct traffic){.err = out->err,
                            .ntasks = mapcore_graph_ntasks(graph),
                            .unit = AMOUNT_BYTES};
    return add_graph(out, graph, 1);
}

static int read_messages(const char *folder,
                         uint32_t ntasks,
                         message_line_take *take,
                         void *arg,
                         struct mapcore_error *err)
{
    struct text *text = NULL;
    int error = catalogue_open_text(&text, folder, "messages", err);

    if (error == 0)
        error = message_lines_read(text, ntasks, take, arg);
    text_close(text);
    return error;
}

struct messages_wanted {
    struct traffic *traffic;
    const char *type;
};

static int take_pair(void *arg,
                     const struct message_line *line,
                     struct mapcore_error *err)
{
    const struct messages_wanted *wanted = arg;

    (void)err;
    if (wanted->type && strcmp(line->type, wanted->type) != 0)
        return 0;
    return add_pair(wanted->traffic, line->from, line->to, (double)line->count);
}

int traffic_read_messages(struct traffic *out,
                          uint32_t ntasks,
                          const char *folder,
                          const char *type)
{
    struct messages_wanted wanted = {.traffic = out, .type = type};
    int error;

    *out = (struct traffic){
        .err = out->err, .ntasks = ntasks, .unit = AMOUNT_MESSAGES};
    error = read_messages(folder, ntasks, take_pair, &wanted, out->err);
    if (error == 0 && type && out->n == 0)
        error =
            error_set(out->err, MAPCORE_ENOENT,
                      "%s has counted no messages of type '%s'", folder, type);
    return error;
}

int traffic_share_seconds(struct traffic *out,
                          const char *folder,
                          const char *type)
{
    struct graph_types types;
    bool found = false;
    int error = graphs_open_profile_types(&types, folder, out->err);

    *out = (struct traffic){.err = out->err, .unit = AMOUNT_SECONDS};
    if (error == 0)
        out->ntasks = types.profile->ntasks;
    for (size_t i = 0; error == 0 && i < types.n; i++) {
        const struct graph_type *t = &types.type[i];
        const double bytes = (double)mapcore_graph_bytes(t->graph);

        if ((type && strcmp(t->type, type) != 0 &&
             strcmp(t->name, type) != 0) ||
            bytes <= 0)
            continue;
        found = true;
        error = add_graph(out, t->graph, t->seconds * out->ntasks / bytes);
    }
    if (error == 0 && !found)
        error = error_set(out->err, MAPCORE_ENOENT,
                          "%s has no graph of type '%s' with time of its own",
                          folder, type ? type : "any");
    graphs_clear_types(&types);
    return error;
}

void traffic_clear(struct traffic *traffic)
{
    free(traffic->pair);
    *traffic = (struct traffic){0};
}

static int take_size(void *arg,
                     const struct message_line *line,
                     struct mapcore_error *err)
{
    double *count = arg;
    unsigned i = 0;

    (void)err;
    while (i + 1 < TRAFFIC_SIZES && line->smallest >> i != 0)
        i++;
    count[i] += (double)line->count;
    return 0;
}

int traffic_read_sizes(double count[TRAFFIC_SIZES],
                       uint32_t ntasks,
                       const char *folder,
                       struct mapcore_error *err)
{
    for (int i = 0; i < TRAFFIC_SIZES; i++)
        count[i] = 0;
    return read_messages(folder, ntasks, take_size, count, err);
}
