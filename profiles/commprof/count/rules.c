/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rules.c - the rules by which calls become calls, bytes and pairs */
#include "config.h"

#include "commprof/count/rules.h"

#include "commprof/count/comm.h"
#include "commprof/count/datatype.h"
#include "commprof/count/first_use.h"

/* Counts the call of a collective and finds its communicator. */
static struct comm *collective(struct call_stats **stats,
                               enum call_type type,
                               MPI_Comm handle)
{
    struct comm *comm = comm_get(handle);

    *stats = comm ? comm_stats(comm, type) : record_stats(type);
    record_calls(*stats, 1);
    if (!comm)
        shared_lose();
    return comm;
}

/* Keeps a call for its expansion later; only where the task speaks for all. */
static void add_record(struct comm *comm,
                       enum call_type type,
                       bool speaks,
                       int root,
                       uint64_t bytes)
{
    if (comm->inter || !speaks)
        return;
    struct collective *record = comm_collective(comm, type, (uint32_t)root);
    if (record)
        record_collective(record, bytes);
}

static void send_to(struct call_stats *stats,
                    const struct comm *comm,
                    int peer,
                    uint64_t bytes)
{
    if (bytes == 0 && stats->type != TYPE_BARRIER)
        return; /* only barriers send messages of nothing */
    if (comm->large)
        record_large(stats, bytes);
    else
        record_message(stats, comm_world_rank(comm, peer), bytes, OUTGOING);
}

static bool is_self(const struct comm *comm, int peer)
{
    return !comm->inter && peer == comm->rank;
}

static void send_to_each(struct call_stats *stats,
                         const struct comm *comm,
                         uint64_t bytes)
{
    if (comm->large) {
        const int n = comm->npeers - (comm->inter ? 0 : 1);
        record_large(stats, record_product(bytes, (uint64_t)n));
        return;
    }
    for (int i = 0; bytes && i < comm->npeers; i++)
        if (!is_self(comm, i))
            send_to(stats, comm, i, bytes);
}

static void send_doubling(struct call_stats *stats,
                          const struct comm *comm,
                          uint64_t bytes)
{
    const int64_t n = comm->npeers;
    const bool power_of_two = (n & (n - 1)) == 0;

    if (comm->inter) {
        if (n > 0)
            send_to(stats, comm, comm->rank % comm->npeers, bytes);
        return;
    }
    for (int64_t distance = 1; distance < n; distance *= 2)
        send_to(stats, comm,
                (int)(power_of_two ? comm->rank ^ distance
                                   : (comm->rank + distance) % n),
                bytes);
}

/* Whether this task is the one whose buffers a rooted call distributes. */
static bool is_root(const struct comm *comm, int root)
{
    return comm->inter ? root == MPI_ROOT : root == comm->rank;
}

/* To MPI_PROC_NULL. */
__attribute__((noinline)) static struct call_stats *send_nothing(
    enum call_type type,
    MPI_Count count,
    MPI_Datatype datatype)
{
    if (!capture_now)
        first_use_nobody(type, datatype_bytes(count, datatype));
    return rule_count(type);
}

static struct call_stats *send_bytes(enum call_type type,
                                     MPI_Comm handle,
                                     int dest,
                                     uint64_t bytes)
{
    struct call_stats *stats = record_stats(type);

    record_calls(stats, 1);
    if (dest == MPI_PROC_NULL)
        return stats;
    const struct comm *comm = comm_get(handle);
    if (comm)
        record_message(stats, comm_world_rank(comm, dest), bytes, OUTGOING);
    else
        shared_lose();
    return stats;
}

__attribute__((noinline)) static struct call_stats *send_elements(
    enum call_type type,
    MPI_Comm handle,
    int dest,
    MPI_Count count,
    MPI_Datatype datatype)
{
    return send_bytes(type, handle, dest, datatype_bytes(count, datatype));
}

/* What programs do most: a communicator and a type that were there before. It
 * calls nothing that comes back, and so needs no frame. */
struct call_stats *rule_send(enum call_type type,
                             MPI_Comm handle,
                             int dest,
                             MPI_Count count,
                             MPI_Datatype datatype)
{
    const struct comm_cached *cached = comm_cache_slot(handle);
    const struct datatype_cached *known = datatype_cache_slot(datatype);

    if (dest == MPI_PROC_NULL)
        return __builtin_expect(first_use.again[type] == 0, 1)
                   ? rule_count(type)
                   : send_nothing(type, count, datatype);
    if (record_is_plain() && cached->handle == handle && cached->comm &&
        known->datatype == datatype && known->size > 0 && count >= 0) {
        struct call_stats *stats = record_stats(type);
        stats->calls++;
        return record_plain_message(
            stats, comm_world_rank(cached->comm, dest),
            record_product((uint64_t)count, known->size), OUTGOING);
    }
    return send_elements(type, handle, dest, count, datatype);
}

struct call_stats *rule_send_parts(enum call_type type,
                                   MPI_Comm handle,
                                   int dest,
                                   int partitions,
                                   MPI_Count count,
                                   MPI_Datatype datatype)
{
    return send_bytes(type, handle, dest,
                      partitions > 0
                          ? record_product((uint64_t)partitions,
                                           datatype_bytes(count, datatype))
                          : 0);
}

struct call_stats *rule_each(enum call_type type,
                             MPI_Comm handle,
                             MPI_Count count,
                             MPI_Datatype datatype)
{
    struct call_stats *stats;
    struct comm *comm = collective(&stats, type, handle);
    if (!comm)
        return stats;
    const uint64_t bytes = datatype_bytes(count, datatype);
    send_to_each(stats, comm, bytes);
    add_record(comm, type, comm->rank == 0, 0, bytes);
    return stats;
}

struct call_stats *rule_each_own(enum call_type type,
                                 MPI_Comm handle,
                                 const void *sendbuf,
                                 MPI_Count sendcount,
                                 MPI_Datatype sendtype,
                                 struct counts recvcounts,
                                 MPI_Datatype recvtype)
{
    struct call_stats *stats;
    const struct comm *comm = collective(&stats, type, handle);
    if (!comm)
        return stats;
    if (sendbuf == MPI_IN_PLACE) {
        sendcount = count_at(recvcounts, comm->rank);
        sendtype = recvtype;
    }
    send_to_each(stats, comm, datatype_bytes(sendcount, sendtype));
    return stats;
}

static void send_v(struct call_stats *stats,
                   const struct comm *comm,
                   struct counts counts,
                   MPI_Datatype datatype)
{
    const uint64_t size = datatype_bytes(1, datatype);
    for (int i = 0; i < comm->npeers; i++)
        if (!is_self(comm, i) && count_at(counts, i) > 0)
            send_to(stats, comm, i,
                    record_product((uint64_t)count_at(counts, i), size));
}

struct call_stats *rule_each_v(enum call_type type,
                               MPI_Comm handle,
                               struct counts counts,
                               MPI_Datatype datatype)
{
    struct call_stats *stats;
    const struct comm *comm = collective(&stats, type, handle);
    if (comm)
        send_v(stats, comm, counts, datatype);
    return stats;
}

struct call_stats *rule_each_w(enum call_type type,
                               MPI_Comm handle,
                               struct counts counts,
                               const MPI_Datatype *datatypes)
{
    struct call_stats *stats;
    const struct comm *comm = collective(&stats, type, handle);
    for (int i = 0; comm && i < comm->npeers; i++)
        if (!is_self(comm, i) && count_at(counts, i) > 0)
            send_to(stats, comm, i,
                    datatype_bytes(count_at(counts, i), datatypes[i]));
    return stats;
}

struct call_stats *rule_from_root(enum call_type type,
                                  MPI_Comm handle,
                                  int root,
                                  MPI_Count count,
                                  MPI_Datatype datatype)
{
    struct call_stats *stats;
    struct comm *comm = collective(&stats, type, handle);
    if (!comm || !is_root(comm, root))
        return stats;
    const uint64_t bytes = datatype_bytes(count, datatype);
    send_to_each(stats, comm, bytes);
    add_record(comm, type, true, root, bytes);
    return stats;
}

struct call_stats *rule_from_root_v(enum call_type type,
                                    MPI_Comm handle,
                                    int root,
                                    struct counts counts,
                                    MPI_Datatype datatype)
{
    struct call_stats *stats;
    const struct comm *comm = collective(&stats, type, handle);
    if (comm && is_root(comm, root))
        send_v(stats, comm, counts, datatype);
    return stats;
}

/* In the root's group of an inter-communicator root is MPI_ROOT or
 * MPI_PROC_NULL, both negative: nobody there sends. */
static void send_to_root(struct call_stats *stats,
                         const struct comm *comm,
                         int root,
                         MPI_Count count,
                         MPI_Datatype datatype)
{
    if (root >= 0 && !is_self(comm, root))
        send_to(stats, comm, root, datatype_bytes(count, datatype));
}

struct call_stats *rule_to_root(enum call_type type,
                                MPI_Comm handle,
                                int root,
                                MPI_Count sendcount,
                                MPI_Datatype sendtype,
                                MPI_Count recvcount,
                                MPI_Datatype recvtype)
{
    struct call_stats *stats;
    struct comm *comm = collective(&stats, type, handle);
    if (!comm)
        return stats;
    send_to_root(stats, comm, root, sendcount, sendtype);
    if (is_self(comm, root))
        add_record(comm, type, true, root, datatype_bytes(recvcount, recvtype));
    return stats;
}

struct call_stats *rule_to_root_v(enum call_type type,
                                  MPI_Comm handle,
                                  int root,
                                  MPI_Count count,
                                  MPI_Datatype datatype)
{
    struct call_stats *stats;
    const struct comm *comm = collective(&stats, type, handle);
    if (comm)
        send_to_root(stats, comm, root, count, datatype);
    return stats;
}

struct call_stats *rule_reduce(enum call_type type,
                               MPI_Comm handle,
                               int root,
                               MPI_Count count,
                               MPI_Datatype datatype)
{
    return rule_to_root(type, handle, root, count, datatype, count, datatype);
}

static struct call_stats *double_bytes(struct call_stats *stats,
                                       struct comm *comm,
                                       uint64_t bytes)
{
    send_doubling(stats, comm, bytes);
    add_record(comm, stats->type, comm->rank == 0, 0, bytes);
    return stats;
}

struct call_stats *rule_doubling(enum call_type type,
                                 MPI_Comm handle,
                                 MPI_Count count,
                                 MPI_Datatype datatype)
{
    struct call_stats *stats;
    struct comm *comm = collective(&stats, type, handle);
    return comm ? double_bytes(stats, comm, datatype_bytes(count, datatype))
                : stats;
}

struct call_stats *rule_doubling_v(enum call_type type,
                                   MPI_Comm handle,
                                   struct counts counts,
                                   MPI_Datatype datatype)
{
    struct call_stats *stats;
    struct comm *comm = collective(&stats, type, handle);
    MPI_Count sum = 0;
    for (int i = 0; comm && i < comm->size; i++)
        sum += count_at(counts, i);
    return comm ? double_bytes(stats, comm, datatype_bytes(sum, datatype))
                : stats;
}

struct call_stats *rule_doubling_block(enum call_type type,
                                       MPI_Comm handle,
                                       MPI_Count count,
                                       MPI_Datatype datatype)
{
    struct call_stats *stats;
    struct comm *comm = collective(&stats, type, handle);
    return comm ? double_bytes(stats, comm,
                               record_product((uint64_t)comm->size,
                                              datatype_bytes(count, datatype)))
                : stats;
}

struct call_stats *rule_prefix(enum call_type type,
                               MPI_Comm handle,
                               MPI_Count count,
                               MPI_Datatype datatype)
{
    struct call_stats *stats;
    struct comm *comm = collective(&stats, type, handle);
    if (!comm)
        return stats;
    const uint64_t bytes = datatype_bytes(count, datatype);
    for (int64_t distance = 1; comm->rank + distance < comm->npeers;
         distance *= 2)
        send_to(stats, comm, (int)(comm->rank + distance), bytes);
    add_record(comm, type, comm->rank == 0, 0, bytes);
    return stats;
}

struct call_stats *rule_barrier(enum call_type type, MPI_Comm handle)
{
    struct call_stats *stats;
    const struct comm *comm = collective(&stats, type, handle);
    if (comm)
        send_doubling(stats, comm, 0);
    return stats;
}

/* ---- neighbourhoods */

/* Only to neighbours, so that no communicator is too large. */
static void neighbour_send(struct call_stats *stats,
                           const struct comm *comm,
                           int i,
                           MPI_Count count,
                           MPI_Datatype datatype)
{
    const int peer = comm->neighbours[i];
    const uint64_t bytes =
        peer < 0 || is_self(comm, peer) ? 0 : datatype_bytes(count, datatype);
    if (bytes > 0)
        record_message(stats, comm_world_rank(comm, peer), bytes, OUTGOING);
}

static struct comm *neighbourhood(struct call_stats **stats,
                                  enum call_type type,
                                  MPI_Comm handle)
{
    struct comm *comm = collective(stats, type, handle);
    if (comm && !comm->neighbours_known)
        comm_find_neighbours(comm, handle);
    return comm;
}

struct call_stats *rule_neighbour_each(enum call_type type,
                                       MPI_Comm handle,
                                       MPI_Count count,
                                       MPI_Datatype datatype)
{
    struct call_stats *stats;
    const struct comm *comm = neighbourhood(&stats, type, handle);
    for (int i = 0; comm && i < comm->nneighbours; i++)
        neighbour_send(stats, comm, i, count, datatype);
    return stats;
}

struct call_stats *rule_neighbour_v(enum call_type type,
                                    MPI_Comm handle,
                                    struct counts counts,
                                    MPI_Datatype datatype)
{
    struct call_stats *stats;
    const struct comm *comm = neighbourhood(&stats, type, handle);
    for (int i = 0; comm && i < comm->nneighbours; i++)
        neighbour_send(stats, comm, i, count_at(counts, i), datatype);
    return stats;
}

struct call_stats *rule_neighbour_w(enum call_type type,
                                    MPI_Comm handle,
                                    struct counts counts,
                                    const MPI_Datatype *datatypes)
{
    struct call_stats *stats;
    const struct comm *comm = neighbourhood(&stats, type, handle);
    for (int i = 0; comm && i < comm->nneighbours; i++)
        neighbour_send(stats, comm, i, count_at(counts, i), datatypes[i]);
    return stats;
}
