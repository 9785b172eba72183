/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* chain.c - each rank sends to the next one, with any arguments: what
 * replaces a program that is not installed. */
#include <mpi.h>

int main(int argc, char **argv)
{
    static char out[100000], in[100000];
    int rank, size, before, after;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    before = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    after = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    for (int i = 0; i < 50; i++)
        MPI_Sendrecv(out, sizeof(out), MPI_CHAR, after, 0, in, sizeof(in),
                     MPI_CHAR, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
