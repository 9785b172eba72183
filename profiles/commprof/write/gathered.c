/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gathered.c - adds up what tasks have counted */
#include "config.h"

#include "commprof/write/gathered.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

void gathered_clear(struct gathered *all)
{
    free(all->stats);
    free(all->records);
    messages_clear(&all->messages);
    memset(all, 0, sizeof(*all));
}

/* Of group_pack's words. */
static void rename_records(const uint32_t phase[PHASES_MOST],
                           uint32_t *records,
                           size_t n)
{
    enum { WORDS = sizeof(struct collective) / sizeof(*records) };
    struct collective one;

    for (size_t at = 0; at < n;) {
        const uint32_t members = records[at], ncollectives = records[at + 1];

        at += 2 + (size_t)members;
        for (uint32_t i = 0; i < ncollectives; i++, at += WORDS) {
            memcpy(&one, records + at, sizeof(one));
            one.phase = (uint16_t)phase[one.phase];
            memcpy(records + at, &one, sizeof(one));
        }
    }
}

void gathered_rename(const uint32_t phase[PHASES_MOST],
                     struct call_stats *stats,
                     size_t nstats,
                     struct messages *messages,
                     uint32_t *records,
                     size_t nrecords)
{
    for (size_t i = 0; i < nstats; i++)
        stats[i].phase = (uint8_t)phase[stats[i].phase];
    for (size_t i = 0; i < messages->n; i++)
        messages->message[i].phase =
            (uint16_t)phase[messages->message[i].phase];
    rename_records(phase, records, nrecords);
    messages_sort(messages);
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

int gathered_add_records(struct gathered *all,
                         const uint32_t *records,
                         size_t n)
{
    if (n > COLLECTIVE_RECORDS_MOST - all->nrecords) {
        all->records_lost++;
        return 0;
    }
    if (n == 0)
        return 0;
    uint32_t *both = array_alloc(all->nrecords + n, sizeof(*both), NULL);
    if (!both)
        return MAPCORE_ENOMEM;
    if (all->nrecords > 0)
        memcpy(both, all->records, all->nrecords * sizeof(*both));
    memcpy(both + all->nrecords, records, n * sizeof(*both));
    free(all->records);
    all->records = both;
    all->nrecords += n;
    return 0;
}
