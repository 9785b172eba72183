/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* report.h - rank 0 files the profile, or says in one line why it cannot */
#ifndef COMMPROF_REPORT_H
#define COMMPROF_REPORT_H

#include "commprof/write/gathered.h"

#include <stdbool.h>

/* Files all as one profile in the catalogue that the settings name, and prints
 * a line when that fails or when the settings say verbose. elapsed_ns: from
 * MPI_Init to MPI_Finalize; active_ns: while calls were counted. Keeps the
 * signals that writing can raise from the program. Whether it was filed. */
bool report_write(const struct gathered *all,
                  uint32_t ntasks,
                  uint64_t elapsed_ns,
                  uint64_t active_ns);

/* "commprof: cannot file the profile: ...; the program is not affected" */
void report_failure(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* "commprof: ..." */
void report_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The first line of what MPI says of itself;
 * out[MPI_MAX_LIBRARY_VERSION_STRING + 1]. */
void report_mpi(char *out);
/* The path of the executable that is running. Errors: EIO. */
int report_own_path(char *out, size_t size, struct mapcore_error *err);

#endif
