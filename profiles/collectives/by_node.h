/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* by_node.h - collectives that go from node to node first, and then inside
 * nodes, or the other way round: what they send depends on the mapping */
#ifndef COLLECTIVES_BY_NODE_H
#define COLLECTIVES_BY_NODE_H

#include "profiles/collectives/algorithm.h"

#include "base/error.h"

/* Whether a library runs such a type by node for messages of some size. */
bool by_node_is(const char *type, enum algorithm_library library);

/* Their stages are below that. */
enum { BY_NODE_STAGES = 3 * ALGORITHM_MOST_STAGES };

/* As algorithm_expand, for ranks that are on nodes node[n], numbers below
 * nnodes. Of each node the lowest rank is its leader; leaders are ordered by
 * rank, and so are the ranks of a node.
 * - MPICH 4.0 and 4.2, maint/tuning/coll/ch4/generic.json and the compositions
 *   of src/mpid/ch4/src/ch4_coll_impl.h, where ranks share nodes and there are
 *   several: a bcast below 12 KiB, or of less than 8 ranks, goes from the root
 *   to its leader, among leaders, and inside nodes; below 512 KiB, of a power
 *   of two, inside the root's node first, unless that is its leader, among
 *   leaders, and inside the other nodes; others do not look at nodes. A reduce
 *   goes to leaders, among them to the first one, and from there to the root;
 *   up to 2 KiB, to the leaders of other nodes, among leaders to the root's
 *   one, and inside its node. An allreduce is a reduce inside nodes, an
 *   allreduce among leaders, and a bcast inside nodes. Inside nodes memory is
 *   shared: a tree stands for it. Among leaders it is as without nodes.
 * - SMPI, src/smpi/colls of SimGrid 3.32, smpi_mpich_selector.cpp: a bcast,
 *   where all nodes have k of the ranks, is a binomial tree of the ranks 0, k,
 *   2k and so on, wherever these are (bcast-SMP-binomial.cpp), and one below
 *   each of them; else it does not look at nodes. A reduce is one inside nodes,
 *   one among leaders to the root's one, and from there to the root
 *   (reduce-mvapich-two-level.cpp); an allreduce the same of allreduces, and a
 *   bcast inside nodes.
 * - Open MPI from 5.0 on, ompi/mca/coll/han and libnbc of 5.0.7: where some
 *   ranks share a node and not all do, and, but for allreduces, all nodes have
 *   as many of the ranks. A bcast goes from the root among the ranks of its
 *   place in each node, and inside nodes; in segments of 64 KiB, of which the
 *   second and later ones go by libnbc. A reduce goes inside nodes to the ranks
 *   of the root's place, and among these by libnbc. An allreduce is a reduce
 *   inside nodes, one among leaders by libnbc, a bcast back by the same, and a
 *   bcast inside nodes. An allgather is a gather inside nodes, an allgather
 *   among leaders and a bcast inside nodes; a gather one inside nodes and one
 *   among them; a scatter the same the other way round. Segments follow each
 *   other; here all of a part go at once.
 * - Others do not look at nodes: what MVAPICH2 does differs from machine to
 *   machine.
 * What goes inside nodes first has stages below ALGORITHM_MOST_STAGES, what
 * goes among them, or does not look at nodes, those from there on, and what
 * goes inside them afterwards those from twice that on. Errors: ERANGE (without
 * a text), ENOMEM. O(flows + nnodes). */
int by_node_expand(const struct algorithm_call *call,
                   const uint32_t *node,
                   uint32_t nnodes,
                   algorithm_pair pair,
                   void *arg,
                   struct mapcore_error *err);

#endif
