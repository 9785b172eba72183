/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* search_trace.c - keeps the moments at which a search got better */
#include "config.h"

#include "tools/draw/search_trace.h"

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
    trace->moment[trace->n++] =
        (struct search_moment){.seconds = now - trace->start,
                               .work = work,
                               .hops_per_byte = best->hops_per_byte};
}
