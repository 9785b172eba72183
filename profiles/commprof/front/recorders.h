/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* recorders.h - what stands behind the exported names: a recorder for each ABI
 * of MPI, compiled against its mpi.h. No symbol of theirs but these is seen
 * outside of them, so that the same sources can be in one library twice */
#ifndef COMMPROF_FRONT_RECORDERS_H
#define COMMPROF_FRONT_RECORDERS_H

/* The recorder's own MPI_<name> or PMPI_<name>, or NULL: it has none. */
#define RECORDERS_VISIBLE __attribute__((visibility("default")))
RECORDERS_VISIBLE void *recorder_mpich_find(const char *name);
RECORDERS_VISIBLE void *recorder_openmpi_find(const char *name);

/* Where an MPI call of the program goes. To the recorder of the MPI that is
 * loaded; with none for it to the MPI itself, after one line on stderr that
 * says why, from the first task. NULL: nothing has it. Each name is asked for
 * once. */
void *choice_find(const char *name);

#endif
