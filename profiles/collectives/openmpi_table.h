/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* openmpi_table.h - which algorithm Open MPI takes by default, from 4.1 on */
#ifndef COLLECTIVES_OPENMPI_TABLE_H
#define COLLECTIVES_OPENMPI_TABLE_H

#include <stdint.h>

/* The number of an algorithm, as its parameter coll_tuned_TYPE_algorithm counts
 * them, for n ranks and messages of size bytes (the vector, or one block of an
 * allgather, alltoall, gather, scatter or reduce_scatter_block) and operations
 * that commute; 0 for other types. By the decisions of ompi/mca/coll/tuned/
 * coll_tuned_decision_fixed.c, the same from 4.1.0 to 5.0.9. */
unsigned openmpi_table_find(const char *type, uint64_t n, uint64_t size);

#endif
