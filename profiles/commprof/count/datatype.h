/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* datatype.h - bytes of so many elements, and arrays of counts */
#ifndef COMMPROF_DATATYPE_H
#define COMMPROF_DATATYPE_H

#include "commprof/count/messages.h"
#include "commprof/count/rules.h"

/* Bytes in one element, without gaps; 0 when MPI does not say. */
uint64_t datatype_size(MPI_Datatype datatype);

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
