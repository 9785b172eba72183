/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gathered.c - adds up what tasks have counted, and how long they took */
#include "config.h"

#include "commprof/write/gathered.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

enum { COLLECTIVE_WORDS = sizeof(struct collective) / sizeof(uint32_t) };

void gathered_clear(struct gathered *all)
{
    free(all->stats);
    free(all->records);
    messages_clear(&all->messages);
    memset(all, 0, sizeof(*all));
}

size_t gathered_read_record(struct collective *out,
                            const uint32_t **member,
                            uint32_t *n,
                            const uint32_t *records)
{
    *n = records[0];
    *member = records + 1;
    memcpy(out, records + 1 + *n, sizeof(*out));
    return 1 + (size_t)*n + COLLECTIVE_WORDS;
}

/* Its regions have other numbers in all, by phase. */
static void rename_phases(const uint32_t phase[PHASES_MOST],
                          struct gathered *more)
{
    for (size_t i = 0; i < more->nstats; i++)
        more->stats[i].phase = (uint8_t)phase[more->stats[i].phase];
    for (size_t i = 0; i < more->messages.n; i++)
        more->messages.message[i].phase =
            (uint16_t)phase[more->messages.message[i].phase];
    for (size_t at = 0; at < more->nrecords;) {
        struct collective one;
        const uint32_t *member;
        uint32_t n;

        at += gathered_read_record(&one, &member, &n, more->records + at);
        one.phase = (uint16_t)phase[one.phase];
        memcpy(more->records + at - COLLECTIVE_WORDS, &one, sizeof(one));
    }
    messages_sort(&more->messages);
}

int gathered_add_stats(struct gathered *all,
                       const struct call_stats *stats,
                       size_t n)
{
    struct call_stats *both = array_alloc(all->nstats + n, sizeof(*both), NULL);
    size_t last = 0, total = all->nstats + n;

    if (!both)
        return MAPCORE_ENOMEM;
    if (all->nstats > 0)
        memcpy(both, all->stats, all->nstats * sizeof(*both));
    if (n > 0)
        memcpy(both + all->nstats, stats, n * sizeof(*both));
    qsort(both, total, sizeof(*both), call_stats_compare);
    for (size_t i = 1; i < total; i++)
        if (call_stats_compare(&both[last], &both[i]) == 0)
            call_stats_add(&both[last], &both[i]);
        else
            both[++last] = both[i];
    free(all->stats);
    all->stats = both;
    all->nstats = total > 0 ? last + 1 : 0;
    return 0;
}

/* Room for n words more; false, and lost: there would be too many. */
static int add_words(uint32_t **out, struct gathered *all, size_t n)
{
    *out = NULL;
    if (n > COLLECTIVE_RECORDS_MOST - all->nrecords) {
        all->records_lost++;
        return 0;
    }
    if (array_reserve(&all->records, &all->records_capacity, all->nrecords + n,
                      sizeof(**out), NULL) < 0)
        return MAPCORE_ENOMEM;
    *out = all->records + all->nrecords;
    all->nrecords += n;
    return 0;
}

int gathered_add_collective(struct gathered *all,
                            const uint32_t *member,
                            uint32_t n,
                            const struct collective *collective)
{
    uint32_t *words;
    int error = add_words(&words, all, 1 + (size_t)n + COLLECTIVE_WORDS);

    if (error < 0 || !words)
        return error;
    words[0] = n;
    if (n > 0)
        memcpy(words + 1, member, n * sizeof(*words));
    memcpy(words + 1 + n, collective, sizeof(*collective));
    return 0;
}

static int add_records(struct gathered *all, const struct gathered *more)
{
    uint32_t *words;
    int error = add_words(&words, all, more->nrecords);

    if (error == 0 && words && more->nrecords > 0)
        memcpy(words, more->records, more->nrecords * sizeof(*words));
    return error;
}

void gathered_add(struct gathered *all, struct gathered *more)
{
    uint32_t phase[PHASES_MOST];

    if (region_names_add(&all->regions, phase, &more->regions) &&
        more->status == GATHER_OK)
        rename_phases(phase, more);
    if (all->status == GATHER_OK)
        all->status = more->status;
    all->hosts += more->hosts;
    all->has_nccl |= more->has_nccl;
    all->records_lost += more->records_lost;
    task_times_add(&all->times, &more->times);
    if (all->status == GATHER_OK &&
        (gathered_add_stats(all, more->stats, more->nstats) < 0 ||
         add_records(all, more) < 0 ||
         messages_merge(&all->messages, more->messages.message,
                        more->messages.n) < 0))
        all->status = GATHER_MEMORY;
    gathered_clear(more);
}

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
