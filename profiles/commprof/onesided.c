/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* onesided.c - the rules of one-sided calls */
#include "config.h"

#include "commprof/comm.h"
#include "commprof/datatype.h"
#include "commprof/next_mpi.h"
#include "commprof/rules.h"

static struct use *access_window(enum call_type type,
                                 MPI_Win win,
                                 int target,
                                 uint64_t out,
                                 uint64_t in)
{
    struct use *use = record_use(type);

    record_calls(use, 1);
    if (target == MPI_PROC_NULL)
        return use;
    const struct comm *comm = comm_of_window(win);
    if (!comm) {
        record_lost();
        return use;
    }
    const uint32_t peer = comm_world_rank(comm, target);
    if (out > 0)
        record_message(use, peer, out, OUTGOING);
    if (in > 0)
        record_message(use, peer, in, INCOMING);
    return use;
}

struct use *rule_put(enum call_type type,
                     MPI_Win win,
                     int target,
                     MPI_Count count,
                     MPI_Datatype datatype)
{
    return access_window(type, win, target, datatype_bytes(count, datatype), 0);
}

struct use *rule_get(enum call_type type,
                     MPI_Win win,
                     int target,
                     MPI_Count count,
                     MPI_Datatype datatype)
{
    return access_window(type, win, target, 0, datatype_bytes(count, datatype));
}

struct use *rule_fetch(enum call_type type,
                       MPI_Win win,
                       int target,
                       MPI_Op op,
                       MPI_Count count,
                       MPI_Datatype datatype,
                       MPI_Count result_count,
                       MPI_Datatype result_type)
{
    return access_window(type, win, target,
                         op == below.no_op ? 0
                                           : datatype_bytes(count, datatype),
                         datatype_bytes(result_count, result_type));
}

struct use *rule_swap(enum call_type type,
                      MPI_Win win,
                      int target,
                      MPI_Datatype datatype)
{
    const uint64_t bytes = datatype_bytes(1, datatype);
    return access_window(type, win, target, bytes, bytes);
}
