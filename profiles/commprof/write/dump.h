/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dump.h - a task's rows in a file of its own when there is no MPI_Finalize */
#ifndef COMMPROF_DUMP_H
#define COMMPROF_DUMP_H

#include <stdint.h>

/* Prepares: settings.dump/commprof-RANK.rows will be written when the task
 * exits without MPI_Finalize, calls MPI_Abort, or is ended by SIGTERM (when the
 * program leaves that signal alone). */
void dump_begin(uint32_t rank, uint32_t ntasks);
/* Writes it now, once; nothing without dump_begin or after dump_end. May be
 * called in a signal handler. */
void dump_write(void);
/* The profile is filed: no dump is wanted. */
void dump_end(void);

#endif
