/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* whose.h - what is written before a task's rows: of which run they are */
#ifndef COMMPROF_WHOSE_H
#define COMMPROF_WHOSE_H

#include <stddef.h>
#include <stdint.h>

/* Lines `word VALUE` into out[size], ended by NUL: rank, ntasks, program, name,
 * host, mpi, job, user, large, command and node if Slurm's plugin has said
 * them. Their length, or 0 when they do not fit or the program cannot be known.
 * Asks MPI for its name.
 */
size_t whose_write(char *out, size_t size, uint32_t rank, uint32_t ntasks);
/* Room for all of them. */
enum { WHOSE_SIZE = 3 * 4096 + 1024 };

#endif
