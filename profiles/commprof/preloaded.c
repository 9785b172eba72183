/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* preloaded.c - the recorder in a program that LD_PRELOAD put it into: asks the
 * dynamic linker for MPI */
#include "config.h"

#include "commprof/front/loaded_mpi.h"
#include "commprof/next_mpi.h"

#include <dlfcn.h>

bool next_mpi_is_asked(void)
{
    return true;
}

void *next_mpi_symbol(const char *name)
{
    return loaded_mpi_symbol(name, RTLD_NEXT);
}

bool next_mpi_take_handles(struct next_mpi *out)
{
    bool whole = true;
#ifdef OPEN_MPI
    /* A program that is no PIE holds copies of the data: those count. */
#define NEXT_MPI_DATA(member, constant, symbol)                                \
    out->member =                                                              \
        (__typeof__(constant))loaded_mpi_symbol(#symbol, RTLD_DEFAULT);        \
    whole = whole && out->member;
    NEXT_MPI_HANDLES(NEXT_MPI_DATA)
#else
    NEXT_MPI_HANDLES(NEXT_MPI_CONSTANT)
#endif
    return whole;
}
