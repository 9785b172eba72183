/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* recorded.c - the memory that tasks have left behind (launch/kept.h), believed
 * in nothing: a task may have died in the middle of writing it */
#include "config.h"

#include "tools/profile/recorded/recorded.h"

#include "base/array.h"
#include "launch/kept.h"
#include "profiles/collectives/algorithm.h"
#include "profiles/commprof/count/group.h"
#include "profiles/commprof/count/record.h"
#include "tools/profile/recorded/run_end.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int bad(const struct recorded *merge, const char *what)
{
    return merge->text ? text_error(merge->text, MAPCORE_EPARSE, "%s", what)
                       : error_set(merge->err, MAPCORE_EPARSE, "%.400s: %s",
                                   merge->path, what);
}

/* Nothing is made as large as a file claims, but a graph has a row a task. */
static int take_tasks(struct recorded *merge, uint32_t rank, char *cursor)
{
    enum { MOST_TASKS = 1 << 24 };
    uint32_t ntasks;

    if (!text_take_u32(&cursor, &ntasks, NULL) || ntasks == 0 ||
        ntasks > MOST_TASKS || rank >= ntasks ||
        (merge->subject.ntasks && ntasks != merge->subject.ntasks))
        return bad(merge, "not the number of tasks of this run");
    merge->subject.ntasks = ntasks;
    merge->task = rank;
    task_times_begin(&merge->times, rank, NULL, 0);
    merge->regions = (struct region_names){0};
    region_names_add(&merge->all.regions, merge->phase, &merge->regions);
    return 0;
}

static int take_line(struct recorded *merge, char *line, uint32_t *rank)
{
    struct subject *subject = &merge->subject;
    const struct {
        const char *word;
        const char **field; /* NULL: a host */
        bool may_differ;    /* the first one speaks for all */
    } texts[] = {{"program", &subject->path, false},
                 {"name", &subject->program, false},
                 {"mpi", &subject->mpi, false},
                 {"mpi_type", &subject->mpi_type, false},
                 {"job", &subject->job, false},
                 {"user", &subject->user, false},
                 {"command", &subject->commands, false},
                 {"node", &subject->node, true},
                 {"host", NULL, true}};
    char *rest = line, *word = text_take_word(&rest);
    uint32_t number;
    int error;

    if (!word)
        return bad(merge, "an empty line");
    rest += strspn(rest, " ");
    if (strcmp(word, "rank") == 0)
        return text_take_u32(&rest, rank, NULL) ? 0 : bad(merge, "no rank");
    if (strcmp(word, "ntasks") == 0)
        return take_tasks(merge, *rank, rest);
    if (strcmp(word, "nccl") == 0) {
        merge->is_nccl = true;
        return 0;
    }
    if (strcmp(word, "large") == 0)
        return text_take_u32(&rest, &subject->large_ppm, NULL)
                   ? 0
                   : bad(merge, "?");
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        const char **field = texts[i].field;

        if (strcmp(word, texts[i].word) != 0)
            continue;
        if (field && *field && !texts[i].may_differ && !merge->is_nccl &&
            strcmp(*field, rest) != 0)
            return text_error(merge->text, MAPCORE_EINVAL,
                              "this is of another run: '%.80s', not '%.80s'",
                              rest, *field);
        error = name_set_add(&number, field ? &merge->texts : &merge->hosts,
                             rest, merge->err);
        if (error == 0 && field && !*field)
            *field = merge->texts.name[number];
        return error;
    }
    return bad(merge, "no such line is known");
}

/* A task has one region of its own, and one for each process with NCCL. */
static int add_task(struct recorded *merge)
{
    for (uint32_t i = 0; merge->is_nccl && i < merge->nfound; i++)
        if (merge->found[i] == merge->task)
            return 0;
    if (array_reserve(&merge->found, &merge->found_capacity,
                      (size_t)merge->nfound + 1, sizeof(*merge->found),
                      merge->err) < 0)
        return MAPCORE_ENOMEM;
    merge->found[merge->nfound++] = merge->task;
    return 0;
}

/* The lines `word VALUE`: whose the rows are. */
static int take_text(struct recorded *merge, const char *bytes, size_t size)
{
    uint32_t rank = MAPCORE_NONE;
    char *line;
    int error = text_open_memory(&merge->text, merge->path, bytes,
                                 strnlen(bytes, size), merge->err);

    while (error == 0 && (error = text_line(merge->text, &line)) == 0 && line)
        error = take_line(merge, line, &rank);
    if (error == 0)
        error = merge->task == MAPCORE_NONE
                    ? bad(merge, "does not say of which task it is")
                    : add_task(merge);
    text_close(merge->text);
    merge->text = NULL;
    return error;
}

/* The blocks of one task. */
struct kept_region {
    const char *bytes; /* from the head on */
    struct kept_head head;
    /* Where its groups stand in bytes, by number. */
    size_t *group, ngroups, group_capacity;
    size_t ncomms; /* of NCCL */
};

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
            task_times_spend(&merge->times, &stats);
            if (gathered_add_stats(&merge->all, &stats, 1) < 0)
                error = error_set(merge->err, MAPCORE_ENOMEM, "out of memory");
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
            message.size_class > 64 || message.from >= merge->subject.ntasks ||
            message.to >= merge->subject.ntasks)
            return bad(merge, "a row that cannot be");
        message.phase = (uint16_t)merge->phase[message.phase];
        if (array_reserve(&messages->message, &merge->capacity, messages->n + 1,
                          sizeof(message), merge->err) < 0)
            return MAPCORE_ENOMEM;
        messages->message[messages->n++] = message;
    }
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
        if (member[i] >= merge->subject.ntasks) {
            free(member);
            return bad(merge, "a set of tasks that cannot be");
        }
    error = gathered_add_collective(&merge->all, member, group.n,
                                    &record.collective);
    free(member);
    return error < 0 ? error_set(merge->err, MAPCORE_ENOMEM, "out of memory")
                     : 0;
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

static int take_comm(struct recorded *merge,
                     struct kept_region *region,
                     const char *bytes,
                     size_t size)
{
    enum { MOST = 1 << 24 };
    struct nccl_seen seen = {.task = merge->task,
                             .at = (uint32_t)merge->ncomms};

    if (size < sizeof(seen.comm))
        return bad(merge, "a communicator that is cut off");
    memcpy(&seen.comm, bytes, sizeof(seen.comm));
    /* Of a process that died before it wrote more than the block. */
    if (seen.comm.number != region->ncomms)
        return 0;
    if (seen.comm.rank >= MOST || seen.comm.size >= MOST ||
        merge->ncomms >= MOST)
        return bad(merge, "a communicator that cannot be");
    if (array_reserve(&merge->comm, &merge->comms_capacity, merge->ncomms + 1,
                      sizeof(*merge->comm), merge->err) < 0)
        return MAPCORE_ENOMEM;
    merge->comm[merge->ncomms++] = seen;
    region->ncomms++;
    return 0;
}

static int take_nccl_rows(struct recorded *merge,
                          const struct kept_region *region,
                          const char *bytes,
                          size_t size)
{
    struct nccl_row row;

    for (size_t at = 0; size - at >= sizeof(row); at += sizeof(row)) {
        memcpy(&row, bytes + at, sizeof(row));
        if (!row.is_used || row.comm >= region->ncomms)
            continue;
        if (row.type >= NTYPES || row.size_class > 64 ||
            (row.type != TYPE_P2P && !algorithm_word(row.algorithm)))
            return bad(merge, "a row that cannot be");
        if (array_reserve(&merge->row, &merge->rows_capacity, merge->nrows + 1,
                          sizeof(row), merge->err) < 0)
            return MAPCORE_ENOMEM;
        row.comm += (uint32_t)(merge->ncomms - region->ncomms);
        merge->row[merge->nrows++] = row;
    }
    return 0;
}

static int take_block(struct recorded *merge,
                      struct kept_region *region,
                      const struct kept_block *block,
                      const char *bytes)
{
    switch (block->kind) {
    case KEPT_TEXT:
        return take_text(merge, bytes, block->size);
    case KEPT_REGIONS:
        return take_names(merge, bytes, block->size);
    case KEPT_STATS:
        return take_stats(merge, bytes, block->size);
    case KEPT_SIZED: /* a pointer stands behind it */
        return block->size < sizeof(struct call_stats)
                   ? bad(merge, "counters that are cut off")
                   : take_stats(merge, bytes, sizeof(struct call_stats));
    case KEPT_ROWS:
        return take_rows(merge, region, bytes, block->size);
    case KEPT_GROUP:
        if (block->size < sizeof(struct group))
            return bad(merge, "a set of tasks that is cut off");
        if (array_reserve(&region->group, &region->group_capacity,
                          region->ngroups + 1, sizeof(*region->group),
                          merge->err) < 0)
            return MAPCORE_ENOMEM;
        region->group[region->ngroups++] =
            (size_t)(bytes - region->bytes) - sizeof(*block);
        return 0;
    case KEPT_COLLECTIVE:
        return take_collective(merge, region, bytes, block->size);
    case KEPT_NCCL_COMM:
        return take_comm(merge, region, bytes, block->size);
    case KEPT_NCCL_ROWS:
        return take_nccl_rows(merge, region, bytes, block->size);
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
    struct subject *subject = &merge->subject;

    if (elapsed > subject->elapsed_ns)
        subject->elapsed_ns = elapsed;
    if (head->counted_ns + since > subject->active_ns)
        subject->active_ns = head->counted_ns + since;
    if (until > subject->until)
        subject->until = until;
    merge->nlost += head->lost > 0;
}

/* Whose the rows are stands behind what was made before, and so may the names
 * of regions and NCCL's communicators. */
static int take_region(struct recorded *merge, struct kept_region *region)
{
    enum { WHOSE, NAMES, ROWS, PASSES };
    struct kept_block block;
    const char *bytes;
    int error = 0;

    merge->task = MAPCORE_NONE;
    merge->is_nccl = false;
    merge->ended =
        run_end_worse(merge->ended, region->head.ended & ~(uint32_t)KEPT_NCCL);
    if (region->head.state != KEPT_COUNTING)
        return 0;
    for (int pass = WHOSE; error == 0 && pass < PASSES; pass++) {
        size_t at = sizeof(region->head);

        while (error == 0 && (bytes = next_block(region, &at, &block))) {
            const int its =
                block.kind == KEPT_TEXT ? WHOSE
                : block.kind == KEPT_REGIONS || block.kind == KEPT_NCCL_COMM
                    ? NAMES
                    : ROWS;

            if (its == pass && (pass != WHOSE || merge->task == MAPCORE_NONE))
                error = take_block(merge, region, &block, bytes);
        }
        if (error == 0 && merge->task == MAPCORE_NONE)
            error = bad(merge, "does not say whose rows these are");
        else if (error == 0 && merge->task != region->head.rank)
            error = bad(merge, "rows of two tasks in one");
    }
    if (error == 0) {
        take_times(merge, &region->head);
        if (!merge->is_nccl)
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
    for (size_t at = 0, used; error == 0 && at < n; at += used) {
        struct kept_region region = {.bytes = bytes + at};

        if (n - at >= sizeof(region.head))
            memcpy(&region.head, bytes + at, sizeof(region.head));
        used = (size_t)region.head.used;
        if (n - at >= sizeof(region.head) && region.head.magic != KEPT_MAGIC)
            error = bad(merge, "not rows that this topomap knows");
        else if (used < sizeof(region.head) || used > n - at || used % 8 != 0)
            error = bad(merge, "cut off");
        else
            error = take_region(merge, &region);
        free(region.group);
    }
    merge->path = NULL;
    merge->all.hosts = (uint32_t)merge->hosts.n;
    return error;
}

int recorded_check(struct recorded *merge, const char *from)
{
    int error = 0;

    if (!merge->subject.mpi && merge->ncomms > 0)
        merge->subject.mpi = "NCCL";
    if (merge->nfound == 0)
        error = error_set(merge->err, MAPCORE_ENOENT,
                          "no task left its rows in %.400s", from);
    else if (!merge->subject.path || !merge->subject.job ||
             !merge->subject.user || !merge->subject.mpi ||
             !merge->subject.program)
        error =
            error_set(merge->err, MAPCORE_EPARSE,
                      "the rows in %.400s do not say of what they are", from);
    else
        array_sort_u32(merge->found, merge->nfound);
    for (uint32_t i = 1; error == 0 && i < merge->nfound; i++)
        if (merge->found[i] == merge->found[i - 1])
            error = error_set(merge->err, MAPCORE_EPARSE,
                              "two files in %.400s are of task %u", from,
                              merge->found[i]);
    if (error == 0)
        error = recorded_join_nccl(merge);
    if (error == 0)
        messages_sort(&merge->all.messages);
    return error;
}

int recorded_file(struct recorded *merge, const char *root, char **filed)
{
    struct subject subject = merge->subject;

    if (!*subject.program)
        subject.program = NULL;
    if (subject.active_ns == 0)
        subject.active_ns = subject.elapsed_ns;
    subject.file = subject.path;
    subject.time = (int64_t)time(NULL);
    subject.nrecorded = merge->nfound;
    if (!merge->partial[0] && merge->nfound < subject.ntasks)
        snprintf(merge->partial, sizeof(merge->partial), "%u of %u tasks",
                 merge->nfound, subject.ntasks);
    if (!merge->partial[0] && merge->nccl_silent > 0)
        snprintf(merge->partial, sizeof(merge->partial),
                 "%u of %u ranks of NCCL", merge->nccl_ranks,
                 merge->nccl_ranks + merge->nccl_silent);
    subject.partial = merge->partial[0] ? merge->partial : NULL;
    return write_version(filed, root, &merge->all, &subject, merge->err);
}

void recorded_clear(struct recorded *merge)
{
    gathered_clear(&merge->all);
    name_set_clear(&merge->texts);
    name_set_clear(&merge->hosts);
    free(merge->found);
    free(merge->comm);
    free(merge->row);
}
