/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stencil.c - halos on a Cartesian grid that MPI_Dims_create makes
 * usage: stencil PERIODS SCALING STENCIL EXTENT...
 *   PERIODS    0 or 1 a dimension, as 101
 *   SCALING    weak: EXTENT is of one task; strong: of all together
 *   STENCIL    star, or box: diagonal neighbours as well
 *   EXTENT     cells in each dimension
 * A message has 8 bytes for each cell of the face (edge, corner) that it is
 * of. STENCIL_FIXED=2 in the environment fixes the first dimension,
 * STENCIL_STEPS the number of exchanges (1). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST = 4,
    CELL = 8, /* bytes */
};

static int ndims, dims[MOST], periods[MOST], is_strong, is_box;
static long extent[MOST];

static void fail(const char *what)
{
    fprintf(stderr, "stencil: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Of the ternary number k: -1, 0 or 1. */
static int step_of(int k, int i)
{
    while (i-- > 0)
        k /= 3;
    return k % 3 - 1;
}

static int rank_of(MPI_Comm cart, const int *at, int k, int sign)
{
    int to[MOST], rank;

    for (int i = 0; i < ndims; i++) {
        to[i] = at[i] + sign * step_of(k, i);
        if (!periods[i] && (to[i] < 0 || to[i] >= dims[i]))
            return MPI_PROC_NULL;
    }
    MPI_Cart_rank(cart, to, &rank);
    return rank;
}

static int bytes_of(int k)
{
    long cells = 1;

    for (int i = 0; i < ndims; i++)
        if (step_of(k, i) == 0)
            cells *= is_strong ? extent[i] / dims[i] : extent[i];
    return (int)(CELL * cells);
}

static void exchange(MPI_Comm cart, const int *at, int k)
{
    int moved = 0, n = bytes_of(k);
    char *out, *in;

    for (int i = 0; i < ndims; i++)
        moved += step_of(k, i) != 0;
    if (moved == 0 || (moved > 1 && !is_box))
        return;
    out = calloc(1, (size_t)n + 1);
    in = calloc(1, (size_t)n + 1);
    if (!out || !in)
        fail("no memory");
    MPI_Sendrecv(out, n, MPI_BYTE, rank_of(cart, at, k, 1), k, in, n, MPI_BYTE,
                 rank_of(cart, at, k, -1), k, cart, MPI_STATUS_IGNORE);
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    const char *fixed = getenv("STENCIL_FIXED"),
               *steps = getenv("STENCIL_STEPS");
    int rank, size, at[MOST], directions = 1;
    MPI_Comm cart;

    MPI_Init(&argc, &argv);
    if (argc < 5 || argc - 4 > MOST || strlen(argv[1]) != (size_t)argc - 4)
        fail("usage: stencil PERIODS SCALING STENCIL EXTENT...");
    ndims = argc - 4;
    is_strong = strcmp(argv[2], "strong") == 0;
    is_box = strcmp(argv[3], "box") == 0;
    for (int i = 0; i < ndims; i++) {
        periods[i] = argv[1][i] == '1';
        extent[i] = atol(argv[4 + i]);
        directions *= 3;
    }
    if (fixed)
        dims[0] = atoi(fixed);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, ndims, dims);
    MPI_Cart_create(MPI_COMM_WORLD, ndims, dims, periods, 0, &cart);
    MPI_Comm_rank(cart, &rank);
    MPI_Cart_coords(cart, rank, ndims, at);
    for (int s = steps ? atoi(steps) : 1; s > 0; s--)
        for (int k = 0; k < directions; k++)
            exchange(cart, at, k);
    MPI_Barrier(cart);
    MPI_Comm_free(&cart);
    MPI_Finalize();
    return 0;
}
