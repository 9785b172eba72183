/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* peers.h - the processes of a topomap-mpi, by whichever MPI started them */
#ifndef TOOLS_PEERS_H
#define TOOLS_PEERS_H

#include "base/error.h"
#include "tools/mpi/exchange_calls.h"

/* rank 0 alone, without an MPI: calls is NULL. */
struct peers {
    const struct exchange_calls *calls;
    int rank, size;
};

/* which: mpich, openmpi, the path of a module that exchange_mpi.c was built to,
 * or NULL: by the environment, in which the starter of MPI programs says so.
 * Until peers_end MPI is running. Errors: ENOENT (no such module), EINVAL
 * (several processes were started, but not by an MPI, or by another one; *rank
 * is Slurm's then, so that one of them can say so). */
int peers_begin(struct peers *out,
                const char *which,
                struct mapcore_error *err);
void peers_end(const struct peers *peers);

/* As exchange_calls.h has them; alone they are copies, or nothing. */
void peers_gather(const struct peers *peers, void *all, const void *own, int n);
void peers_tell(const struct peers *peers, void *bytes, int n, int from);

#endif
