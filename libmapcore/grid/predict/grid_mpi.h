/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_mpi.h - the MPI libraries whose MPI_Dims_create is known */
#ifndef MAPCORE_GRID_MPI_H
#define MAPCORE_GRID_MPI_H

/* Whose MPI_Dims_create is tried first: they differ at a few numbers. */
enum mapcore_scale_mpi {
    MAPCORE_SCALE_MPICH,
    MAPCORE_SCALE_OPENMPI,
};

#endif
