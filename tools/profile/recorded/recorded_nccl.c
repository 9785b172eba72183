/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* recorded_nccl.c - ranks of NCCL's communicators become tasks, and what NCCL
 * ran becomes messages between them, and collectives of a profile */
#include "config.h"

#include "tools/profile/recorded/recorded.h"

#include "base/array.h"
#include "profiles/collectives/algorithm.h"

#include <stdlib.h>

__extension__ typedef unsigned __int128 wide;

/* Of more pairs no graph is made, as in expand.c. */
enum { MOST_PAIRS = 1 << 25 };

/* A communicator: its ranks, sorted, and the tasks that they belong to. */
struct joined {
    struct recorded *merge;
    const struct nccl_seen *seen; /* seen[nseen] */
    size_t nseen;
    uint64_t size;    /* ranks; at least as many as the highest one says */
    uint32_t *member; /* member[n], tasks, each once */
    uint32_t n;
    uint32_t *place;          /* place[ntasks]: in member, or MAPCORE_NONE */
    struct call_stats *stats; /* of the collective that is expanded */
};

static int by_rank(const void *one, const void *other)
{
    const struct nccl_seen *x = one, *y = other;

    if (x->comm.id != y->comm.id)
        return x->comm.id < y->comm.id ? -1 : 1;
    /* Without an id each is on its own. */
    if (x->comm.id != 0 && x->comm.rank != y->comm.rank)
        return x->comm.rank < y->comm.rank ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* By what is added up to one line; comm is the first place of the communicator
 * in the sorted list, unused that of the rank. */
static int by_line(const void *one, const void *other)
{
    const struct nccl_row *x = one, *y = other;

    if (x->comm != y->comm)
        return x->comm < y->comm ? -1 : 1;
    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    if (x->algorithm != y->algorithm)
        return x->algorithm < y->algorithm ? -1 : 1;
    if (x->peer != y->peer)
        return x->peer < y->peer ? -1 : 1;
    return x->unused < y->unused ? -1 : x->unused > y->unused;
}

/* MAPCORE_NONE: no process with that rank has counted. */
static uint32_t task_of(const struct joined *joined, uint32_t rank)
{
    size_t low = 0, high = joined->nseen;

    while (low < high) {
        const size_t middle = (low + high) / 2;

        if (joined->seen[middle].comm.rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low < joined->nseen && joined->seen[low].comm.rank == rank
               ? joined->seen[low].task
               : MAPCORE_NONE;
}

static int add_message(const struct joined *joined,
                       uint32_t from,
                       uint32_t to,
                       uint64_t count,
                       uint64_t bytes)
{
    struct recorded *merge = joined->merge;
    struct messages *messages = &merge->all.messages;
    const uint64_t each = count > 0 ? bytes / count : bytes;

    joined->stats->bytes = record_sum(joined->stats->bytes, bytes);
    if (from == to || to == MAPCORE_NONE || (count == 0 && bytes == 0))
        return 0;
    joined->stats->paired = record_sum(joined->stats->paired, bytes);
    if (array_reserve(&messages->message, &merge->capacity, messages->n + 1,
                      sizeof(*messages->message), merge->err) < 0)
        return MAPCORE_ENOMEM;
    messages->message[messages->n++] = (struct message){
        .from = from,
        .to = to,
        .type = joined->stats->type,
        .size_class =
            each > 0 ? (uint16_t)(64 - __builtin_clzll(each)) : (uint16_t)0,
        .count = count & (UINT64_MAX >> 8),
        .bytes = bytes};
    return 0;
}

static int add_flow(void *arg, const struct algorithm_flow *flow)
{
    const struct joined *joined = arg;
    const uint32_t a = joined->member[flow->a], b = joined->member[flow->b];
    const uint64_t back = flow->way == ALGORITHM_FORTH  ? 0
                          : flow->way == ALGORITHM_BACK ? flow->bytes
                                                        : flow->bytes / 2;
    int error = 0;

    if (flow->way != ALGORITHM_BACK)
        error = add_message(joined, a, b, flow->messages, flow->bytes - back);
    if (error == 0 && flow->way != ALGORITHM_FORTH)
        error = add_message(joined, b, a, flow->messages, back);
    return error;
}

static uint64_t scaled(uint64_t bytes, uint64_t by, uint64_t of)
{
    const wide all = (wide)bytes * by / of;

    return all < UINT64_MAX ? (uint64_t)all : UINT64_MAX;
}

/* Of the unit of `collectives`, and of the tasks in place of the ranks: a task
 * with several has a block of each. */
static uint64_t bytes_of_tasks(const struct joined *joined,
                               uint8_t type,
                               uint64_t bytes)
{
    switch (type) {
    case TYPE_REDUCE_SCATTER_BLOCK:
        return scaled(bytes, joined->size, 1);
    case TYPE_ALLGATHER:
    case TYPE_ALLTOALL:
    case TYPE_GATHER:
    case TYPE_SCATTER:
        return scaled(bytes, joined->size, joined->n);
    default:
        return bytes;
    }
}

static int add_stats(const struct joined *joined,
                     const struct call_stats *stats)
{
    struct recorded *merge = joined->merge;

    merge->all.nccl_calls[stats->type] =
        record_sum(merge->all.nccl_calls[stats->type], stats->calls);
    return gathered_add_stats(&merge->all, stats, 1) < 0
               ? error_set(merge->err, MAPCORE_ENOMEM, "out of memory")
               : 0;
}

/* row[n]: of one type, algorithm and root. All ranks call it, but they may have
 * ended at different times, and some count what a CUDA graph repeats. */
static int add_collective(struct joined *joined,
                          const struct nccl_row *row,
                          size_t n)
{
    struct call_stats stats = {
        .type = row->type, .size = joined->n, .communicators = 1};
    const uint32_t root = task_of(joined, row->peer);
    struct collective all = {
        .type = row->type,
        .algorithm = row->algorithm,
        .root = root == MAPCORE_NONE ? 0 : joined->place[root]};
    struct algorithm_call call = {.type = type_names[row->type],
                                  .library = row->algorithm,
                                  .n = joined->n,
                                  .root = all.root};
    uint64_t inside = 0;
    bool is_whole = joined->n == joined->merge->subject.ntasks;
    int error = 0;

    for (size_t i = 0; i < n; i++) {
        stats.calls = record_sum(stats.calls, row[i].calls);
        inside = record_sum(inside, row[i].bytes);
        if (row[i].calls > all.calls) {
            all.calls = row[i].calls;
            all.bytes = bytes_of_tasks(joined, row->type, row[i].bytes);
        }
    }
    call.calls = all.calls;
    call.bytes = all.bytes;
    joined->stats = &stats;
    if (joined->n > 1 && algorithm_most_pairs(&call) <= MOST_PAIRS)
        error = algorithm_expand(&call, add_flow, joined);
    else
        stats.bytes = inside;
    if (error == MAPCORE_ERANGE)
        error = error_set(joined->merge->err, error,
                          "more bytes than can be counted");
    for (uint32_t i = 0; is_whole && i < joined->n; i++)
        is_whole = joined->member[i] == i;
    if (error == 0 && joined->n > 1 &&
        gathered_add_collective(&joined->merge->all, joined->member,
                                is_whole ? 0 : joined->n, &all) < 0)
        error = error_set(joined->merge->err, MAPCORE_ENOMEM, "out of memory");
    return error == 0 ? add_stats(joined, &stats) : error;
}

static int add_p2p(struct joined *joined, const struct nccl_row *row, size_t n)
{
    struct call_stats stats = {.type = TYPE_P2P};
    int error = 0;

    joined->stats = &stats;
    for (size_t i = 0; error == 0 && i < n; i++) {
        const uint32_t from = joined->merge->comm[row[i].unused].task;

        stats.calls = record_sum(stats.calls, row[i].calls);
        if (row[i].bytes > 0)
            error = add_message(joined, from, task_of(joined, row[i].peer),
                                row[i].calls, row[i].bytes);
    }
    return error == 0 ? add_stats(joined, &stats) : error;
}

/* row[n] are all of the communicator. */
static int add_communicator(struct joined *joined,
                            const struct nccl_row *row,
                            size_t n)
{
    struct recorded *merge = joined->merge;
    uint32_t ranks = 0;
    int error = 0;

    joined->n = 0;
    joined->size = 0;
    for (size_t i = 0; i < joined->nseen; i++) {
        const struct nccl_seen *one = &joined->seen[i];

        if (i == 0 || one->comm.rank != one[-1].comm.rank)
            ranks++;
        if (one->comm.size > joined->size)
            joined->size = one->comm.size;
        if (joined->place[one->task] == MAPCORE_NONE) {
            joined->place[one->task] = joined->n;
            joined->member[joined->n++] = one->task;
        }
    }
    if (joined->size <= joined->seen[joined->nseen - 1].comm.rank)
        joined->size = (uint64_t)joined->seen[joined->nseen - 1].comm.rank + 1;
    merge->nccl_ranks += ranks;
    merge->nccl_silent += (uint32_t)joined->size - ranks;
    for (size_t i = 0, end; error == 0 && i < n; i = end) {
        const bool is_p2p = row[i].type == TYPE_P2P;

        end = i + 1;
        while (end < n && row[end].type == row[i].type &&
               (is_p2p || (row[end].algorithm == row[i].algorithm &&
                           row[end].peer == row[i].peer)))
            end++;
        error = is_p2p ? add_p2p(joined, &row[i], end - i)
                       : add_collective(joined, &row[i], end - i);
    }
    for (uint32_t i = 0; i < joined->n; i++)
        joined->place[joined->member[i]] = MAPCORE_NONE;
    return error;
}

/* Whether the rank at i of the sorted list is of the one before. */
static bool is_same(const struct recorded *merge, size_t i)
{
    return i > 0 && merge->comm[i].comm.id != 0 &&
           merge->comm[i].comm.id == merge->comm[i - 1].comm.id;
}

static int sort(struct recorded *merge)
{
    struct place {
        uint32_t comm, rank;
    } *now = array_alloc(merge->ncomms, sizeof(*now), merge->err);
    uint32_t first = 0;

    if (!now)
        return MAPCORE_ENOMEM;
    qsort(merge->comm, merge->ncomms, sizeof(*merge->comm), by_rank);
    for (uint32_t i = 0; i < merge->ncomms; i++) {
        first = is_same(merge, i) ? first : i;
        now[merge->comm[i].at] = (struct place){first, i};
    }
    for (size_t i = 0; i < merge->nrows; i++) {
        merge->row[i].unused = now[merge->row[i].comm].rank;
        merge->row[i].comm = now[merge->row[i].comm].comm;
    }
    if (merge->nrows > 0)
        qsort(merge->row, merge->nrows, sizeof(*merge->row), by_line);
    free(now);
    return 0;
}

int recorded_join_nccl(struct recorded *merge)
{
    const uint32_t ntasks = merge->subject.ntasks;
    struct joined joined = {.merge = merge};
    size_t row = 0;
    int error = merge->ncomms > 0 ? sort(merge) : 0;

    if (error < 0 || merge->ncomms == 0)
        return error;
    joined.member = array_alloc(ntasks, sizeof(*joined.member), merge->err);
    joined.place = array_alloc(ntasks, sizeof(*joined.place), merge->err);
    if (!joined.member || !joined.place)
        error = MAPCORE_ENOMEM;
    for (uint32_t i = 0; error == 0 && i < ntasks; i++)
        joined.place[i] = MAPCORE_NONE;
    for (size_t at = 0, end; error == 0 && at < merge->ncomms; at = end) {
        const size_t first = row;

        end = at + 1;
        while (end < merge->ncomms && is_same(merge, end))
            end++;
        while (row < merge->nrows && merge->row[row].comm == at)
            row++;
        joined.seen = &merge->comm[at];
        joined.nseen = end - at;
        error = add_communicator(&joined, &merge->row[first], row - first);
    }
    free(joined.member);
    free(joined.place);
    return error;
}
