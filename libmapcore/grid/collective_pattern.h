/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* collective_pattern.h - rings, all-to-alls and the parallel training of
 * language models as task graphs, from words alone */
#ifndef MAPCORE_GRID_COLLECTIVE_PATTERN_H
#define MAPCORE_GRID_COLLECTIVE_PATTERN_H

#include "graph/graph.h"

#include <stdbool.h>

/* Words:
 *   ring[:N[:stride=S]]      a ring allreduce of 1 MiB among every N tasks (all
 *                            of them) that are S (1) apart
 *   alltoall[:N[:stride=S]]  1 MiB of each task, split among those N
 *   llm:tp=8,pp=4,dp=16[,cp=N][,ep=N][,layers=80][,hidden=8192][,seq=4096]
 *       [,micro=1][,batches=N]
 *                            an iteration of Megatron-LM; ranks count through
 *                            tp, cp, dp, pp, tp fastest; keys may be parted by
 *                            : as well. A task stands for tp cp dp pp / ntasks
 *                            ranks in a row, where that is whole
 * What each rank sends in an iteration of m = batches (4 pp) micro-batches of
 * b = micro sequences of s = seq tokens, h = hidden, l = layers / pp, 2 bytes a
 * number, s / cp tokens a rank; a ring passes each rank's share to the next:
 *   tp  8 b s h (t-1)/t a layer and micro-batch: four ring allreduces
 *       (Shoeybi et al. 2019, arXiv:1909.08053; Narayanan et al., SC'21,
 *       section 3.2; ring: Patarasuk and Yuan, JPDC 2009, 2 (n-1)/n)
 *   pp  b s h / t forwards and as much backwards a micro-batch, to the
 *       neighbouring stages (SC'21, sections 3.2 and 4.1)
 *   dp  gradients of 12 h^2 l / t weights, 4 bytes each, once, by a ring
 *       among the dp cp ranks of a shard (SC'21, sections 2 and 3.3)
 *   cp  keys and values round a ring, once forwards, twice backwards:
 *       6 b s h (c-1) / t a layer and micro-batch (Liu, Zaharia, Abbeel,
 *       Ring Attention, arXiv:2310.01889)
 *   ep  two experts a token, there and back, forwards and backwards:
 *       8 b s h (e-1)/e / t a layer and micro-batch, split among the ep ranks
 *       (Lepikhin et al., GShard, arXiv:2006.16668) */

/* Of the kinds of groups in a training: task t is in group
 * t / (size * stride) * stride + t % stride. */
struct collective_groups {
    const char *name;      /* "expert", static */
    uint32_t size, stride; /* size 0: there is none */
};
#define COLLECTIVE_KINDS 5

bool collective_pattern_is(const char *text);
/* The graph, and the kinds of groups of llm: that have several tasks each,
 * those first that exchange most, down to a quarter of that; either may be
 * NULL. ntasks 0: as the words say. Errors: EINVAL (what is wrong, and the
 * word), ERANGE (more than 2^22 ranks, 2^26 edges or 63 bits of bytes), ENOMEM.
 */
int collective_pattern_graph(struct mapcore_graph **out,
                             struct collective_groups groups[COLLECTIVE_KINDS],
                             const char *text,
                             uint32_t ntasks,
                             struct mapcore_error *err);

#endif
