/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* report.h - rank 0 files the profile, or says in one line why it cannot */
#ifndef COMMPROF_REPORT_H
#define COMMPROF_REPORT_H

#include "commprof/gather.h"

/* Files all as one profile in the catalogue that the settings name, and prints
 * a line when that fails or when the settings say verbose. elapsed_ns: from
 * MPI_Init to MPI_Finalize. Keeps the signals that writing can raise from the
 * program. */
void report_write(const struct gathered *all,
                  uint32_t ntasks,
                  uint64_t elapsed_ns);

/* "commprof: cannot file the profile: ...; the program is not affected" */
void report_failure(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

#endif
