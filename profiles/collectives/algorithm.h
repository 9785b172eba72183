/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* algorithm.h - which pairs of tasks a collective sends between in the MPI
 * library that runs it */
#ifndef COLLECTIVES_ALGORITHM_H
#define COLLECTIVES_ALGORITHM_H

#include "profiles/collectives/shapes.h"

#include <stdint.h>

/* By the first line of MPI_Get_library_version; NULL and unknown libraries are
 * taken for MPICH, which Intel's and Cray's come from. */
enum algorithm_library algorithm_library_of(const char *version);

/* What NCCL calls an algorithm, in any case; ALGORITHM_LIBRARIES: no such one
 * is known. */
enum algorithm_library algorithm_reported(const char *word);
/* Its word, in small letters; NULL: of a library, which chooses. */
const char *algorithm_word(enum algorithm_library library);

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
 * - NCCL, by what it reports: a ring is in the order of the ranks, and the
 *   reduction in an NVLink switch (nvls) counts as one; trees and the network's
 *   own reductions (collnet) as two binary trees; pat as Bruck's;
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
