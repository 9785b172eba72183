/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* linked.h - the recorder as part of a program (libcommprof-*.a, made with
 * COMMPROF_LINKED): it has the MPI_ names alone, and calls the PMPI_ ones that
 * the program is linked with. A note in the file tells topomap that it is there
 * (elffile_linked_recorder). */
#ifndef COMMPROF_LINKED_H
#define COMMPROF_LINKED_H

#include <stdbool.h>

/* Whether this run is to be recorded by it: LD_PRELOAD names the recorder, as
 * srun --topomap=profile has it, and the dynamic linker has not already put
 * that one between the program and a shared MPI. */
bool linked_is_asked(void);
/* Whether the MPI that it runs with is of the kind that it was made for; else
 * the first task says so. Before any handle of MPI is used. */
bool linked_mpi_is_known(void);

#endif
