/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shapes.h - trees, rings and recursive doubling: what collectives are made of
 */
#ifndef COLLECTIVES_SHAPES_H
#define COLLECTIVES_SHAPES_H

#include "profiles/collectives/algorithm_call.h"

#include <stdbool.h>
#include <stdint.h>

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

/* Each tells s->pair who sends what, and returns what that returned, or ERANGE.
 * Of ranks relative to the root; blocks: bytes are those of one block. */

/* The greatest power of two that is not above n. */
uint64_t shape_power_below(uint64_t n);
bool shape_is_power(uint64_t n);
/* Relative rank r exchanges with r less its lowest bit: the vector, or, where
 * blocks are sent, one `of`th of it for each rank of the subtree. From the root
 * the highest bits come first, to it the lowest. */
int shape_binomial(const struct sending *s, bool blocks, uint64_t of);
/* Open MPI's binomial tree of a bcast: relative rank r is sent to by r without
 * its highest bit. */
int shape_binomial_high(const struct sending *s);
/* Relative rank r is sent to by r without the lowest of its digits to base 4
 * that is not 0, after those ranks whose digit is higher up. */
int shape_quadnomial(const struct sending *s);
/* The root with all others at once. */
int shape_star(const struct sending *s);
/* A pipeline: each rank to the next one, all at once. */
int shape_chain(const struct sending *s);
/* Open MPI's binary tree: a rank of level k, the first of which is 2^k - 1, has
 * the children r + 2^k and r + 2^(k+1), so that odd ranks are below 1 and even
 * ones below 2. is_split: each half of the tree gets half of the vector, and a
 * rank then exchanges halves with its neighbour in the other, or the root. The
 * segments go down in a pipeline. */
int shape_binary(const struct sending *s, bool is_split);
/* Each rank to the next one and the last to the first, times / of: all turns
 * of it are alike. */
int shape_ring(const struct sending *s, uint64_t times, uint64_t of);
/* Partners at distances 1, 2, 4, ...; at distance d each way share(d) / of, in
 * s->messages messages. Of ranks that join before, joins is what they exchange:
 * 2: it comes back at the end; 1: one way; 0: nothing. */
int shape_doubling(const struct sending *s,
                   uint64_t (*share)(uint64_t d, uint64_t power),
                   uint64_t of,
                   uint64_t joins);
/* Shares of shape_doubling: all of it at each distance. */
uint64_t shape_whole(uint64_t d, uint64_t power);
/* The d'th part of as many parts as there are partners. */
uint64_t shape_halves(uint64_t d, uint64_t power);
/* The other way round: d parts at distance d. */
uint64_t shape_doubles(uint64_t d, uint64_t power);
/* Each rank to the one at distance d after it, for d = 1, 2, 4, ...: of any
 * number of ranks. */
int shape_dissemination(const struct sending *s);
/* To the rank that is d before, for d = 1, 2, 4, ...: of an allgather as many
 * blocks as there are yet, of an alltoall those whose number has that bit. */
int shape_bruck(const struct sending *s, bool is_alltoall);
/* An even number of ranks exchanges with both neighbours in turns: one block at
 * first, then two at a time. */
int shape_neighbours(const struct sending *s);
/* One `of`th of the bytes both ways between all, with one rank after the
 * other. */
int shape_each(const struct sending *s, uint64_t of);
/* A block from each to each, a rank to `together` others at a time: those that
 * are that much before it, or, by_bits, those whose number differs from its own
 * in these bits. Out of stages: shape_each. */
int shape_scattered(const struct sending *s, uint64_t together, bool by_bits);
/* Of scans. */
int shape_prefix(const struct sending *s);
/* Rabenseifner: a reduce-scatter, in which ranks at distance d give each other
 * the half of what they have yet, 1 / 2d; then the parts go to the root, by
 * distance power / 2, ..., 2, 1. Pairs are of ranks that are XOR d, whatever
 * the root, where n is a power of two; else of ranks relative to it. */
int shape_reduce_by_halves(const struct sending *s);
/* A binomial scatter, and an allgather by doubling or by a ring. */
int shape_scatter_allgather(const struct sending *s, bool by_ring);

#endif
