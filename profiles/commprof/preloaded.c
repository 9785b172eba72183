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
#define NEXT_MPI_DATA(member, symbol)                                          \
    out->member =                                                              \
        (__typeof__(out->member))loaded_mpi_symbol(#symbol, RTLD_DEFAULT);     \
    whole = whole && out->member;
    NEXT_MPI_DATA(world, ompi_mpi_comm_world)
    NEXT_MPI_DATA(self, ompi_mpi_comm_self)
    NEXT_MPI_DATA(comm_null, ompi_mpi_comm_null)
    NEXT_MPI_DATA(byte, ompi_mpi_byte)
    NEXT_MPI_DATA(errors_return, ompi_mpi_errors_return)
    NEXT_MPI_DATA(info_null, ompi_mpi_info_null)
    NEXT_MPI_DATA(no_op, ompi_mpi_op_no_op)
    NEXT_MPI_DATA(request_null, ompi_request_null)
#else
    NEXT_MPI_TAKE_CONSTANTS(out);
#endif
    return whole;
}
