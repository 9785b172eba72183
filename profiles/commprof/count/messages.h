/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* messages.h - what tasks have counted, as sorted lists that can be merged;
 * knows nothing of MPI */
#ifndef COMMPROF_MESSAGES_H
#define COMMPROF_MESSAGES_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* Types of calls, in the order in which a profile lists them. */
#define RECORD_TYPES(X)                                                        \
    X(P2P, "p2p")                                                              \
    X(ALLGATHER, "allgather")                                                  \
    X(ALLGATHERV, "allgatherv")                                                \
    X(ALLREDUCE, "allreduce")                                                  \
    X(ALLTOALL, "alltoall")                                                    \
    X(ALLTOALLV, "alltoallv")                                                  \
    X(ALLTOALLW, "alltoallw")                                                  \
    X(BARRIER, "barrier")                                                      \
    X(BCAST, "bcast")                                                          \
    X(EXSCAN, "exscan")                                                        \
    X(GATHER, "gather")                                                        \
    X(GATHERV, "gatherv")                                                      \
    X(NEIGHBOR_ALLGATHER, "neighbor_allgather")                                \
    X(NEIGHBOR_ALLGATHERV, "neighbor_allgatherv")                              \
    X(NEIGHBOR_ALLTOALL, "neighbor_alltoall")                                  \
    X(NEIGHBOR_ALLTOALLV, "neighbor_alltoallv")                                \
    X(NEIGHBOR_ALLTOALLW, "neighbor_alltoallw")                                \
    X(REDUCE, "reduce")                                                        \
    X(REDUCE_SCATTER, "reduce_scatter")                                        \
    X(REDUCE_SCATTER_BLOCK, "reduce_scatter_block")                            \
    X(RMA, "rma")                                                              \
    X(SCAN, "scan")                                                            \
    X(SCATTER, "scatter")                                                      \
    X(SCATTERV, "scatterv")

/* TYPE_NONE: what is neither counted nor timed. */
#define RECORD_TYPE(name, text) TYPE_##name,
enum call_type { RECORD_TYPES(RECORD_TYPE) NTYPES, TYPE_NONE = NTYPES };
extern const char *const type_names[NTYPES];

/* Phases, as MPI_Pcontrol names them: 0 is the first, level 1; 2 and on are the
 * levels themselves. Behind them are the regions, regions.h. */
enum {
    PHASES_LEVELS = 32,
    REGIONS_MOST = 32,
    PHASES_MOST = PHASES_LEVELS + REGIONS_MOST,
    PHASES_ALL = PHASES_MOST
};

/* How people count them: from 1. */
static inline uint32_t phase_number(uint32_t phase)
{
    return phase == 0 ? 1 : phase;
}

/* What one type has come to over communicators of one size (0: of no
 * communicator) in one phase. */
struct call_stats {
    uint8_t type, phase;
    uint16_t unused; /* 0 */
    uint32_t size;
    uint64_t communicators; /* how many, of different tasks */
    uint64_t calls;
    uint64_t bytes;  /* sent, to pairs or not */
    uint64_t paired; /* of these, in messages */
    uint64_t large;  /* of these, by collectives too large for pairs */
    uint64_t ns;     /* inside MPI */
};
void call_stats_add(struct call_stats *sum, const struct call_stats *part);
/* qsort's, by type, size and phase. */
int call_stats_compare(const void *one, const void *other);

/* A collective over one set of tasks in one phase: how often, and the bytes of
 * its vector or block, each call's added up. algorithm: an enum
 * algorithm_library that NCCL has reported; 0: the library's choice. */
struct collective {
    uint8_t type, algorithm;
    uint16_t phase;
    uint32_t root; /* its rank there; 0 when it has none */
    uint64_t calls, bytes;
};

/* Messages of one type and size class from one task to another. size_class 0:
 * without bytes; k: of 2^(k-1) to 2^k - 1 bytes. order: as first_use.h has it.
 */
struct message {
    uint32_t from, to;
    uint16_t type, size_class;
    uint16_t phase, order;
    uint64_t count, bytes;
};

/* Sorted by type, from, to, class, phase, each once. Starts as all zero. */
struct messages {
    struct message *message; /* message[n], owned */
    size_t n;
};

int message_compare(const void *one, const void *other);
/* Adds one that belongs behind the last, or to it, where there is room. */
void messages_append(struct messages *messages, struct message message);
/* Sorts, and adds up what is there several times. */
void messages_sort(struct messages *messages);
/* Adds more[nmore], itself sorted, to messages. Errors: ENOMEM, and messages
 * are as before. O(n + nmore). */
int messages_merge(struct messages *messages,
                   const struct message *more,
                   size_t nmore);
void messages_clear(struct messages *messages);

/* a + b and a * b, at most UINT64_MAX. */
static inline uint64_t record_sum(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static inline uint64_t record_product(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

#endif
