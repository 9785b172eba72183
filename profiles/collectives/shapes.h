/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shapes.h - calls of a collective, and the trees, rings and recursive doubling
 * that they become */
#ifndef COLLECTIVES_SHAPES_H
#define COLLECTIVES_SHAPES_H

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
    /* No choice: what NCCL reported that it ran (algorithm_reported). */
    ALGORITHM_RING,
    ALGORITHM_NVLS,
    ALGORITHM_TWO_TREES,
    ALGORITHM_NVLS_TREE,
    ALGORITHM_COLLNET_CHAIN,
    ALGORITHM_COLLNET_DIRECT,
    ALGORITHM_PAT,
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

/* Of ranks relative to the root. Blocks: bytes are those of one block; parts:
 * each rank has one share of them. Families stand together, as in shapes.c. */
enum shape {
    SHAPE_NONE,
    SHAPE_STAR,  /* the root with all others at once */
    SHAPE_CHAIN, /* a pipeline: each rank to the next one, all at once */
    /* Rank r exchanges with r less its lowest bit. From the root the highest
     * bits come first, to it the lowest. Blocks: for each rank of the subtree.
     * High: Open MPI's of a bcast, r less its highest bit. */
    SHAPE_BINOMIAL,
    SHAPE_BINOMIAL_BLOCKS,
    SHAPE_BINOMIAL_HIGH,
    /* Rank r is sent to by r without the lowest of its digits to base 4 that is
     * not 0, after those ranks whose digit is higher up. */
    SHAPE_QUADNOMIAL,
    /* Sanders, Speck and Traeff, "Two-tree algorithms for full bandwidth
     * broadcast, reduction and scan", 2009: each of two binary trees takes half
     * of the vector up and down again. Rank r is below r without its lowest bit
     * b and with 2 b, as long as there is such a rank, else below r - b; the
     * second tree is that of the ranks in reverse, or one further where n is
     * odd. */
    SHAPE_TWO_TREES,
    /* Open MPI's: a rank of level k, the first of which is 2^k - 1, has the
     * children r + 2^k and r + 2^(k+1), so that odd ranks are below 1 and even
     * ones below 2. The segments go down in a pipeline. Split: each half of the
     * tree gets half of the vector, and a rank then exchanges halves with its
     * neighbour in the other, or the root. */
    SHAPE_BINARY,
    SHAPE_BINARY_SPLIT,
    /* A binomial scatter, and an allgather by doubling or by a ring. */
    SHAPE_SCATTER_DOUBLING,
    SHAPE_SCATTER_RING,
    /* Rabenseifner: a reduce-scatter, in which ranks at distance d give each
     * other the half of what they have yet, 1 / 2d; then the parts go to the
     * root, by distance power / 2, ..., 2, 1. Pairs are of ranks that are XOR
     * d, for any root, where n is a power of two; else of ranks relative
     * to it. */
    SHAPE_HALVES,
    /* Partners at distances 1, 2, 4, ...: all of it at each distance, d blocks,
     * 1 / d there and back, or d parts. Ranks that join before give all of it
     * and get it back; of parts one way; of blocks nothing. */
    SHAPE_DOUBLING,
    SHAPE_DOUBLING_BLOCKS,
    SHAPE_DOUBLING_HALVES,
    SHAPE_DOUBLING_PARTS,
    /* Each rank to the one at distance d after it, for d = 1, 2, 4, ...: of any
     * number of ranks; of scans as far as there are. Bruck: to the rank before;
     * of an allgather as many blocks as there are yet, of an alltoall those
     * whose number has that bit. */
    SHAPE_DISSEMINATION,
    SHAPE_PREFIX,
    SHAPE_BRUCK,
    SHAPE_BRUCK_ALLTOALL,
    /* Each rank to the next one and the last to the first; all turns are alike.
     * A reduction goes round twice. */
    SHAPE_RING_BLOCKS,
    SHAPE_RING_PARTS,
    SHAPE_RING_REDUCE,
    /* An even number of ranks exchanges with both neighbours in turns: one
     * block at first, then two at a time. Of an odd one: SHAPE_RING_BLOCKS. */
    SHAPE_NEIGHBOURS,
    SHAPE_EACH, /* both ways between all, with one rank after the other */
    SHAPE_EACH_PARTS,
    /* A block from each to each, a rank to several others at a time: those that
     * are that much before it, or, XOR, those whose number differs from its own
     * in these bits. Out of stages: SHAPE_EACH. */
    SHAPE_AT_ONCE,
    SHAPE_BY_32,
    SHAPE_BY_4,
    SHAPE_BY_1,
    SHAPE_BY_1_XOR,
};

/* A collective being expanded, and what its flows go to. */
struct sending {
    const struct algorithm_call *call;
    algorithm_pair pair;
    void *arg;
    bool is_up;        /* trees go to the root, not from it */
    uint64_t messages; /* that a pair sends each other in a call */
    uint32_t stage;    /* the number that its first one has */
    bool even_stays;   /* of two ranks that join, where they are too many: the
                          first, after both have exchanged halves; else the
                          second */
};

/* Tells s->pair who sends what, and returns what that returned, or ERANGE. */
int shape_run(const struct sending *s, enum shape which);

/* The greatest power of two that is not above n. */
uint64_t shape_power_below(uint64_t n);
bool shape_is_power(uint64_t n);

#endif
