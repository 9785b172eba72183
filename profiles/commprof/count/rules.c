/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rules.c - the rules by which calls become calls, bytes and pairs */
#include "config.h"

#include "commprof/count/rules.h"

#include "commprof/count/comm.h"
#include "commprof/count/first_use.h"
#include "commprof/next_mpi.h"

struct datatype_cached datatype_cache[DATATYPE_NCACHED];

static bool is_predefined(MPI_Datatype datatype)
{
    int integers, addresses, datatypes, combiner;
    return next_mpi.Type_get_envelope(datatype, &integers, &addresses,
                                      &datatypes, &combiner) == MPI_SUCCESS &&
           combiner == MPI_COMBINER_NAMED;
}

__attribute__((noinline)) uint64_t datatype_ask(MPI_Datatype datatype)
{
    MPI_Count size = 0;

    if (next_mpi.Type_size_x(datatype, &size) != MPI_SUCCESS || size <= 0)
        return 0;
    if (is_predefined(datatype)) {
        shared_lock();
        *datatype_cache_slot(datatype) =
            (struct datatype_cached){datatype, (uint64_t)size};
        shared_unlock();
    }
    return (uint64_t)size;
}

struct call_stats *rule_collective(rule_of *rule, const struct rule_call *call)
{
    struct comm *comm = comm_get(call->comm);
    struct call_stats *stats =
        comm ? comm_stats(comm, call->type) : record_stats(call->type);

    record_calls(stats, 1);
    if (comm)
        rule(stats, comm, call);
    else
        shared_lose();
    return stats;
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
    struct call_stats *stats = rule_count(type);

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

/* The bytes of the block for a peer. */
static uint64_t block_bytes(const struct rule_call *call, int i)
{
    return datatype_bytes(
        call->counts.array ? count_at(call->counts, i) : call->count,
        call->datatypes ? call->datatypes[i] : call->datatype);
}

static void send_blocks(struct call_stats *stats,
                        const struct comm *comm,
                        const struct rule_call *call)
{
    if (!call->counts.array)
        send_to_each(stats, comm, block_bytes(call, 0));
    else
        for (int i = 0; i < comm->npeers; i++)
            if (!is_self(comm, i))
                send_to(stats, comm, i, block_bytes(call, i));
}

void rule_each(struct call_stats *stats,
               struct comm *comm,
               const struct rule_call *call)
{
    send_blocks(stats, comm, call);
    if (!call->counts.array)
        add_record(comm, call->type, comm->rank == 0, 0, block_bytes(call, 0));
}

void rule_each_own(struct call_stats *stats,
                   struct comm *comm,
                   const struct rule_call *call)
{
    send_to_each(stats, comm,
                 call->in_place
                     ? datatype_bytes(count_at(call->counts, comm->rank),
                                      call->in_datatype)
                     : datatype_bytes(call->count, call->datatype));
}

void rule_from_root(struct call_stats *stats,
                    struct comm *comm,
                    const struct rule_call *call)
{
    /* Only the task whose buffers the call distributes. */
    if (call->peer != (comm->inter ? MPI_ROOT : comm->rank))
        return;
    send_blocks(stats, comm, call);
    if (!call->counts.array)
        add_record(comm, call->type, true, call->peer, block_bytes(call, 0));
}

/* In the root's group of an inter-communicator root is MPI_ROOT or
 * MPI_PROC_NULL, both negative: no rank there sends. */
void rule_to_root_v(struct call_stats *stats,
                    struct comm *comm,
                    const struct rule_call *call)
{
    if (call->peer >= 0 && !is_self(comm, call->peer))
        send_to(stats, comm, call->peer, block_bytes(call, 0));
}

void rule_to_root(struct call_stats *stats,
                  struct comm *comm,
                  const struct rule_call *call)
{
    rule_to_root_v(stats, comm, call);
    if (is_self(comm, call->peer))
        add_record(comm, call->type, true, call->peer,
                   datatype_bytes(call->in_count, call->in_datatype));
}

static void double_bytes(struct call_stats *stats,
                         struct comm *comm,
                         uint64_t bytes)
{
    send_doubling(stats, comm, bytes);
    add_record(comm, stats->type, comm->rank == 0, 0, bytes);
}

void rule_doubling(struct call_stats *stats,
                   struct comm *comm,
                   const struct rule_call *call)
{
    MPI_Count sum = call->count;

    for (int i = 0; call->counts.array && i < comm->size; i++)
        sum += count_at(call->counts, i);
    double_bytes(stats, comm, datatype_bytes(sum, call->datatype));
}

void rule_doubling_block(struct call_stats *stats,
                         struct comm *comm,
                         const struct rule_call *call)
{
    double_bytes(stats, comm,
                 record_product((uint64_t)comm->size, block_bytes(call, 0)));
}

void rule_prefix(struct call_stats *stats,
                 struct comm *comm,
                 const struct rule_call *call)
{
    const uint64_t bytes = block_bytes(call, 0);

    for (int64_t distance = 1; comm->rank + distance < comm->npeers;
         distance *= 2)
        send_to(stats, comm, (int)(comm->rank + distance), bytes);
    add_record(comm, call->type, comm->rank == 0, 0, bytes);
}

void rule_barrier(struct call_stats *stats,
                  struct comm *comm,
                  const struct rule_call *call)
{
    (void)call;
    send_doubling(stats, comm, 0);
}

/* Only to neighbours, so that no communicator is too large. */
void rule_neighbour(struct call_stats *stats,
                    struct comm *comm,
                    const struct rule_call *call)
{
    if (!comm->neighbours_known)
        comm_find_neighbours(comm, call->comm);
    for (int i = 0; i < comm->nneighbours; i++) {
        const int peer = comm->neighbours[i];
        const uint64_t bytes =
            peer < 0 || is_self(comm, peer) ? 0 : block_bytes(call, i);

        if (bytes > 0)
            record_message(stats, comm_world_rank(comm, peer), bytes, OUTGOING);
    }
}

struct call_stats *rule_access(const struct rule_call *call)
{
    struct call_stats *stats = rule_count(call->type);
    const uint64_t out = datatype_bytes(call->count, call->datatype),
                   in = datatype_bytes(call->in_count, call->in_datatype);
    const struct comm *comm;

    if (call->peer == MPI_PROC_NULL)
        return stats;
    if (!(comm = comm_of_window(call->win))) {
        shared_lose();
        return stats;
    }
    if (out > 0)
        record_message(stats, comm_world_rank(comm, call->peer), out, OUTGOING);
    if (in > 0)
        record_message(stats, comm_world_rank(comm, call->peer), in, INCOMING);
    return stats;
}
