/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* recorded_kept.c - the memory that tasks have left behind (launch/kept.h),
 * believed in nothing: a task may have died in the middle of writing it */
#include "config.h"

#include "tools/profile/recorded/recorded.h"

#include "base/array.h"
#include "base/buffer.h"
#include "launch/kept.h"
#include "profiles/commprof/count/group.h"
#include "profiles/commprof/count/record.h"
#include "tools/profile/recorded/run_end.h"

#include <stdlib.h>
#include <string.h>

/* The blocks of one task. */
struct kept_region {
    const char *bytes; /* from the head on */
    struct kept_head head;
    /* Where its groups stand in bytes, by number. */
    size_t *group, ngroups, group_capacity;
};

static int bad(const struct recorded *merge, const char *what)
{
    return error_set(merge->err, MAPCORE_EPARSE, "%.400s: %s", merge->path,
                     what);
}

/* The next block at *at, which goes behind it; NULL at the end. */
static const char *next_block(const struct kept_region *region,
                              size_t *at,
                              struct kept_block *block)
{
    const size_t left = (size_t)region->head.used - *at;
    const char *bytes = region->bytes + *at + sizeof(*block);

    if (left < sizeof(*block))
        return NULL;
    memcpy(block, region->bytes + *at, sizeof(*block));
    if (block->size > left - sizeof(*block) || block->size % 8 != 0)
        return NULL;
    *at += sizeof(*block) + block->size;
    return bytes;
}

/* The lines that a file of rows begins with. */
static int take_text(struct recorded *merge, const char *bytes, size_t size)
{
    size_t n = strnlen(bytes, size);
    int error =
        text_open_memory(&merge->text, merge->path, bytes, n, merge->err);

    if (error == 0)
        error = recorded_take_head(merge);
    text_close(merge->text);
    merge->text = NULL;
    return error;
}

static int take_stats(struct recorded *merge, const char *bytes, size_t size)
{
    struct call_stats stats;
    int error = 0;

    for (size_t at = 0; error == 0 && size - at >= sizeof(stats);
         at += sizeof(stats)) {
        memcpy(&stats, bytes + at, sizeof(stats));
        if (stats.type < NTYPES && stats.phase < PHASES_MOST &&
            (stats.calls > 0 || stats.ns > 0)) {
            stats.phase = (uint8_t)merge->phase[stats.phase];
            error = recorded_take_stats(merge, &stats);
        }
    }
    return error;
}

static int take_rows(struct recorded *merge,
                     const struct kept_region *region,
                     const char *bytes,
                     size_t size)
{
    struct messages *messages = &merge->all.messages;
    struct message message;
    struct row row;

    for (size_t at = 0; size - at >= sizeof(row); at += sizeof(row)) {
        memcpy(&row, bytes + at, sizeof(row));
        /* Rows are filled in order; what stands behind them is a pointer. */
        if (row.key == 0)
            break;
        row_read(&message, &row, region->head.rank);
        if (message.type >= NTYPES || message.phase >= PHASES_MOST ||
            message.size_class > 64 || message.from >= merge->ntasks ||
            message.to >= merge->ntasks)
            return bad(merge, "a row that cannot be");
        message.phase = (uint16_t)merge->phase[message.phase];
        if (array_reserve(&messages->message, &merge->capacity, messages->n + 1,
                          sizeof(message), merge->err) < 0)
            return MAPCORE_ENOMEM;
        messages->message[messages->n++] = message;
    }
    return 0;
}

static int note_group(struct recorded *merge,
                      struct kept_region *region,
                      size_t at)
{
    if (array_reserve(&region->group, &region->group_capacity,
                      region->ngroups + 1, sizeof(*region->group),
                      merge->err) < 0)
        return MAPCORE_ENOMEM;
    region->group[region->ngroups++] = at;
    return 0;
}

/* A collective, and the set of tasks that had it. */
static int take_collective(struct recorded *merge,
                           const struct kept_region *region,
                           const char *bytes,
                           size_t size)
{
    struct collective_record record;
    struct kept_block block;
    struct group group;
    uint32_t *member;
    size_t at;
    int error;

    if (size < sizeof(record))
        return bad(merge, "a collective that is cut off");
    memcpy(&record, bytes, sizeof(record));
    if (record.group >= region->ngroups || record.collective.calls == 0)
        return 0;
    at = region->group[record.group];
    memcpy(&block, region->bytes + at, sizeof(block));
    at += sizeof(block);
    memcpy(&group, region->bytes + at, sizeof(group));
    if (record.collective.type >= NTYPES ||
        record.collective.phase >= PHASES_MOST ||
        group.n > (block.size - sizeof(group)) / sizeof(*member))
        return bad(merge, "a collective that cannot be");
    record.collective.phase = (uint16_t)merge->phase[record.collective.phase];
    member = array_copy(region->bytes + at + offsetof(struct group, member),
                        group.n, sizeof(*member), merge->err);
    if (!member)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < group.n; i++)
        if (member[i] >= merge->ntasks) {
            free(member);
            return bad(merge, "a set of tasks that cannot be");
        }
    error = gathered_add_collective(&merge->all, member, group.n,
                                    &record.collective);
    free(member);
    return error < 0 ? error_set(merge->err, MAPCORE_ENOMEM, "out of memory")
                     : 0;
}

static int take_block(struct recorded *merge,
                      struct kept_region *region,
                      const struct kept_block *block,
                      const char *bytes)
{
    switch (block->kind) {
    case KEPT_STATS:
        return take_stats(merge, bytes, block->size);
    case KEPT_SIZED: /* a pointer stands behind it */
        return block->size < sizeof(struct call_stats)
                   ? bad(merge, "counters that are cut off")
                   : take_stats(merge, bytes, sizeof(struct call_stats));
    case KEPT_ROWS:
        return take_rows(merge, region, bytes, block->size);
    case KEPT_GROUP:
        return block->size < sizeof(struct group)
                   ? bad(merge, "a set of tasks that is cut off")
                   : note_group(merge, region,
                                (size_t)(bytes - region->bytes) -
                                    sizeof(*block));
    case KEPT_COLLECTIVE:
        return take_collective(merge, region, bytes, block->size);
    default:
        return 0;
    }
}

/* Times of different nodes have nothing in common but the seconds since 1970.
 */
static void take_times(struct recorded *merge, const struct kept_head *head)
{
    const uint64_t elapsed =
        head->last_ns > head->began_ns ? head->last_ns - head->began_ns : 0;
    const uint64_t since = head->is_active && head->last_ns > head->since_ns
                               ? head->last_ns - head->since_ns
                               : 0;
    const int64_t until = head->began + (int64_t)(elapsed / 1000000000);

    if (elapsed > merge->elapsed_ns)
        merge->elapsed_ns = elapsed;
    if (head->counted_ns + since > merge->counted_ns)
        merge->counted_ns = head->counted_ns + since;
    if (until > merge->until)
        merge->until = until;
    merge->nlost += head->lost > 0;
}

/* A task may have died in the middle of a name. */
static int take_names(struct recorded *merge, const char *bytes, size_t size)
{
    char clean[REGION_NAME];

    if (size < sizeof(merge->regions))
        return bad(merge, "regions that are cut off");
    memcpy(&merge->regions, bytes, sizeof(merge->regions));
    for (size_t i = 0; i < REGIONS_MOST && merge->regions.name[i][0]; i++) {
        char *name = merge->regions.name[i];

        name[REGION_NAME - 1] = '\0';
        region_names_clean(clean, name);
        if (strcmp(name, clean) != 0 ||
            region_names_find(&merge->regions, name) != PHASES_LEVELS + i)
            return bad(merge, "a region that cannot be");
    }
    region_names_add(&merge->all.regions, merge->phase, &merge->regions);
    return 0;
}

static int take_region(struct recorded *merge, struct kept_region *region)
{
    struct kept_block block;
    const char *bytes;
    size_t at = sizeof(region->head);
    bool known = false;
    int error = 0;

    merge->ended = run_end_worse(merge->ended, region->head.ended);
    if (region->head.state != KEPT_COUNTING)
        return 0;
    /* Whose it is stands behind what was made before. */
    while (error == 0 && !known && (bytes = next_block(region, &at, &block)))
        if ((known = block.kind == KEPT_TEXT))
            error = take_text(merge, bytes, block.size);
    if (error == 0 && !known)
        return bad(merge, "does not say whose rows these are");
    if (error == 0 && merge->found[merge->nfound - 1] != region->head.rank)
        return bad(merge, "rows of two tasks in one");
    for (at = sizeof(region->head);
         error == 0 && (bytes = next_block(region, &at, &block));)
        if (block.kind == KEPT_REGIONS)
            error = take_names(merge, bytes, block.size);
    for (at = sizeof(region->head);
         error == 0 && (bytes = next_block(region, &at, &block));)
        error = take_block(merge, region, &block, bytes);
    if (error == 0) {
        take_times(merge, &region->head);
        task_times_add(&merge->all.times, &merge->times);
    }
    return error;
}

int recorded_take_kept(struct recorded *merge,
                       const char *path,
                       const char *bytes,
                       size_t n)
{
    int error = 0;

    merge->path = path;
    for (size_t at = 0; error == 0 && at < n;) {
        struct kept_region region = {.bytes = bytes + at};
        if (n - at < sizeof(region.head))
            error = bad(merge, "cut off");
        else
            memcpy(&region.head, bytes + at, sizeof(region.head));
        if (error == 0 && region.head.magic != KEPT_MAGIC)
            error = bad(merge, "not rows that this topomap knows");
        if (error == 0 &&
            (region.head.used < sizeof(region.head) ||
             region.head.used > n - at || region.head.used % 8 != 0))
            error = bad(merge, "cut off");
        if (error == 0)
            error = take_region(merge, &region);
        at += error == 0 ? (size_t)region.head.used : 0;
        free(region.group);
    }
    merge->path = NULL;
    return error;
}
