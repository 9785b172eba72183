/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* task_times.c - the longest and the shortest of tasks, added up */
#include "config.h"

#include "commprof/write/task_times.h"

static void spend(struct task_span *span, uint64_t ns)
{
    span->most_ns = span->least_ns = record_sum(span->most_ns, ns);
}

void task_times_spend(struct task_times *one, const struct call_stats *stats)
{
    if (stats->type >= NTYPES)
        return;
    spend(&one->span[stats->type], stats->ns);
    spend(&one->span[TASK_TIMES_ALL], stats->ns);
}

void task_times_begin(struct task_times *out,
                      uint32_t rank,
                      const struct call_stats *stats,
                      size_t n)
{
    *out = (struct task_times){.ntasks = 1};
    for (size_t i = 0; i <= NTYPES; i++)
        out->span[i].most_task = out->span[i].least_task = rank;
    for (size_t i = 0; i < n; i++)
        task_times_spend(out, &stats[i]);
}

static void add_span(struct task_span *sum, const struct task_span *more)
{
    if (more->most_ns > sum->most_ns ||
        (more->most_ns == sum->most_ns && more->most_task < sum->most_task)) {
        sum->most_ns = more->most_ns;
        sum->most_task = more->most_task;
    }
    if (more->least_ns < sum->least_ns ||
        (more->least_ns == sum->least_ns &&
         more->least_task < sum->least_task)) {
        sum->least_ns = more->least_ns;
        sum->least_task = more->least_task;
    }
}

void task_times_add(struct task_times *sum, const struct task_times *more)
{
    if (more->ntasks == 0)
        return;
    if (sum->ntasks == 0) {
        *sum = *more;
        return;
    }
    sum->ntasks += more->ntasks;
    for (size_t i = 0; i <= NTYPES; i++)
        add_span(&sum->span[i], &more->span[i]);
}
