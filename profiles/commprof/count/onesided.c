/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* onesided.c - the rules of one-sided calls */
#include "config.h"

#include "commprof/count/comm.h"
#include "commprof/count/datatype.h"
#include "commprof/count/rules.h"
#include "commprof/next_mpi.h"

static struct call_stats *access_window(enum call_type type,
                                        MPI_Win win,
                                        int target,
                                        uint64_t out,
                                        uint64_t in)
{
    struct call_stats *stats = record_stats(type);

    record_calls(stats, 1);
    if (target == MPI_PROC_NULL)
        return stats;
    const struct comm *comm = comm_of_window(win);
    if (!comm) {
        shared_lose();
        return stats;
    }
    const uint32_t peer = comm_world_rank(comm, target);
    if (out > 0)
        record_message(stats, peer, out, OUTGOING);
    if (in > 0)
        record_message(stats, peer, in, INCOMING);
    return stats;
}

struct call_stats *rule_put(enum call_type type,
                            MPI_Win win,
                            int target,
                            MPI_Count count,
                            MPI_Datatype datatype)
{
    return access_window(type, win, target, datatype_bytes(count, datatype), 0);
}

struct call_stats *rule_get(enum call_type type,
                            MPI_Win win,
                            int target,
                            MPI_Count count,
                            MPI_Datatype datatype)
{
    return access_window(type, win, target, 0, datatype_bytes(count, datatype));
}

struct call_stats *rule_fetch(enum call_type type,
                              MPI_Win win,
                              int target,
                              MPI_Op op,
                              MPI_Count count,
                              MPI_Datatype datatype,
                              MPI_Count result_count,
                              MPI_Datatype result_type)
{
    return access_window(type, win, target,
                         op == next_mpi.no_op ? 0
                                              : datatype_bytes(count, datatype),
                         datatype_bytes(result_count, result_type));
}

struct call_stats *rule_swap(enum call_type type,
                             MPI_Win win,
                             int target,
                             MPI_Datatype datatype)
{
    const uint64_t bytes = datatype_bytes(1, datatype);
    return access_window(type, win, target, bytes, bytes);
}
