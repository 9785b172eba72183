/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* datatype.c - sizes of datatypes; those that MPI predefines are remembered */
#include "config.h"

#include "commprof/count/datatype.h"

#include "commprof/next_mpi.h"

struct datatype_cached datatype_cache[DATATYPE_NCACHED];

static bool is_predefined(MPI_Datatype datatype)
{
    int integers, addresses, datatypes, combiner;
    return next_mpi.Type_get_envelope(datatype, &integers, &addresses,
                                      &datatypes, &combiner) == MPI_SUCCESS &&
           combiner == MPI_COMBINER_NAMED;
}

uint64_t datatype_ask(MPI_Datatype datatype)
{
    MPI_Count size = 0;

    if (next_mpi.Type_size_x(datatype, &size) != MPI_SUCCESS || size <= 0)
        return 0;
    if (is_predefined(datatype)) {
        shared_lock();
        *datatype_cache_slot(datatype) =
            (struct datatype_cached){datatype, (uint64_t)size};
        shared_unlock();
    }
    return (uint64_t)size;
}
