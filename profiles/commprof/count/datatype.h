/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* datatype.h - bytes of so many elements, and arrays of counts */
#ifndef COMMPROF_DATATYPE_H
#define COMMPROF_DATATYPE_H

#include "commprof/count/messages.h"
#include "commprof/count/record.h"

#include <mpi.h>
#include <string.h>

/* An array of counts, of int or of MPI_Count. */
struct counts {
    const void *array;
    bool wide;
};
#define IS_WIDE(values) _Generic(*(values), int : false, default : true)
#define COUNTS(values)  ((struct counts){(values), IS_WIDE(values)})

/* Predefined types are never freed, so that their handles mean the same for
 * ever. Under shared_lock. */
enum { DATATYPE_NCACHED = 16 };
struct datatype_cached {
    MPI_Datatype datatype;
    uint64_t size; /* 0: nothing is here yet */
};
extern struct datatype_cached datatype_cache[DATATYPE_NCACHED];
uint64_t datatype_ask(MPI_Datatype datatype);

static inline struct datatype_cached *datatype_cache_slot(MPI_Datatype datatype)
{
    uintptr_t bits = 0;
    memcpy(&bits, &datatype, sizeof(datatype));
    return &datatype_cache[(bits ^ bits >> 4 ^ bits >> 8) % DATATYPE_NCACHED];
}

/* Bytes in one element, without gaps; 0 when MPI does not say. */
static inline uint64_t datatype_size(MPI_Datatype datatype)
{
    const struct datatype_cached *cached = datatype_cache_slot(datatype);

    shared_lock();
    const uint64_t found = cached->datatype == datatype ? cached->size : 0;
    shared_unlock();
    return __builtin_expect(found != 0, 1) ? found : datatype_ask(datatype);
}

static inline uint64_t datatype_bytes(MPI_Count count, MPI_Datatype datatype)
{
    return count > 0 ? record_product((uint64_t)count, datatype_size(datatype))
                     : 0;
}

static inline MPI_Count count_at(struct counts counts, int i)
{
    return counts.wide ? ((const MPI_Count *)counts.array)[i]
                       : ((const int *)counts.array)[i];
}

#endif
