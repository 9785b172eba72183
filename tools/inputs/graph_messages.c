/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* graph_messages.c - reads numbers of messages, and adds them and their bytes
 * up by pair */
#include "config.h"

#include "tools/inputs/graph_messages.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/file_read.h"
#include "graph/csr.h"
#include "profiles/profile.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of a phase, or of all together (NULL), for those of their types: messages, or
 * their order. */
struct messages_reading {
    const struct graph_types *types;
    const struct profile_phase *phase;
    graph_messages_take *take;
    graph_messages_take_order *take_order;
    void *arg;
};

/* Its number; false: none of these. */
static bool find_type(size_t *out,
                      const struct messages_reading *reading,
                      const char *type)
{
    const struct graph_types *types = reading->types;

    for (*out = 0; *out < types->n; ++*out)
        if (!types->type[*out].is_large &&
            types->type[*out].phase == reading->phase &&
            strcmp(types->type[*out].type, type) == 0)
            return true;
    return false;
}

static int take_line(void *arg,
                     const struct message_line *line,
                     struct mapcore_error *err)
{
    const struct messages_reading *reading = arg;
    size_t i;

    return line->count > 0 && find_type(&i, reading, line->type)
               ? reading->take(reading->arg, i, line, err)
               : 0;
}

static int take_order(void *arg,
                      const struct message_order *order,
                      struct mapcore_error *err)
{
    const struct messages_reading *reading = arg;
    size_t i;

    return find_type(&i, reading, order->type)
               ? reading->take_order(reading->arg, i, order, err)
               : 0;
}

static int read_file(struct messages_reading *reading,
                     const char *folder,
                     struct mapcore_error *err)
{
    const size_t n = strlen(folder);
    const uint32_t ntasks = reading->types->profile->ntasks;
    struct buffer path = {.err = err};
    struct text *text = NULL;
    int error;

    buffer_printf(&path, "%s%smessages", folder,
                  n > 0 && folder[n - 1] != '/' ? "/" : "");
    if (reading->phase)
        buffer_printf(&path, ".phase%u", reading->phase->phase);
    if ((error = path.error) == 0 && access(path.bytes, F_OK) == 0)
        error =
            text_open_kind(&text, path.bytes, FILE_REGULAR | FILE_NO_LINK, err);
    if (text && error == 0)
        error = reading->take
                    ? message_lines_read(text, ntasks, take_line, reading)
                    : message_order_read(text, ntasks, take_order, reading);
    text_close(text);
    buffer_clear(&path);
    return error;
}

static int read_files(struct messages_reading *reading,
                      const char *folder,
                      struct mapcore_error *err)
{
    const struct graph_types *types = reading->types;
    int error = read_file(reading, folder, err);

    for (size_t i = 0;
         error == 0 && types->has_phases && i < types->profile->nphases; i++) {
        reading->phase = &types->profile->phases[i];
        error = read_file(reading, folder, err);
    }
    return error;
}

int graph_messages_read(const struct graph_types *types,
                        const char *folder,
                        graph_messages_take *take,
                        void *arg)
{
    struct messages_reading reading = {
        .types = types, .take = take, .arg = arg};

    return read_files(&reading, folder, types->err);
}

int graph_messages_read_order(const struct graph_types *types,
                              const char *folder,
                              graph_messages_take_order *take,
                              void *arg)
{
    struct messages_reading reading = {
        .types = types, .take_order = take, .arg = arg};

    return read_files(&reading, folder, types->err);
}

/* ---- numbers by pair */

struct pair_counts {
    const struct graph_types *types;
    struct type_counts {
        struct mapcore_flow *flow; /* [n] */
        size_t n, capacity;
    } * type; /* [types->n] */
};

static int by_pair(const void *x, const void *y)
{
    const struct mapcore_flow *a = x, *b = y;

    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

static void add_capped(uint64_t *sum, uint64_t n)
{
    if (__builtin_add_overflow(*sum, n, sum))
        *sum = UINT64_MAX;
}

/* A flow of the pair of the last one is added to it. */
static void add_flow(struct type_counts *counts,
                     const struct mapcore_flow *flow)
{
    struct mapcore_flow *last =
        counts->n > 0 ? &counts->flow[counts->n - 1] : NULL;

    if (!last || by_pair(last, flow) != 0) {
        counts->flow[counts->n++] = *flow;
        return;
    }
    add_capped(&last->bytes, flow->bytes);
    add_capped(&last->messages, flow->messages);
}

static int add_line(void *arg,
                    size_t type,
                    const struct message_line *line,
                    struct mapcore_error *err)
{
    struct pair_counts *counts = arg;
    struct type_counts *of = &counts->type[type];
    const struct mapcore_flow flow = {line->from, line->to,
                                      line->from == line->to ? 0 : line->bytes,
                                      line->count};
    int error;

    if (counts->types->type[type].phases)
        return 0;
    error = array_reserve(&of->flow, &of->capacity, of->n + 1,
                          sizeof(*of->flow), err);
    if (error == 0)
        add_flow(of, &flow);
    return error;
}

/* Messages of all sizes of a pair are one flow. */
static int make_phase(struct mapcore_phases **out,
                      struct type_counts *counts,
                      uint32_t ntasks,
                      struct mapcore_error *err)
{
    uint32_t *phase = array_alloc(counts->n, sizeof(*phase), err);
    const size_t n = counts->n;
    size_t sorted = 1;
    int error;

    if (!phase)
        return MAPCORE_ENOMEM;
    /* The recorder writes them in order. */
    while (sorted < n &&
           by_pair(&counts->flow[sorted - 1], &counts->flow[sorted]) < 0)
        sorted++;
    if (sorted < n)
        qsort(counts->flow, n, sizeof(*counts->flow), by_pair);
    counts->n = 0;
    for (size_t i = 0; i < n; i++)
        add_flow(counts, &counts->flow[i]);
    error =
        mapcore_phases_create(out, ntasks, counts->flow, phase, counts->n, err);
    free(phase);
    return error;
}

/* Whether what each task sends and gets is what its edges in the graph carry.
 */
static int find_directed(bool *out,
                         const struct mapcore_phases *messages,
                         const struct mapcore_graph *graph,
                         struct mapcore_error *err)
{
    uint64_t *left = array_alloc(graph->ntasks, sizeof(*left), err);

    if (!left)
        return MAPCORE_ENOMEM;
    for (size_t k = 0; k < messages->first[messages->n]; k++) {
        left[messages->flow[k].from] += messages->flow[k].bytes;
        left[messages->flow[k].to] += messages->flow[k].bytes;
    }
    *out = true;
    for (uint32_t t = 0; t < graph->ntasks; t++) {
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++)
            left[t] -= graph->bytes[k];
        *out = *out && left[t] == 0;
    }
    free(left);
    return 0;
}

int graph_messages_open(struct graph_types *types, const char *folder)
{
    struct pair_counts counts = {.types = types};
    bool is_needed = false;
    int error;

    for (size_t i = 0; i < types->n; i++)
        is_needed = is_needed || !types->type[i].phases;
    if (!is_needed)
        return 0;
    counts.type = array_alloc(types->n, sizeof(*counts.type), types->err);
    if (!counts.type)
        return MAPCORE_ENOMEM;
    error = graph_messages_read(types, folder, add_line, &counts);
    for (size_t i = 0; error == 0 && i < types->n; i++) {
        struct graph_type *type = &types->type[i];

        if (counts.type[i].n == 0)
            continue;
        error = make_phase(&type->messages, &counts.type[i],
                           types->profile->ntasks, types->err);
        if (error == 0)
            error = find_directed(&type->is_directed, type->messages,
                                  type->graph, types->err);
    }
    for (size_t i = 0; i < types->n; i++)
        free(counts.type[i].flow);
    free(counts.type);
    return error;
}
