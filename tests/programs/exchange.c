/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* exchange.c - exchange BYTES TIMES: rank r and rank r + n/2 send each other
 * BYTES, TIMES times, both ways at once; prints the median of the seconds
 * of one exchange, each of the slowest pair */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    int rank, n, bytes, times;
    char *out, *in;
    double *took;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    if (argc != 3 || n % 2 || (bytes = atoi(argv[1])) < 1 ||
        (times = atoi(argv[2])) < 1) {
        fprintf(stderr,
                "usage: exchange BYTES TIMES, an even number of ranks\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
        return 2;
    }
    out = calloc((size_t)bytes, 1);
    in = malloc((size_t)bytes);
    took = calloc((size_t)times, sizeof(*took));
    if (!out || !in || !took)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < times; i++) {
        double begin, mine;

        MPI_Barrier(MPI_COMM_WORLD);
        begin = MPI_Wtime();
        MPI_Sendrecv(out, bytes, MPI_CHAR, (rank + n / 2) % n, 0, in, bytes,
                     MPI_CHAR, (rank + n / 2) % n, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        mine = MPI_Wtime() - begin;
        MPI_Allreduce(&mine, &took[i], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    qsort(took, (size_t)times, sizeof(*took), compare);
    if (rank == 0)
        printf("%.6f\n", took[times / 2]);
    free(took);
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
