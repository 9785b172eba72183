/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* search_trace.c - keeps the moments at which a search got better */
#include "config.h"

#include "tools/draw/search_trace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void thin(struct search_trace *trace)
{
    size_t n = 1;

    for (size_t i = 2; i < trace->n; i += 2)
        trace->moment[n++] = trace->moment[i];
    trace->n = n;
}

void search_trace_add(struct search_trace *trace,
                      double now,
                      uint64_t work,
                      const struct mapcore_metrics *best)
{
    trace->work = work > trace->work ? work : trace->work;
    if (!best ||
        (trace->n > 0 &&
         best->hops_per_byte >= trace->moment[trace->n - 1].hops_per_byte))
        return;
    if (trace->n == SEARCH_MOMENTS)
        thin(trace);
    trace->moment[trace->n] =
        (struct search_moment){.seconds = now - trace->start,
                               .work = work,
                               .hops_per_byte = best->hops_per_byte};
    if (!(trace->last_hops < best->hops_per_byte) &&
        !(trace->last_hops > best->hops_per_byte))
        memcpy(trace->moment[trace->n].mapper, trace->last, SEARCH_MAPPER);
    trace->n++;
}

/* The lane of a mapper; NULL: there is none left. */
static struct search_lane *find_lane(struct search_trace *trace,
                                     const char *mapper)
{
    size_t i = 0;

    while (i < trace->nlanes && strcmp(trace->lane[i].mapper, mapper) != 0)
        i++;
    if (i == SEARCH_LANES)
        return NULL;
    if (i == trace->nlanes) {
        trace->lane[i] = (struct search_lane){.best = HUGE_VAL};
        memcpy(trace->lane[i].mapper, mapper, SEARCH_MAPPER);
        trace->nlanes++;
    }
    return &trace->lane[i];
}

void search_trace_came(struct search_trace *trace,
                       double now,
                       const char *candidate,
                       bool is_refined,
                       const struct mapcore_metrics *metrics)
{
    struct search_lane *lane;

    memset(trace->last, 0, sizeof(trace->last));
    snprintf(trace->last, sizeof(trace->last), "%.*s%s",
             (int)strcspn(candidate, ":"), candidate,
             is_refined ? ", refined" : "");
    trace->last_hops = metrics->hops_per_byte;
    if (!(lane = find_lane(trace, trace->last)))
        return;
    lane->n++;
    /* The best of a lane is shown, whenever it comes. */
    if (lane->nticks == SEARCH_TICKS && metrics->hops_per_byte < lane->best)
        lane->nticks--;
    if (lane->nticks < SEARCH_TICKS)
        lane->tick[lane->nticks++] =
            (struct search_tick){now - trace->start, metrics->hops_per_byte};
    if (metrics->hops_per_byte < lane->best)
        lane->best = metrics->hops_per_byte;
}
