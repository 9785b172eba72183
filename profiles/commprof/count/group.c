/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* group.c - sets of tasks in a hash table, with their collectives */
#include "config.h"

#include "commprof/count/group.h"

#include "commprof/count/keep.h"

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
    record->collective.type = (uint8_t)type;
    record->collective.phase = (uint16_t)phase;
    record->collective.root = root;
    record->group = group->number;
    record->next = group->records;
    group->records = record;
    return &record->collective;
}

bool group_each(group_visit *visit, void *arg)
{
    bool whole = !refused;

    for (size_t i = 0; whole && i < NCHAINS; i++)
        for (const struct group *g = chains[i]; whole && g; g = g->next)
            for (const struct collective_record *r = g->records; whole && r;
                 r = r->next)
                if (r->collective.calls > 0)
                    whole = visit(arg, g->member, g->n, &r->collective) == 0;
    return whole;
}

void group_clear(void)
{
    memset(chains, 0, sizeof(chains));
    words = 0;
    ngroups = 0;
    refused = false;
}
