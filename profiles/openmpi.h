/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* openmpi.h - what Open MPI makes of a collective, from 4.1 on */
#ifndef PROFILES_OPENMPI_H
#define PROFILES_OPENMPI_H

#include "profiles/shapes.h"

/* Which algorithm it takes for messages of size bytes: openmpi_table.h's
 * number, 0 for types that are not there. */
unsigned openmpi_choose(const struct sending *s, uint64_t size);
/* What that sends. What has other ways inside of it (chains of a few ranks,
 * trees in order) is told as the next of kin, and segments as one. Errors: as
 * of algorithm_expand. */
int openmpi_expand(const struct sending *s, uint64_t size, unsigned algorithm);
/* The same for non-blocking ones, libnbc's own choice: bcast and reduce. */
int openmpi_expand_nonblocking(const struct sending *s, uint64_t size);

#endif
