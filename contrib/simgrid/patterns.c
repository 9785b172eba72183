/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* patterns.c - MPI programs that communicate as those of the papers do, and
 * print how long an iteration took: patterns NAME GRID [ITERATIONS [COMPUTE_S]]
 */
#include "patterns.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SMPI_H
/* Under a real MPI: as long by the clock. */
static void compute(double seconds)
{
    const double end = MPI_Wtime() + seconds;
    while (MPI_Wtime() < end)
        continue;
}
#else
static void compute(double seconds)
{
    if (seconds > 0)
        smpi_execute(seconds);
}
#endif

/* "8x8x4" */
static int read_grid(struct grid *grid, const char *text)
{
    grid->ndims = 0;
    do {
        char *end;
        const long n = strtol(text, &end, 10);
        if (end == text || n < 1 || n > 1 << 20 || grid->ndims == MOST_DIMS ||
            (*end && *end != 'x'))
            return -1;
        grid->dims[grid->ndims++] = (int)n;
        text = *end ? end + 1 : NULL;
    } while (text);
    return 0;
}

static const struct pattern *find(const char *name)
{
    for (const struct pattern *pattern = patterns; pattern->name; pattern++)
        if (strcmp(pattern->name, name) == 0)
            return pattern;
    return NULL;
}

/* The iterations, between two times that the slowest rank says. */
static double run(const struct pattern *pattern,
                  const struct exchange *exchange,
                  int iterations,
                  double compute_s)
{
    double took, slowest;

    /* SMPI's first collectives make communicators of their own. */
    MPI_Allreduce(&compute_s, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (int i = 0; i < MOST_DIMS; i++)
        if (exchange->along[i] != MPI_COMM_NULL)
            MPI_Allreduce(&compute_s, &slowest, 1, MPI_DOUBLE, MPI_MAX,
                          exchange->along[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(1);
    took = MPI_Wtime();
    for (int i = 0; i < iterations; i++) {
        compute(compute_s);
        pattern->run(exchange);
    }
    took = (MPI_Wtime() - took) / iterations;
    MPI_Pcontrol(0);
    MPI_Allreduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

int main(int argc, char **argv)
{
    const struct pattern *pattern = argc > 1 ? find(argv[1]) : NULL;
    const int iterations = argc > 3 ? atoi(argv[3]) : 1;
    const double compute_s = argc > 4 ? atof(argv[4]) : 0;
    struct exchange exchange = {0};
    int product = 1;

    MPI_Init(&argc, &argv);
    MPI_Pcontrol(0);
    MPI_Comm_rank(MPI_COMM_WORLD, &exchange.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &exchange.size);
    if (!pattern || argc < 3 || read_grid(&exchange.grid, argv[2]) < 0 ||
        exchange.grid.ndims != pattern->ndims || iterations < 1 ||
        compute_s < 0) {
        if (exchange.rank == 0)
            fprintf(stderr, "usage: patterns milc|wrf|s3d|pf3d|qbox|ccd|fem "
                            "GRID [ITERATIONS [COMPUTE_S]]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int i = 0; i < exchange.grid.ndims; i++)
        product *= exchange.grid.dims[i];
    if (product != exchange.size) {
        if (exchange.rank == 0)
            fprintf(stderr, "patterns: %s is not the grid of %d ranks\n",
                    argv[2], exchange.size);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    pattern->prepare(&exchange);
    const double took = run(pattern, &exchange, iterations, compute_s);
    if (exchange.rank == 0)
        printf("%s %s %d %.9f\n", argv[1], argv[2], exchange.size, took);
    exchange_clear(&exchange);
    MPI_Finalize();
    return 0;
}
