/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* algorithm.h - which pairs of tasks a collective sends between in the MPI
 * library that runs it */
#ifndef PROFILES_ALGORITHM_H
#define PROFILES_ALGORITHM_H

#include <stdbool.h>
#include <stdint.h>

enum algorithm_library {
    ALGORITHM_MPICH,
    ALGORITHM_OPEN_MPI,
    ALGORITHM_MVAPICH, /* MPICH, but for alltoalls */
    ALGORITHM_SMPI,    /* MVAPICH's, but for profiles/by_node.h */
};

/* By the first line of MPI_Get_library_version; NULL, and what is none of
 * these, are taken for MPICH, which Intel's and Cray's come from. */
enum algorithm_library algorithm_library_of(const char *version);

/* Calls of one collective over one communicator. */
struct algorithm_call {
    const char *type; /* "bcast" */
    enum algorithm_library library;
    uint64_t n, root; /* tasks of the communicator, and a rank in it */
    bool in_stages;   /* false: who sends how much is wanted, not when; then an
                         alltoall has half as many flows */
    uint64_t calls;
    uint64_t bytes; /* of all calls together, as `collectives` counts them: the
                       vector of one task, or one block */
};

enum algorithm_way {
    ALGORITHM_FORTH, /* a to b */
    ALGORITHM_BACK,  /* b to a */
    ALGORITHM_BOTH,  /* half of the bytes each way */
};

/* Of two ranks of the communicator. Stages follow each other, and what is of
 * one stage goes at once; some numbers may have nothing. */
struct algorithm_flow {
    uint64_t a, b;
    uint64_t bytes;    /* both ways together, over all calls */
    uint64_t messages; /* each way that it goes, over all calls; a pipeline's
                          segments are one, and 2^64 - 1 stands for more */
    enum algorithm_way way;
    uint32_t stage; /* below ALGORITHM_MOST_STAGES */
};

/* Of the turns of an alltoall so many are told apart. */
enum { ALGORITHM_MOST_TURNS = 64, ALGORITHM_MOST_STAGES = 256 };

/* 0 goes on; anything else ends it and is returned. */
typedef int (*algorithm_pair)(void *arg, const struct algorithm_flow *flow);

/* Calls pair for what the library's default algorithm sends for messages of
 * bytes / calls, by the decisions of
 * - MPICH 4.0, src/mpi/coll, defaults of MPIR_CVAR_*_SHORT_MSG_SIZE and the
 *   like; the algorithms are those of Thakur, Rabenseifner and Gropp,
 *   "Optimization of Collective Communication Operations in MPICH", 2005;
 * - Open MPI, ompi/mca/coll/tuned/coll_tuned_decision_fixed.c, as it was up to
 *   4.0: 4.1 has tables for each size of a communicator, of the same
 *   algorithms;
 * - MVAPICH2 2.x, which has MPICH's for most machines, except that an alltoall
 *   sends MV2_ALLTOALL_THROTTLE_FACTOR blocks at a time, 4 (MPICH:
 *   MPIR_CVAR_ALLTOALL_THROTTLE, 32);
 * - SMPI, SimGrid 3.32's, with smpi/coll-selector:mpich, which are MVAPICH2's.
 * None of them looks at nodes here: profiles/by_node.h.
 * Operations are taken to be commutative, elements to have 8 bytes. Pairs may
 * come more than once, and with 0 bytes. Types that are none of those known:
 * recursive doubling. ERANGE: more bytes than can be counted. */
int algorithm_expand(const struct algorithm_call *call,
                     algorithm_pair pair,
                     void *arg);
/* The same for a binomial tree, whatever the library: from the root, or, of a
 * "reduce", to it. */
int algorithm_expand_tree(const struct algorithm_call *call,
                          algorithm_pair pair,
                          void *arg);
/* No more calls of pair than this, or twice as many in stages. */
uint64_t algorithm_most_pairs(const char *type, uint64_t n);

#endif
