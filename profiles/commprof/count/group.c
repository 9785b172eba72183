/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* group.c - sets of tasks in a hash table, with their collectives */
#include "config.h"

#include "commprof/count/group.h"

#include "commprof/count/keep.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* A program that makes a communicator of new members all the time must not eat
 * the memory: 16 MiB at most are spent on member lists. */
enum { NCHAINS = 256, MOST_WORDS = 4 << 20 };
static struct group *chains[NCHAINS];
static size_t words;
static uint64_t ngroups;
static bool refused;

struct group *group_get(const uint32_t *member, uint32_t n)
{
    uint64_t hash = 0xCBF29CE484222325u; /* FNV-1a, by words */
    for (uint32_t i = 0; i < n; i++)
        hash = (hash ^ member[i]) * 0x100000001B3u;
    struct group **link = &chains[(hash ^ hash >> 32) % NCHAINS];

    for (; *link; link = &(*link)->next)
        if ((*link)->n == n && (n == 0 || memcmp((*link)->member, member,
                                                 n * sizeof(*member)) == 0))
            return *link;
    struct group *made =
        words + n > MOST_WORDS
            ? NULL
            : keep_alloc(KEPT_GROUP,
                         sizeof(*made) + (size_t)n * sizeof(*member));
    if (!made) {
        refused = true;
        return NULL;
    }
    words += n + sizeof(*made) / sizeof(*member);
    made->n = n;
    made->number = ngroups++;
    if (n > 0)
        memcpy(made->member, member, n * sizeof(*member));
    return *link = made;
}

struct collective *group_collective(struct group *group,
                                    enum call_type type,
                                    uint32_t phase,
                                    uint32_t root)
{
    struct collective_record *record;

    for (record = group->records; record; record = record->next)
        if (record->collective.type == type &&
            record->collective.phase == phase &&
            record->collective.root == root)
            return &record->collective;
    if (!(record = keep_alloc(KEPT_COLLECTIVE, sizeof(*record))))
        return NULL;
    record->collective.type = (uint16_t)type;
    record->collective.phase = (uint16_t)phase;
    record->collective.root = root;
    record->group = group->number;
    record->next = group->records;
    group->records = record;
    return &record->collective;
}

static uint32_t count_records(const struct group *group)
{
    uint32_t n = 0;
    for (const struct collective_record *record = group->records; record;
         record = record->next)
        n += record->collective.calls > 0;
    return n;
}

static size_t pack_one(uint32_t *out,
                       const struct group *group,
                       uint32_t nrecords)
{
    enum { COLLECTIVE_WORDS = sizeof(struct collective) / sizeof(*out) };
    size_t at = 2;

    out[0] = group->n;
    out[1] = nrecords;
    if (group->n > 0)
        memcpy(out + at, group->member, group->n * sizeof(*out));
    at += group->n;
    for (const struct collective_record *record = group->records; record;
         record = record->next)
        if (record->collective.calls > 0) {
            memcpy(out + at, &record->collective, sizeof(record->collective));
            at += COLLECTIVE_WORDS;
        }
    return at;
}

int group_pack(uint32_t **out, size_t *nwords, size_t limit)
{
    size_t n = 0;

    *out = NULL;
    *nwords = 0;
    if (refused)
        return MAPCORE_ERANGE;
    for (size_t i = 0; i < NCHAINS; i++)
        for (const struct group *g = chains[i]; g; g = g->next)
            if (count_records(g) > 0)
                n += 2 + g->n +
                     count_records(g) * sizeof(struct collective) /
                         sizeof(**out);
    if (n > limit)
        return MAPCORE_ERANGE;
    if (!(*out = array_alloc(n, sizeof(**out), NULL)))
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < NCHAINS; i++)
        for (const struct group *g = chains[i]; g; g = g->next)
            if (count_records(g) > 0)
                *nwords += pack_one(*out + *nwords, g, count_records(g));
    return 0;
}

void group_clear(void)
{
    memset(chains, 0, sizeof(chains));
    words = 0;
    ngroups = 0;
    refused = false;
}
