/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* datatype.c - sizes of datatypes; those that MPI predefines are remembered */
#include "config.h"

#include "commprof/count/datatype.h"

#include "commprof/next_mpi.h"

#include <string.h>

/* Predefined types are never freed, so that their handles mean the same for
 * ever. */
enum { NCACHED = 16 };
static struct {
    MPI_Datatype datatype;
    uint64_t size; /* 0: nothing is here yet */
} cached[NCACHED];

static size_t cache_slot(MPI_Datatype datatype)
{
    uintptr_t bits = 0;
    memcpy(&bits, &datatype, sizeof(datatype));
    return (bits ^ bits >> 4 ^ bits >> 8) % NCACHED;
}

static bool is_predefined(MPI_Datatype datatype)
{
    int integers, addresses, datatypes, combiner;
    return next_mpi.Type_get_envelope(datatype, &integers, &addresses,
                                      &datatypes, &combiner) == MPI_SUCCESS &&
           combiner == MPI_COMBINER_NAMED;
}

uint64_t datatype_size(MPI_Datatype datatype)
{
    const size_t slot = cache_slot(datatype);
    MPI_Count size = 0;
    uint64_t found = 0;

    record_lock();
    if (cached[slot].datatype == datatype)
        found = cached[slot].size;
    record_unlock();
    if (found)
        return found;
    if (next_mpi.Type_size_x(datatype, &size) != MPI_SUCCESS || size <= 0)
        return 0;
    if (is_predefined(datatype)) {
        record_lock();
        cached[slot].datatype = datatype;
        cached[slot].size = (uint64_t)size;
        record_unlock();
    }
    return (uint64_t)size;
}
