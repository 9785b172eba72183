/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* algorithm_call.h - calls of a collective, and what tasks send each other in
 * it
 */
#ifndef PROFILES_ALGORITHM_CALL_H
#define PROFILES_ALGORITHM_CALL_H

#include <stdbool.h>
#include <stdint.h>

enum algorithm_library {
    ALGORITHM_MPICH,
    ALGORITHM_OPEN_MPI,
    ALGORITHM_OPEN_MPI_4_1, /* from that version on */
    ALGORITHM_OPEN_MPI_5,   /* the same, but for profiles/by_node.h */
    ALGORITHM_LIBNBC,       /* Open MPI's non-blocking bcasts and reduces, which
                               others are made of */
    ALGORITHM_MVAPICH,      /* MPICH, but for alltoalls */
    ALGORITHM_SMPI,         /* MVAPICH's, but for profiles/by_node.h */
};

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
/* Of two that follow each other inside one the second begins there; no part of
 * such a pair has more stages. */
enum { ALGORITHM_THEN = ALGORITHM_MOST_STAGES / 2 };

/* 0 goes on; anything else ends it and is returned. */
typedef int (*algorithm_pair)(void *arg, const struct algorithm_flow *flow);

#endif
