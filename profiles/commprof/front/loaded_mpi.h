/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* loaded_mpi.h - the MPI library that this process has loaded, and the recorder
 * for it */
#ifndef COMMPROF_FRONT_LOADED_MPI_H
#define COMMPROF_FRONT_LOADED_MPI_H

#include "profiles/program/elffile.h"

#include <limits.h>

struct loaded_mpi {
    enum mpi_abi abi;
    char path[PATH_MAX]; /* the library's, as it was loaded; "": none */
};

/* What defines the MPI_Init behind ours, or else the first loaded library of a
 * known name: another tool may stand between. abi NONE with a path: an MPI that
 * is not known here. */
void loaded_mpi_find(struct loaded_mpi *out);

/* A function or data of the MPI library; where it is in no scope that scope
 * (RTLD_NEXT, RTLD_DEFAULT) searches, as with programs that dlopen it privately
 * (Python's mpi4py), it is taken from the library itself. NULL: none has it. */
void *loaded_mpi_symbol(const char *name, void *scope);

/* Behind the exported names is a recorder for each ABI of MPI, compiled against
 * its mpi.h. No symbol of theirs but these is seen outside of them, so that the
 * same sources can be in one library twice. Its own MPI_<name> or PMPI_<name>,
 * or NULL: it has none. */
#define RECORDERS_VISIBLE __attribute__((visibility("default")))
RECORDERS_VISIBLE void *recorder_mpich_find(const char *name);
RECORDERS_VISIBLE void *recorder_openmpi_find(const char *name);

/* Where an MPI call of the program goes. To the recorder of the MPI that is
 * loaded; with none for it to the MPI itself, after one line on stderr that
 * says why, from the first task. NULL: nothing has it. Each name is asked for
 * once. */
void *choice_find(const char *name);

#endif
