/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* report.h - rank 0 files the profile, or says in one line why it cannot */
#ifndef COMMPROF_REPORT_H
#define COMMPROF_REPORT_H

#include "commprof/write/gathered.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Files all as one profile in the catalogue that the settings name, and prints
 * a line when that fails or when the settings say verbose. elapsed_ns: from
 * MPI_Init to MPI_Finalize; active_ns: while calls were counted. Keeps the
 * signals that writing can raise from the program. Whether it was filed. */
bool report_write(const struct gathered *all,
                  uint32_t ntasks,
                  uint64_t elapsed_ns,
                  uint64_t active_ns);

/* Around why nothing is filed. */
#define REPORT_FAILED "not recorded: "
#define REPORT_WELL   "; the program is not affected"

/* "commprof: ..." */
void report_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* settings_whose with what MPI says of itself. */
size_t report_whose(char *out, size_t size, uint32_t rank, uint32_t ntasks);

#endif
