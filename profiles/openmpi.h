/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* openmpi.h - what Open MPI makes of a collective, from 4.1 on */
#ifndef PROFILES_OPENMPI_H
#define PROFILES_OPENMPI_H

#include "profiles/shapes.h"

/* For messages of size bytes; types of its table. What has other ways inside
 * of it (chains of a few ranks, trees in order) is told as the next of kin, and
 * segments as one. As algorithm_expand. */
int openmpi_expand(const struct sending *s, uint64_t size);
/* The same for non-blocking ones, libnbc: bcast and reduce. */
int openmpi_expand_nonblocking(const struct sending *s, uint64_t size);

#endif
