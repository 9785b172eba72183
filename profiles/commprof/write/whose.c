/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* whose.c - of which program, run and task rows are, as lines of text */
#include "config.h"

#include "commprof/write/whose.h"

#include "commprof/next_mpi.h"
#include "commprof/settings.h"
#include "commprof/write/report.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

size_t whose_write(char *out, size_t size, uint32_t rank, uint32_t ntasks)
{
    char program[PATH_MAX], host[256] = "";
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING + 1];

    if (settings.program)
        snprintf(program, sizeof(program), "%s", settings.program);
    else if (report_own_path(program, sizeof(program), NULL) < 0)
        return 0;
    gethostname(host, sizeof(host) - 1);
    report_mpi(mpi);
    const int n = snprintf(
        out, size,
        "rank %u\nntasks %u\nprogram %s\nname %s\nhost %s\n"
        "mpi %.200s\njob %s\nuser %s\nlarge %u\n%s%.200s%s%s%.200s%s"
        "%s%.200s%s",
        (unsigned)rank, (unsigned)ntasks, program,
        settings.name ? settings.name : "", host, mpi, settings.job,
        settings.user, (unsigned)settings.large_ppm,
        settings.command ? "command " : "",
        settings.command ? settings.command : "", settings.command ? "\n" : "",
        settings.node ? "node " : "", settings.node ? settings.node : "",
        settings.node ? "\n" : "", settings.mpi_type ? "mpi_type " : "",
        settings.mpi_type ? settings.mpi_type : "",
        settings.mpi_type ? "\n" : "");
    return n > 0 && (size_t)n < size ? (size_t)n : 0;
}
