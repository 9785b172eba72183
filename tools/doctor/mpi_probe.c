/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mpi_probe.c - an MPI program that says where MPI takes its ranks to be, for
 * topomap doctor --mpi. It needs nothing but mpi.h: a site builds it with its
 * own MPI, mpicc -o mpi-probe mpi_probe.c */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    ROW = 640,    /* two names of 255 bytes, and numbers */
    SECONDS = 60, /* a library that got nonsense may wait for ever */
};

static const char *word(const char *variable)
{
    const char *value = getenv(variable);

    return value && *value ? value : "-";
}

/* topomap-mpi-probe RANK SIZE PROCID NODE HOST FIRST: FIRST is the lowest rank
 * of those that MPI says share memory with this one. */
static void describe(char row[ROW], int rank, int size)
{
    char host[256] = "-";
    MPI_Comm shared;
    int first;

    gethostname(host, sizeof(host) - 1);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                        &shared);
    MPI_Allreduce(&rank, &first, 1, MPI_INT, MPI_MIN, shared);
    MPI_Comm_free(&shared);
    snprintf(row, ROW, "topomap-mpi-probe %d %d %.20s %.255s %.255s %d", rank,
             size, word("SLURM_PROCID"), word("SLURMD_NODENAME"), host, first);
}

int main(int argc, char **argv)
{
    char row[ROW] = "", *rows = NULL;
    int rank, size;

    alarm(SECONDS);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    describe(row, rank, size);
    if (rank == 0 && !(rows = malloc((size_t)size * ROW)))
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Gather(row, ROW, MPI_CHAR, rows, ROW, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < size; i++)
        puts(rows + (size_t)i * ROW);
    fflush(stdout);
    free(rows);
    MPI_Finalize();
    return 0;
}
