/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* graph_messages.c - reads numbers of messages, and adds them up by pair */
#include "config.h"

#include "tools/common/graph_messages.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/file_read.h"
#include "profiles/profile.h"
#include "profiles/profile_phase.h"

#include <inttypes.h>
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
        if (types->type[*out].phase == reading->phase &&
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
    struct buffer path = {0};
    struct text *text = NULL;
    int error = buffer_printf(&path, err, "%s%smessages", folder,
                              n > 0 && folder[n - 1] != '/' ? "/" : "");

    if (error == 0 && reading->phase)
        error =
            buffer_printf(&path, err, ".phase%" PRIu32, reading->phase->phase);
    if (error == 0 && access(path.bytes, F_OK) == 0)
        error =
            text_open_kind(&text, path.bytes, FILE_REGULAR | FILE_NO_LINK, err);
    if (text && error == 0)
        error =
            reading->take
                ? message_lines_read(text, ntasks, take_line, reading, err)
                : message_order_read(text, ntasks, take_order, reading, err);
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
                        void *arg,
                        struct mapcore_error *err)
{
    struct messages_reading reading = {
        .types = types, .take = take, .arg = arg};

    return read_files(&reading, folder, err);
}

int graph_messages_read_order(const struct graph_types *types,
                              const char *folder,
                              graph_messages_take_order *take,
                              void *arg,
                              struct mapcore_error *err)
{
    struct messages_reading reading = {
        .types = types, .take_order = take, .arg = arg};

    return read_files(&reading, folder, err);
}

/* ---- numbers by pair */

struct pair_counts {
    const struct graph_types *types;
    struct type_counts {
        struct mapcore_flow *flow; /* [n] */
        size_t n, capacity;
    } * type; /* [types->n] */
};

static int add_line(void *arg,
                    size_t type,
                    const struct message_line *line,
                    struct mapcore_error *err)
{
    struct pair_counts *counts = arg;
    struct type_counts *of = &counts->type[type];
    int error;

    if (counts->types->type[type].phases)
        return 0;
    error = array_reserve(&of->flow, &of->capacity, of->n + 1,
                          sizeof(*of->flow), err);
    if (error == 0)
        of->flow[of->n++] = (struct mapcore_flow){
            .from = line->from, .to = line->to, .messages = line->count};
    return error;
}

static int by_pair(const void *x, const void *y)
{
    const struct mapcore_flow *a = x, *b = y;

    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

/* Messages of all sizes of a pair are one flow. */
static int make_phase(struct mapcore_phases **out,
                      struct type_counts *counts,
                      uint32_t ntasks,
                      struct mapcore_error *err)
{
    uint32_t *phase = array_alloc(counts->n, sizeof(*phase), err);
    size_t n = 0;
    int error;

    if (!phase)
        return MAPCORE_ENOMEM;
    qsort(counts->flow, counts->n, sizeof(*counts->flow), by_pair);
    for (size_t i = 0; i < counts->n; i++) {
        const struct mapcore_flow *flow = &counts->flow[i];

        if (n == 0 || by_pair(&counts->flow[n - 1], flow) != 0)
            counts->flow[n++] = *flow;
        else if (__builtin_add_overflow(counts->flow[n - 1].messages,
                                        flow->messages,
                                        &counts->flow[n - 1].messages))
            counts->flow[n - 1].messages = UINT64_MAX;
    }
    error = mapcore_phases_create(out, ntasks, counts->flow, phase, n, err);
    free(phase);
    return error;
}

int graph_messages_open(struct graph_types *types,
                        const char *folder,
                        struct mapcore_error *err)
{
    struct pair_counts counts = {.types = types};
    int error;

    counts.type = array_alloc(types->n, sizeof(*counts.type), err);
    if (!counts.type)
        return MAPCORE_ENOMEM;
    error = graph_messages_read(types, folder, add_line, &counts, err);
    for (size_t i = 0; error == 0 && i < types->n; i++)
        if (counts.type[i].n > 0)
            error = make_phase(&types->type[i].messages, &counts.type[i],
                               types->profile->ntasks, err);
    for (size_t i = 0; i < types->n; i++)
        free(counts.type[i].flow);
    free(counts.type);
    return error;
}

static int note_unknown(const struct graph_types *types,
                        struct mapcore_error *err)
{
    struct buffer names = {0};
    int error = 0;

    for (size_t i = 0; error == 0 && i < types->n; i++)
        if (!types->type[i].phases && !types->type[i].messages)
            error = buffer_printf(&names, err, "%s%s", names.n > 0 ? ", " : "",
                                  types->type[i].name);
    if (error == 0 && names.n > 0)
        tool_note("latency and the time of messages are left out where their "
                  "number is not known: %s",
                  names.bytes);
    buffer_clear(&names);
    return error;
}

int graph_messages_open_source(struct graph_types *types,
                               const struct graph_source *source,
                               const struct mapcore_host_rates *rates,
                               struct mapcore_error *err)
{
    char *folder = NULL;
    int error;

    if (!mapcore_message_costs_known(&rates->message))
        return 0;
    error = graphs_whole_profile(&folder, source, err);
    if (error == 0 && folder)
        error = graph_messages_open(types, folder, err);
    free(folder);
    return error == 0 ? note_unknown(types, err) : error;
}
