/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rules.h - how one call becomes calls, bytes and pairs */
#ifndef COMMPROF_RULES_H
#define COMMPROF_RULES_H

#include "commprof/count/record.h"

#include <mpi.h>
#include <string.h>

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
 * Each rule's caller gets what the call's time is to be credited to. The calls
 * are made from calls.def by calls.awk, which knows the members of rule_call
 * that each one reads. */

/* An array of counts, of int or of MPI_Count. */
struct counts {
    const void *array;
    bool wide;
};
#define IS_WIDE(values) _Generic(*(values), int : false, default : true)
#define COUNTS(values)  ((struct counts){(values), IS_WIDE(values)})

/* Predefined types are never freed, so that their handles mean the same for
 * ever. Under shared_lock. */
enum { DATATYPE_NCACHED = 16 };
struct datatype_cached {
    MPI_Datatype datatype;
    uint64_t size; /* 0: nothing is here yet */
};
extern struct datatype_cached datatype_cache[DATATYPE_NCACHED];
uint64_t datatype_ask(MPI_Datatype datatype);

static inline struct datatype_cached *datatype_cache_slot(MPI_Datatype datatype)
{
    uintptr_t bits = 0;
    memcpy(&bits, &datatype, sizeof(datatype));
    return &datatype_cache[(bits ^ bits >> 4 ^ bits >> 8) % DATATYPE_NCACHED];
}

/* Bytes in one element, without gaps; 0 when MPI does not say. */
static inline uint64_t datatype_size(MPI_Datatype datatype)
{
    const struct datatype_cached *cached = datatype_cache_slot(datatype);

    shared_lock();
    const uint64_t found = cached->datatype == datatype ? cached->size : 0;
    shared_unlock();
    return __builtin_expect(found != 0, 1) ? found : datatype_ask(datatype);
}

static inline uint64_t datatype_bytes(MPI_Count count, MPI_Datatype datatype)
{
    return count > 0 ? record_product((uint64_t)count, datatype_size(datatype))
                     : 0;
}

static inline MPI_Count count_at(struct counts counts, int i)
{
    return counts.wide ? ((const MPI_Count *)counts.array)[i]
                       : ((const int *)counts.array)[i];
}

#define IN_PLACE(sendbuf, otherwise, in_place)                                 \
    ((sendbuf) == MPI_IN_PLACE ? (in_place) : (otherwise))

/* What a rule reads of a call. */
struct rule_call {
    enum call_type type;
    MPI_Comm comm;
    int peer; /* the root, or the target */
    /* Elements of the block for each peer: the same for all, unless there are
     * counts, one a peer, and maybe datatypes, too. */
    MPI_Count count;
    MPI_Datatype datatype;
    struct counts counts;
    const MPI_Datatype *datatypes;
    /* What comes back: to the root from each, from the target; or, in place,
     * the task's own among the counts. */
    MPI_Count in_count;
    MPI_Datatype in_datatype;
    bool in_place;
    MPI_Win win;
};

/* A call that sends nothing. */
static inline struct call_stats *rule_count(enum call_type type)
{
    struct call_stats *stats = record_stats(type);
    record_calls(stats, 1);
    return stats;
}

/* Point-to-point, by its arguments alone, for speed; partitioned: of partitions
 * x count elements. */
struct call_stats *rule_send(enum call_type type,
                             MPI_Comm comm,
                             int dest,
                             MPI_Count count,
                             MPI_Datatype datatype);
struct call_stats *rule_send_parts(enum call_type type,
                                   MPI_Comm comm,
                                   int dest,
                                   int partitions,
                                   MPI_Count count,
                                   MPI_Datatype datatype);

/* A collective by its rule; its communicator's counters. */
struct comm;
typedef void rule_of(struct call_stats *stats,
                     struct comm *comm,
                     const struct rule_call *call);
struct call_stats *rule_collective(rule_of *rule, const struct rule_call *call);
/* A block to each other task; the same for all in a call that has counts for
 * what is received. */
rule_of rule_each, rule_each_own;
/* The root to each; each to the root (which knows the size of equal blocks by
 * what it receives). */
rule_of rule_from_root, rule_to_root, rule_to_root_v;
/* To partners at distances that double: a vector of count elements, or of the
 * sum of counts; of count elements a task; no bytes. */
rule_of rule_doubling, rule_doubling_block, rule_barrier;
/* To the ranks above at distances that double; a block to each neighbour. */
rule_of rule_prefix, rule_neighbour;
/* One-sided: to the target, and from it. */
struct call_stats *rule_access(const struct rule_call *call);

#endif
