/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* persistent.h - what a persistent request sends each time it is started */
#ifndef COMMPROF_PERSISTENT_H
#define COMMPROF_PERSISTENT_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* Remembers a request: bytes to the world rank peer at each start. A request
 * of the same handle is replaced. False when there is no memory. */
bool persistent_add(MPI_Request request, uint32_t peer, uint64_t bytes);
bool persistent_find(MPI_Request request, uint32_t *peer, uint64_t *bytes);
/* Nothing happens when the request is not there. */
void persistent_remove(MPI_Request request);
/* Forgets all. */
void persistent_clear(void);

#endif
