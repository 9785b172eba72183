/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* algorithm_call.h - calls of a collective, and the messages that they become
 */
#ifndef COLLECTIVES_ALGORITHM_CALL_H
#define COLLECTIVES_ALGORITHM_CALL_H

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

#endif
