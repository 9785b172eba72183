/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mpi_abi.c - the names of MPI libraries: before a program runs they are all
 * that tells of its MPI, and while it runs they tell it without a call */
#include "config.h"

#include "profiles/program/mpi_abi.h"

#include "base/text.h"

#include <stdbool.h>
#include <string.h>

static bool is_framed(const char *name, const char *head, const char *tail)
{
    const size_t n = strlen(name), h = strlen(head), t = strlen(tail);

    return n > h + t && strncmp(name, head, h) == 0 &&
           strcmp(name + n - t, tail) == 0;
}

/* MPICH's ABI has number 12 (www.mpich.org/abi): MPICH itself is libmpich here
 * and libmpi there, Intel MPI, MVAPICH and ParaStation are libmpi; Cray names
 * the compiler, libmpi_cray and libmpi_gnu_112. Open MPI has 40 from 3.0 on, 5
 * included. */
enum mpi_abi mpi_abi_of_library(const char *name)
{
    const char *base = text_last_part(name);

    if (strcmp(base, "libmpich.so.12") == 0 ||
        strcmp(base, "libmpi.so.12") == 0 ||
        strncmp(base, "libmpi_cray.so", strlen("libmpi_cray.so")) == 0 ||
        is_framed(base, "libmpi_", ".so.12"))
        return MPI_ABI_MPICH;
    if (strcmp(base, "libmpi.so.40") == 0)
        return MPI_ABI_OPENMPI;
    return MPI_ABI_NONE;
}
