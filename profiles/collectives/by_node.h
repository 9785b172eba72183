/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* by_node.h - collectives that go from node to node first, and then inside
 * nodes, or the other way round: what they send depends on the mapping */
#ifndef COLLECTIVES_BY_NODE_H
#define COLLECTIVES_BY_NODE_H

#include "profiles/collectives/algorithm.h"

#include "base/error.h"

/* Whether a library runs such a type by node for messages of some size. */
bool by_node_is(const char *type, enum algorithm_library library);

/* As algorithm_expand, for ranks that are on nodes node[n], numbers below
 * nnodes. Of each node the lowest rank is its leader; leaders are ordered by
 * rank, and so are the ranks of a node. The rows of by_node.c say what goes
 * where; they are those of
 * - MPICH 4.0 and 4.2, maint/tuning/coll/ch4/generic.json and the compositions
 *   of src/mpid/ch4/src/ch4_coll_impl.h. Inside nodes memory is shared: a tree
 *   stands for it;
 * - SMPI, src/smpi/colls of SimGrid 3.32, smpi_mpich_selector.cpp,
 *   bcast-SMP-binomial.cpp and reduce-mvapich-two-level.cpp;
 * - Open MPI from 5.0 on, ompi/mca/coll/han and libnbc of 5.0.7. Segments
 * follow each other; here all of a part go at once. Others do not look at
 * nodes: what MVAPICH2 does differs from machine to machine. What goes inside
 * nodes first has stages below ALGORITHM_MOST_STAGES, what goes among them, or
 * does not look at nodes, those from there on, and what goes inside them
 * afterwards those from twice that on. Errors: ERANGE (without a text), ENOMEM.
 * O(flows + nnodes). */
int by_node_expand(const struct algorithm_call *call,
                   const uint32_t *node,
                   uint32_t nnodes,
                   algorithm_pair pair,
                   void *arg,
                   struct mapcore_error *err);

#endif
