/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dims_table.c - MPI_Dims_create of 1 to N tasks in 2 to 5 dimensions, a line
 * each
 * usage: dims_table N */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int most = argc > 1 ? atoi(argv[1]) : 1;

    MPI_Init(&argc, &argv);
    for (int ndims = 2; ndims <= 5; ndims++)
        for (int n = 1; n <= most; n++) {
            int dims[5] = {0};

            MPI_Dims_create(n, ndims, dims);
            printf("%d", n);
            for (int i = 0; i < ndims; i++)
                printf(" %d", dims[i]);
            putchar('\n');
        }
    MPI_Finalize();
    return 0;
}
