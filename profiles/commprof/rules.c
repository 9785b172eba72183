/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rules.c - the rules by which calls become calls, bytes and pairs */
#include "config.h"

#include "commprof/rules.h"

#include "commprof/below.h"
#include "commprof/comm.h"
#include "commprof/persistent.h"

static uint64_t size_of(MPI_Datatype datatype)
{
    MPI_Count size = 0;
    if (below.Type_size_x(datatype, &size) != MPI_SUCCESS || size < 0)
        return 0;
    return (uint64_t)size;
}

static uint64_t message_bytes(MPI_Count count, MPI_Datatype datatype)
{
    return count > 0 ? record_product((uint64_t)count, size_of(datatype)) : 0;
}

static MPI_Count count_at(struct counts counts, int i)
{
    return counts.wide ? ((const MPI_Count *)counts.array)[i]
                       : ((const int *)counts.array)[i];
}

/* Counts the call of a collective and finds its communicator. */
static const struct comm *collective(enum call_type type, MPI_Comm handle)
{
    const struct comm *comm = comm_get(handle);
    record_calls(type, 1);
    if (!comm)
        record_lost();
    return comm;
}

static void send_to(enum call_type type,
                    const struct comm *comm,
                    int peer,
                    uint64_t bytes)
{
    if (comm->large)
        record_large(type, bytes);
    else
        record_bytes(type, comm_world_rank(comm, peer), bytes);
}

static bool is_self(const struct comm *comm, int peer)
{
    return !comm->inter && peer == comm->rank;
}

static void send_to_each(enum call_type type,
                         const struct comm *comm,
                         uint64_t bytes)
{
    if (comm->large) {
        const int n = comm->npeers - (comm->inter ? 0 : 1);
        record_large(type, record_product(bytes, (uint64_t)n));
        return;
    }
    for (int i = 0; bytes && i < comm->npeers; i++)
        if (!is_self(comm, i))
            send_to(type, comm, i, bytes);
}

static void send_doubling(enum call_type type,
                          const struct comm *comm,
                          uint64_t bytes)
{
    const int64_t n = comm->npeers;
    const bool power_of_two = (n & (n - 1)) == 0;

    if (comm->inter) {
        if (n > 0)
            send_to(type, comm, comm->rank % comm->npeers, bytes);
        return;
    }
    for (int64_t distance = 1; distance < n; distance *= 2)
        send_to(type, comm,
                (int)(power_of_two ? comm->rank ^ distance
                                   : (comm->rank + distance) % n),
                bytes);
}

/* Whether this task is the one whose buffers a rooted call distributes. */
static bool is_root(const struct comm *comm, int root)
{
    return comm->inter ? root == MPI_ROOT : root == comm->rank;
}

void rule_call(enum call_type type)
{
    record_calls(type, 1);
}

void rule_send(enum call_type type,
               MPI_Comm handle,
               int dest,
               MPI_Count count,
               MPI_Datatype datatype)
{
    record_calls(type, 1);
    if (dest == MPI_PROC_NULL || count == 0)
        return;
    const struct comm *comm = comm_get(handle);
    if (comm)
        record_bytes(type, comm_world_rank(comm, dest),
                     message_bytes(count, datatype));
    else
        record_lost();
}

void rule_prepare(enum call_type type,
                  MPI_Comm handle,
                  int dest,
                  MPI_Count count,
                  MPI_Datatype datatype,
                  const MPI_Request *request)
{
    uint32_t peer = MAPCORE_NONE;
    uint64_t bytes = 0;

    (void)type;
    if (dest != MPI_PROC_NULL) {
        const struct comm *comm = comm_get(handle);
        if (!comm) {
            record_lost();
            return;
        }
        peer = comm_world_rank(comm, dest);
        bytes = message_bytes(count, datatype);
    }
    if (!persistent_add(*request, peer, bytes))
        record_lost();
}

void rule_start(enum call_type type, int count, const MPI_Request *requests)
{
    uint32_t peer;
    uint64_t bytes;

    for (int i = 0; i < count; i++) {
        if (!persistent_find(requests[i], &peer, &bytes))
            continue;
        record_calls(type, 1);
        record_bytes(type, peer, bytes);
    }
}

void rule_forget(MPI_Request request)
{
    persistent_remove(request);
}

void rule_each(enum call_type type,
               MPI_Comm handle,
               MPI_Count count,
               MPI_Datatype datatype)
{
    const struct comm *comm = collective(type, handle);
    if (comm)
        send_to_each(type, comm, message_bytes(count, datatype));
}

void rule_each_own(enum call_type type,
                   MPI_Comm handle,
                   const void *sendbuf,
                   MPI_Count sendcount,
                   MPI_Datatype sendtype,
                   struct counts recvcounts,
                   MPI_Datatype recvtype)
{
    const struct comm *comm = collective(type, handle);
    if (!comm)
        return;
    if (sendbuf == MPI_IN_PLACE) {
        sendcount = count_at(recvcounts, comm->rank);
        sendtype = recvtype;
    }
    send_to_each(type, comm, message_bytes(sendcount, sendtype));
}

void rule_each_v(enum call_type type,
                 MPI_Comm handle,
                 struct counts counts,
                 MPI_Datatype datatype)
{
    const struct comm *comm = collective(type, handle);
    if (!comm)
        return;
    const uint64_t size = size_of(datatype);
    for (int i = 0; i < comm->npeers; i++)
        if (!is_self(comm, i) && count_at(counts, i) > 0)
            send_to(type, comm, i,
                    record_product((uint64_t)count_at(counts, i), size));
}

void rule_each_w(enum call_type type,
                 MPI_Comm handle,
                 struct counts counts,
                 const MPI_Datatype *datatypes)
{
    const struct comm *comm = collective(type, handle);
    if (!comm)
        return;
    for (int i = 0; i < comm->npeers; i++)
        if (!is_self(comm, i))
            send_to(type, comm, i,
                    message_bytes(count_at(counts, i), datatypes[i]));
}

void rule_from_root(enum call_type type,
                    MPI_Comm handle,
                    int root,
                    MPI_Count count,
                    MPI_Datatype datatype)
{
    const struct comm *comm = collective(type, handle);
    if (comm && is_root(comm, root))
        send_to_each(type, comm, message_bytes(count, datatype));
}

void rule_from_root_v(enum call_type type,
                      MPI_Comm handle,
                      int root,
                      struct counts counts,
                      MPI_Datatype datatype)
{
    const struct comm *comm = collective(type, handle);
    if (!comm || !is_root(comm, root))
        return;
    const uint64_t size = size_of(datatype);
    for (int i = 0; i < comm->npeers; i++)
        if (!is_self(comm, i) && count_at(counts, i) > 0)
            send_to(type, comm, i,
                    record_product((uint64_t)count_at(counts, i), size));
}

/* In the root's group of an inter-communicator root is MPI_ROOT or
 * MPI_PROC_NULL, both negative: nobody there sends. */
void rule_to_root(enum call_type type,
                  MPI_Comm handle,
                  int root,
                  MPI_Count count,
                  MPI_Datatype datatype)
{
    const struct comm *comm = collective(type, handle);
    if (comm && root >= 0 && !is_self(comm, root))
        send_to(type, comm, root, message_bytes(count, datatype));
}

void rule_doubling(enum call_type type,
                   MPI_Comm handle,
                   MPI_Count count,
                   MPI_Datatype datatype)
{
    const struct comm *comm = collective(type, handle);
    if (comm)
        send_doubling(type, comm, message_bytes(count, datatype));
}

void rule_doubling_v(enum call_type type,
                     MPI_Comm handle,
                     struct counts counts,
                     MPI_Datatype datatype)
{
    const struct comm *comm = collective(type, handle);
    MPI_Count sum = 0;
    if (!comm)
        return;
    for (int i = 0; i < comm->size; i++)
        sum += count_at(counts, i);
    send_doubling(type, comm, message_bytes(sum, datatype));
}

void rule_doubling_block(enum call_type type,
                         MPI_Comm handle,
                         MPI_Count count,
                         MPI_Datatype datatype)
{
    const struct comm *comm = collective(type, handle);
    if (comm)
        send_doubling(type, comm,
                      record_product((uint64_t)comm->size,
                                     message_bytes(count, datatype)));
}

void rule_prefix(enum call_type type,
                 MPI_Comm handle,
                 MPI_Count count,
                 MPI_Datatype datatype)
{
    const struct comm *comm = collective(type, handle);
    if (!comm)
        return;
    for (int64_t distance = 1; comm->rank + distance < comm->npeers;
         distance *= 2)
        send_to(type, comm, (int)(comm->rank + distance),
                message_bytes(count, datatype));
}
