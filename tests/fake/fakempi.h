/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fakempi.h - what a driver tells the MPI library that is none */
#ifndef FAKEMPI_H
#define FAKEMPI_H

#include <mpi.h>
#include <stdint.h>

/* Number 0 is MPI_COMM_WORLD, 1 MPI_COMM_SELF. Members are ranks in the world;
 * those beyond its size are of another one. The world of more than 8 tasks
 * needs no members. */
struct fake_comm {
    int rank, size, remote_size; /* remote_size > 0: an inter-communicator */
    int member[8], remote[8];
    int below, above; /* neighbours of a Cartesian one */
};
extern struct fake_comm fake_comm[];
/* The handle of a communicator, or of a window over it. */
MPI_Comm fake_handle(int number);

/* Derived types, and their sizes. */
extern int fake_type_size[];
MPI_Datatype fake_type(int number);

/* How long each call takes, what it returns, and which requests are done when
 * they are tested (bits). */
extern long fake_takes_ns;
extern int fake_result;
extern unsigned fake_done;

#endif
