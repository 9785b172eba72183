/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* algorithm.h - which pairs of tasks a collective sends between in the MPI
 * library that runs it */
#ifndef COLLECTIVES_ALGORITHM_H
#define COLLECTIVES_ALGORITHM_H

#include <stdbool.h>
#include <stdint.h>

enum algorithm_library {
    ALGORITHM_MPICH,
    ALGORITHM_OPEN_MPI,
    ALGORITHM_OPEN_MPI_4_1, /* from that version on */
    ALGORITHM_OPEN_MPI_5,   /* the same, but by node */
    ALGORITHM_LIBNBC,       /* Open MPI's non-blocking bcasts and reduces, which
                               others are made of */
    ALGORITHM_MVAPICH,      /* MPICH, but for alltoalls */
    ALGORITHM_SMPI,         /* MVAPICH's, but by node */
    /* No library: the pairs of the recorder's graphs (the root with each other
     * rank; partners at distances that double; each with each); and the same
     * with binomial trees for rooted collectives. */
    ALGORITHM_DIRECT,
    ALGORITHM_TREE,
    ALGORITHM_LIBRARIES,
};

/* Calls of one collective over one communicator. */
struct algorithm_call {
    const char *type; /* "bcast" */
    enum algorithm_library library;
    uint64_t n, root; /* tasks of the communicator, and a rank in it */
    bool in_stages;   /* false: the bytes of each pair are wanted, not their
                         order; then an alltoall has half as many flows */
    uint64_t calls;
    uint64_t bytes; /* of all calls together, as `collectives` counts them: the
                       vector of one task, or one block */
};

enum algorithm_way {
    ALGORITHM_FORTH, /* a to b */
    ALGORITHM_BACK,  /* b to a */
    ALGORITHM_BOTH,  /* half of the bytes each way */
};

/* Of two ranks of the communicator. Stages follow each other; all flows of one
 * stage go at once; a stage may have no flow. */
struct algorithm_flow {
    uint64_t a, b;
    uint64_t bytes;    /* both ways together, over all calls */
    uint64_t messages; /* each way that it goes, over all calls; a pipeline's
                          segments are one, and 2^64 - 1 stands for more */
    enum algorithm_way way;
    uint32_t stage; /* below ALGORITHM_MOST_STAGES */
};

/* An alltoall of more turns has this many stages. */
enum { ALGORITHM_MOST_TURNS = 64, ALGORITHM_MOST_STAGES = 256 };
/* Of two collectives in a row inside one, the second begins at that stage; each
 * has fewer stages. */
enum { ALGORITHM_THEN = ALGORITHM_MOST_STAGES / 2 };

/* 0 goes on; anything else ends it and is returned. */
typedef int (*algorithm_pair)(void *arg, const struct algorithm_flow *flow);

/* By the first line of MPI_Get_library_version; NULL and unknown libraries are
 * taken for MPICH, which Intel's and Cray's come from. */
enum algorithm_library algorithm_library_of(const char *version);

/* Calls pair for each message of the library's default algorithm for messages
 * of bytes / calls, by the decisions of
 * - MPICH 4.0, src/mpi/coll, defaults of MPIR_CVAR_*_SHORT_MSG_SIZE and the
 *   like; the algorithms are those of Thakur, Rabenseifner and Gropp,
 *   "Optimization of Collective Communication Operations in MPICH", 2005;
 * - Open MPI, ompi/mca/coll/tuned/coll_tuned_decision_fixed.c, as it was up to
 *   4.0, and from 4.1 on. Algorithms that differ inside only (chains of a few
 *   ranks, trees in order) stand for each other;
 * - libnbc, ompi/mca/coll/libnbc/nbc_ibcast.c and nbc_ireduce.c of 5.0.7;
 * - MVAPICH2 2.x, which has MPICH's for most machines, except that an alltoall
 *   sends MV2_ALLTOALL_THROTTLE_FACTOR blocks at a time, 4 (MPICH:
 *   MPIR_CVAR_ALLTOALL_THROTTLE, 32);
 * - SMPI, SimGrid 3.32's, with smpi/coll-selector:mpich, which are MVAPICH2's.
 * Nodes are not looked at here: by_node.h. Operations are taken to be
 * commutative, elements to have 8 bytes. Pairs may come more than once, and
 * with 0 bytes. Unknown types: recursive doubling. ERANGE: more bytes than can
 * be counted. */
int algorithm_expand(const struct algorithm_call *call,
                     algorithm_pair pair,
                     void *arg);
/* No more calls of pair than this, or twice as many in stages. */
uint64_t algorithm_most_pairs(const struct algorithm_call *call);

#endif
