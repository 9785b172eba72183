/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* record.h - what one task has counted so far */
#ifndef COMMPROF_RECORD_H
#define COMMPROF_RECORD_H

#include <stdbool.h>
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
    X(REDUCE, "reduce")                                                        \
    X(REDUCE_SCATTER, "reduce_scatter")                                        \
    X(REDUCE_SCATTER_BLOCK, "reduce_scatter_block")                            \
    X(SCAN, "scan")                                                            \
    X(SCATTER, "scatter")                                                      \
    X(SCATTERV, "scatterv")

#define RECORD_TYPE(name, text) TYPE_##name,
enum call_type { RECORD_TYPES(RECORD_TYPE) NTYPES };

struct totals {
    uint64_t calls;
    uint64_t bytes;  /* sent, to pairs or not */
    uint64_t paired; /* of these, in rows */
    uint64_t large;  /* of these, by collectives too large for pairs */
    uint64_t ns;     /* inside MPI */
};

/* A row: bytes of one type from this task to one other. */
struct row {
    uint32_t type, peer; /* peer: rank in MPI_COMM_WORLD */
    uint64_t bytes;
};

/* A thread that is inside a watched call does not count the calls that this
 * one makes. */
extern __thread int record_depth __attribute__((tls_model("initial-exec")));
/* From MPI_Init until the report. */
extern bool record_active;

/* Starts counting for a task of this rank; threads: several may call at once.
 */
void record_begin(uint32_t rank, bool threads);

/* Adds ns of time in a call. */
void record_time(enum call_type type, uint64_t ns);
void record_calls(enum call_type type, uint64_t n);
/* Adds bytes from this task to a world rank: to the totals, and to the peer's
 * row. To itself, or to a peer outside of MPI_COMM_WORLD (MAPCORE_NONE): to
 * the totals only. */
void record_bytes(enum call_type type, uint32_t peer, uint64_t bytes);
/* Adds bytes that a collective over too many tasks sent. */
void record_large(enum call_type type, uint64_t bytes);

/* Something could not be counted for want of memory: no profile then. */
void record_lost(void);

/* Ends counting and hands over what was counted: totals[NTYPES], rows (owned,
 * nrows of them, in no order). False when memory ran out on the way, so that
 * rows are missing. */
bool record_end(struct totals *totals, struct row **rows, size_t *nrows);

/* CLOCK_MONOTONIC. */
uint64_t record_clock_ns(void);

/* a + b and a * b, at most UINT64_MAX. */
uint64_t record_sum(uint64_t a, uint64_t b);
uint64_t record_product(uint64_t a, uint64_t b);

/* Locks when several threads may call. Never held while MPI is called. */
void record_lock(void);
void record_unlock(void);

#endif
