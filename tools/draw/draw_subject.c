/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* draw_subject.c - opens what is to be drawn */
#include "config.h"

#include "tools/draw/draw_subject.h"

#include "base/array.h"
#include "base/text.h"
#include "grid/grid_make.h"
#include "tools/search/timed_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_THREADS = 64,
    EVENTS_MOST = 1 << 16, /* of a search, that are drawn */
};

/* Sets folder where the operand means a profile, and the source to it. */
static int find_profile(struct draw_subject *subject)
{
    int error;

    subject->inputs.source.catalogues = &subject->catalogues;
    subject->inputs.source.config = subject->config;
    error = graphs_find_profile(&subject->folder, &subject->inputs.source,
                                subject->err);
    if (error == 0 && subject->folder) {
        subject->inputs.source.path = subject->folder;
        error = profile_read(&subject->profile, subject->folder, subject->err);
    }
    return error;
}

static int open_side(struct draw_subject *subject, const char *word)
{
    return eval_mapping_open(&subject->side[subject->nsides++], word,
                             &subject->inputs, subject->err);
}

/* What cannot be kept is not drawn. */
static struct search_event *add_event(struct search_trace *trace,
                                      double hops_per_byte)
{
    struct search_event *event;

    if (trace->n == EVENTS_MOST ||
        array_reserve(&trace->event, &trace->capacity, trace->n + 1,
                      sizeof(*trace->event), NULL) < 0)
        return NULL;
    event = &trace->event[trace->n++];
    *event = (struct search_event){.seconds = tool_now() - trace->start,
                                   .hops_per_byte = hops_per_byte};
    return event;
}

static void came(void *arg,
                 const char *candidate,
                 bool is_refined,
                 const struct mapcore_metrics *metrics)
{
    struct search_event *event = add_event(arg, metrics->hops_per_byte);

    if (event)
        snprintf(event->mapper, sizeof(event->mapper), "%.*s%s",
                 (int)strcspn(candidate, ":"), candidate,
                 is_refined ? ", refined" : "");
}

static void trace(void *arg, uint64_t work, const struct mapcore_metrics *best)
{
    struct search_trace *trace = arg;
    struct search_event *event;

    trace->work = work > trace->work ? work : trace->work;
    if (!best || best->hops_per_byte >= trace->best ||
        !(event = add_event(trace, best->hops_per_byte)))
        return;
    event->work = work;
    trace->best = best->hops_per_byte;
}

/* What topomap map finds in that time. */
static int search_side(struct draw_subject *subject)
{
    const struct timed_search which = {.graph = subject->inputs.graph,
                                       .alloc = subject->inputs.alloc,
                                       .deadline =
                                           tool_now() + subject->seconds,
                                       .progress = true,
                                       .told = trace,
                                       .came = came,
                                       .told_arg = &subject->search};
    struct mapcore_search search = {
        .seed = 1,
        .threads = tool_cpus(MAX_THREADS),
        .node = subject->inputs.hwnode,
    };
    struct mapcore_result result = {0};
    int error;

    subject->search.start = tool_now();
    subject->search.best = HUGE_VAL;
    error = timed_search_run(&result, NULL, &which, &search, subject->err);
    if (error == 0) {
        trace(&subject->search, result.work, &result.metrics);
        subject->search.seconds = tool_now() - subject->search.start;
        timed_search_print_mapper(subject->search.mapper, &result);
        error = eval_mapping_take(&subject->side[subject->nsides++], "topomap",
                                  result.mapping, &subject->inputs,
                                  MAPCORE_ROUTES_STATIC, subject->err);
        result.mapping = NULL;
    }
    mapcore_result_clear(&result);
    return error;
}

static int open_sides(struct draw_subject *subject)
{
    const struct tool_list *words = &subject->mappings;
    const size_t n = words->n > 0 ? words->n : 2;
    int error = 0;

    subject->side = array_alloc(n, sizeof(*subject->side), subject->err);
    if (!subject->side)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; error == 0 && i < words->n; i++)
        error = open_side(subject, words->item[i]);
    if (words->n > 0)
        return error;
    error = open_side(subject, "block");
    return error < 0 ? error : search_side(subject);
}

int draw_subject_open(struct draw_subject *subject)
{
    int error;

    if ((error = find_profile(subject)) < 0)
        return error;
    if (!subject->inputs.topology)
        return graphs_open(&subject->inputs.graph, &subject->inputs.source,
                           subject->err);
    error = inputs_open(&subject->inputs, subject->err);
    return error < 0 ? error : open_sides(subject);
}

int draw_subject_open_profile(struct draw_subject *subject)
{
    int error = find_profile(subject);

    if (error == 0 && !subject->profile)
        error = error_set(subject->err, MAPCORE_EINVAL,
                          "%s is a task graph: a profile is wanted, APP:NTASKS "
                          "or a folder",
                          subject->inputs.source.path);
    return error;
}

void draw_subject_close(struct draw_subject *subject)
{
    for (size_t i = 0; i < subject->nsides; i++)
        eval_mapping_clear(&subject->side[i]);
    free(subject->side);
    free(subject->search.event);
    inputs_close(&subject->inputs);
    profile_destroy(subject->profile);
    free(subject->folder);
    free(subject->mappings.item);
    free(subject->catalogues.item);
    *subject = (struct draw_subject){0};
}

const char *draw_subject_name(const struct draw_subject *subject)
{
    const char *path = subject->inputs.source.path;

    if (subject->profile)
        return subject->profile->program;
    return mapcore_pattern_is(path) ? path : text_last_part(path);
}
