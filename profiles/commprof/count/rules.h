/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rules.h - how one call becomes calls, bytes and pairs */
#ifndef COMMPROF_RULES_H
#define COMMPROF_RULES_H

#include "commprof/count/datatype.h"
#include "commprof/count/record.h"

#include <mpi.h>

/* The rules, by kind of call. Every task counts what it sends itself, from its
 * own arguments, so that nothing has to be asked of others; each pair is then
 * known from the task that sends.
 *
 * - point-to-point: bytes of the message to its destination. A message to
 *   MPI_PROC_NULL has no bytes; one to the task itself, or to a task outside
 *   of MPI_COMM_WORLD, has bytes and no pair. A partitioned message is one.
 * - alltoall, alltoallv, alltoallw, allgather, allgatherv: each block to the
 *   task that gets it.
 * - bcast, scatter, scatterv: the root to each other task. gather, gatherv,
 *   reduce: each other task to the root.
 * - allreduce, reduce_scatter, reduce_scatter_block: the whole vector to each
 *   partner at distance 1, 2, 4, ...: rank XOR distance when the number of
 *   tasks is a power of two (recursive doubling), else rank + distance,
 *   modulo that number (dissemination).
 * - scan, exscan: the vector to rank + 1, + 2, + 4, ... as far as there are.
 * - barrier: as allreduce, messages of no bytes.
 * - neighbourhoods: each block to the neighbour that gets it, over however many
 *   tasks.
 * - one-sided: from origin to target; what is fetched, from target to origin;
 *   both for calls that do both.
 *
 * In collectives a task's block for itself counts nothing. MPI_IN_PLACE takes
 * the counts and datatype of the receiving side, as MPI does. Over an
 * inter-communicator the receivers are in the remote group, and an allreduce or
 * reduce_scatter sends once, to the remote task of the same rank (modulo the
 * remote group's size). A collective over more than a given share of
 * MPI_COMM_WORLD keeps calls, time and bytes and gives no pairs: it has
 * hardly any room left to be placed better (Galvez, Jain, Kale, "Automatic
 * topology mapping of diverse large-scale parallel applications", ICS 2017,
 * section 4.1.1).
 *
 * Collectives of equal blocks are also kept by the set of their tasks, so that
 * a reader may expand them otherwise: by the root when there is one, else by
 * rank 0.
 *
 * Each rule returns what the call's time is to be credited to. */

#define IN_PLACE(sendbuf, otherwise, in_place)                                 \
    ((sendbuf) == MPI_IN_PLACE ? (in_place) : (otherwise))

/* A call that sends nothing. */
static inline struct call_stats *rule_count(enum call_type type)
{
    struct call_stats *stats = record_stats(type);
    record_calls(stats, 1);
    return stats;
}

struct call_stats *rule_send(enum call_type type,
                             MPI_Comm comm,
                             int dest,
                             MPI_Count count,
                             MPI_Datatype datatype);
/* Of partitions x count elements. */
struct call_stats *rule_send_parts(enum call_type type,
                                   MPI_Comm comm,
                                   int dest,
                                   int partitions,
                                   MPI_Count count,
                                   MPI_Datatype datatype);

/* Blocks of a size to each other task: the same for all; the task's own from
 * recvcounts when in place; one count a task; one count and datatype a task. */
struct call_stats *rule_each(enum call_type type,
                             MPI_Comm comm,
                             MPI_Count count,
                             MPI_Datatype datatype);
struct call_stats *rule_each_own(enum call_type type,
                                 MPI_Comm comm,
                                 const void *sendbuf,
                                 MPI_Count sendcount,
                                 MPI_Datatype sendtype,
                                 struct counts recvcounts,
                                 MPI_Datatype recvtype);
struct call_stats *rule_each_v(enum call_type type,
                               MPI_Comm comm,
                               struct counts counts,
                               MPI_Datatype datatype);
struct call_stats *rule_each_w(enum call_type type,
                               MPI_Comm comm,
                               struct counts counts,
                               const MPI_Datatype *datatypes);

/* The root to each; each to the root (which knows the block's size by what it
 * receives). */
struct call_stats *rule_from_root(enum call_type type,
                                  MPI_Comm comm,
                                  int root,
                                  MPI_Count count,
                                  MPI_Datatype datatype);
struct call_stats *rule_from_root_v(enum call_type type,
                                    MPI_Comm comm,
                                    int root,
                                    struct counts counts,
                                    MPI_Datatype datatype);
struct call_stats *rule_to_root(enum call_type type,
                                MPI_Comm comm,
                                int root,
                                MPI_Count sendcount,
                                MPI_Datatype sendtype,
                                MPI_Count recvcount,
                                MPI_Datatype recvtype);
struct call_stats *rule_to_root_v(enum call_type type,
                                  MPI_Comm comm,
                                  int root,
                                  MPI_Count count,
                                  MPI_Datatype datatype);
struct call_stats *rule_reduce(enum call_type type,
                               MPI_Comm comm,
                               int root,
                               MPI_Count count,
                               MPI_Datatype datatype);

/* To partners at distances that double: a vector of count elements; of the sum
 * of counts; of count elements a task. */
struct call_stats *rule_doubling(enum call_type type,
                                 MPI_Comm comm,
                                 MPI_Count count,
                                 MPI_Datatype datatype);
struct call_stats *rule_doubling_v(enum call_type type,
                                   MPI_Comm comm,
                                   struct counts counts,
                                   MPI_Datatype datatype);
struct call_stats *rule_doubling_block(enum call_type type,
                                       MPI_Comm comm,
                                       MPI_Count count,
                                       MPI_Datatype datatype);
/* To the ranks above at distances that double. */
struct call_stats *rule_prefix(enum call_type type,
                               MPI_Comm comm,
                               MPI_Count count,
                               MPI_Datatype datatype);
struct call_stats *rule_barrier(enum call_type type, MPI_Comm comm);

/* To each neighbour: the same for all; one count a neighbour; one count and
 * datatype a neighbour. */
struct call_stats *rule_neighbour_each(enum call_type type,
                                       MPI_Comm comm,
                                       MPI_Count count,
                                       MPI_Datatype datatype);
struct call_stats *rule_neighbour_v(enum call_type type,
                                    MPI_Comm comm,
                                    struct counts counts,
                                    MPI_Datatype datatype);
struct call_stats *rule_neighbour_w(enum call_type type,
                                    MPI_Comm comm,
                                    struct counts counts,
                                    const MPI_Datatype *datatypes);

/* One-sided: to the target; from it; both, but for what MPI_NO_OP leaves
 * behind; one element each way. */
struct call_stats *rule_put(enum call_type type,
                            MPI_Win win,
                            int target,
                            MPI_Count count,
                            MPI_Datatype datatype);
struct call_stats *rule_get(enum call_type type,
                            MPI_Win win,
                            int target,
                            MPI_Count count,
                            MPI_Datatype datatype);
struct call_stats *rule_fetch(enum call_type type,
                              MPI_Win win,
                              int target,
                              MPI_Op op,
                              MPI_Count count,
                              MPI_Datatype datatype,
                              MPI_Count result_count,
                              MPI_Datatype result_type);
struct call_stats *rule_swap(enum call_type type,
                             MPI_Win win,
                             int target,
                             MPI_Datatype datatype);

#endif
