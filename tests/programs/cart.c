/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cart.c - a Cartesian grid looked at from inside: coordinates, neighbours and
 * bytes between nodes, from communicators numbered in several ways.
 * usage: cart [KEY=VALUE...] HOW NUMBERING WRAPS DIM... [/ ...]
 *   KEY=VALUE  of the MPI_Info
 *   HOW        weighted: MPIX_Cart_weighted_create; plain: MPI_Dims_create and
 *              MPI_Cart_create with reorder
 *   NUMBERING  world, reversed or dealt (odd ranks first)
 *   WRAPS      0 or 1 a dimension, as 101
 *   DIM        0: to be found
 * Grids that follow a slash come one after the other in one program.
 * Of each rank 0 of the world prints `dims AxB bytes N`, bytes to other nodes,
 * or `error CLASS`; with CART_CPUS in the environment ` cpus N`, bytes to tasks
 * whose lowest CPU is another. */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef WEIGHTED
#include <topomap_cart.h>
#else
#define MPIX_Cart_weighted_create(comm, n, weights, periods, info, dims, out)  \
    ((void)(out), MPI_ERR_OTHER)
#endif

enum {
    MOST = 8,
    BYTES = 8, /* of a message */
};

static int ndims, dims[MOST], periods[MOST];
static long far_cpus; /* bytes to other CPUs */

static char
    line[256]; /* of rank 0 of a grid, which may be any of the world's */

static void say(const char *format, ...)
{
    size_t n = strlen(line);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line + n, sizeof(line) - n, format, arguments);
    va_end(arguments);
}

/* By one rank, for srun keeps the order of lines of one alone. */
static void print_line(void)
{
    char all[sizeof(line)];
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Reduce(line, all, sizeof(line), MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD);
    if (rank == 0)
        puts(all);
    memset(line, 0, sizeof(line));
}

static void fail(const char *what)
{
    fprintf(stderr, "cart: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static MPI_Comm numbered(const char *how)
{
    int rank, size, key;
    MPI_Comm comm;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    key = rank;
    if (strcmp(how, "reversed") == 0)
        key = size - rank;
    else if (strcmp(how, "dealt") == 0)
        key = rank % 2 ? rank - size : rank;
    MPI_Comm_split(MPI_COMM_WORLD, 0, key, &comm);
    return comm;
}

/* The lowest world rank on this node: by Slurm, whose nodes are n0, n1, ...,
 * for not every MPI knows. */
static int node_of(void)
{
    const char *name = getenv("SLURMD_NODENAME");
    MPI_Comm node;
    int rank, least;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (name && name[0] == 'n')
        MPI_Comm_split(MPI_COMM_WORLD, atoi(name + 1), 0, &node);
    else
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0,
                            MPI_INFO_NULL, &node);
    MPI_Allreduce(&rank, &least, 1, MPI_INT, MPI_MIN, node);
    MPI_Comm_free(&node);
    return least;
}

static int lowest_cpu(void)
{
    cpu_set_t set;
    int cpu = 0;

    if (sched_getaffinity(0, sizeof(set), &set) != 0)
        return -1;
    while (!CPU_ISSET(cpu, &set))
        cpu++;
    return cpu;
}

/* Sends my coordinates, node and CPU one step up and down dimension i, checks
 * those that come, and returns the bytes that went to other nodes. */
static long exchange(MPI_Comm cart, int i, const int *coordinates)
{
    int mine[MOST + 2], theirs[MOST + 2], below, above;
    long bytes = 0;

    memcpy(mine, coordinates, (size_t)ndims * sizeof(int));
    mine[ndims] = node_of();
    mine[ndims + 1] = lowest_cpu();
    MPI_Cart_shift(cart, i, 1, &below, &above);
    for (int way = 0; way < 2; way++) {
        int to = way ? below : above, from = way ? above : below;
        int step = way ? 1 : -1, expected;

        MPI_Sendrecv(mine, ndims + 2, MPI_INT, to, 0, theirs, ndims + 2,
                     MPI_INT, from, 0, cart, MPI_STATUS_IGNORE);
        expected = coordinates[i] + step;
        if (periods[i])
            expected = (expected + dims[i]) % dims[i];
        if (from == MPI_PROC_NULL) {
            if (expected >= 0 && expected < dims[i])
                fail("a neighbour is missing");
            continue;
        }
        for (int k = 0; k < ndims; k++)
            if (theirs[k] != (k == i ? expected : coordinates[k]))
                fail("a neighbour has other coordinates");
        if (theirs[ndims] != mine[ndims])
            bytes += BYTES;
        if (theirs[ndims] != mine[ndims] ||
            theirs[ndims + 1] != mine[ndims + 1])
            far_cpus += BYTES;
    }
    return bytes;
}

static void look_at(MPI_Comm cart)
{
    int got_dims[MOST], got_periods[MOST], coordinates[MOST], rank, back;
    long bytes = 0, all, cpus;

    MPI_Cart_get(cart, ndims, got_dims, got_periods, coordinates);
    MPI_Comm_rank(cart, &rank);
    MPI_Cart_rank(cart, coordinates, &back);
    if (back != rank)
        fail("coordinates of another rank");
    for (int i = 0; i < ndims; i++)
        if (got_dims[i] != dims[i] || !got_periods[i] != !periods[i])
            fail("other dimensions or periods");
    for (int i = 0; i < ndims; i++)
        bytes += exchange(cart, i, coordinates);
    MPI_Reduce(&bytes, &all, 1, MPI_LONG, MPI_SUM, 0, cart);
    MPI_Reduce(&far_cpus, &cpus, 1, MPI_LONG, MPI_SUM, 0, cart);
    if (rank == 0) {
        say("dims ");
        for (int i = 0; i < ndims; i++)
            say("%s%d", i ? "x" : "", dims[i]);
        say(" bytes %ld", all);
        if (getenv("CART_CPUS"))
            say(" cpus %ld", cpus);
    }
}

/* The words KEY=VALUE at the beginning; *n: how many. */
static MPI_Info take_info(int *n, int argc, char **argv)
{
    MPI_Info info = MPI_INFO_NULL;

    for (*n = 0; *n < argc && strchr(argv[*n], '='); ++*n) {
        char *value = strchr(argv[*n], '=');

        if (info == MPI_INFO_NULL)
            MPI_Info_create(&info);
        *value = '\0';
        MPI_Info_set(info, argv[*n], value + 1);
    }
    return info;
}

static void make_grid(int argc, char **argv)
{
    MPI_Comm comm, cart = MPI_COMM_NULL;
    int rank, size, code, class, nkeys;
    MPI_Info info = take_info(&nkeys, argc, argv);

    argc -= nkeys;
    argv += nkeys;
    far_cpus = 0;
    if (argc < 4 || argc - 3 > MOST)
        fail("usage: cart [KEY=VALUE...] HOW NUMBERING WRAPS DIM... [/ ...]");
    ndims = argc - 3;
    for (int i = 0; i < ndims; i++) {
        dims[i] = atoi(argv[3 + i]);
        periods[i] = argv[2][i] == '1';
    }
    comm = numbered(argv[1]);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (strcmp(argv[0], "weighted") == 0) {
        code = MPIX_Cart_weighted_create(comm, ndims, MPIX_WEIGHTS_EQUAL,
                                         periods, info, dims, &cart);
    } else {
        code = MPI_Dims_create(size, ndims, dims);
        if (code == MPI_SUCCESS)
            code = MPI_Cart_create(comm, ndims, dims, periods, 1, &cart);
    }
    if (code == MPI_SUCCESS) {
        look_at(cart);
        MPI_Comm_free(&cart);
    } else {
        MPI_Error_class(code, &class);
        if (rank == 0)
            say("error %s", class == MPI_ERR_DIMS         ? "MPI_ERR_DIMS"
                            : class == MPI_ERR_ARG        ? "MPI_ERR_ARG"
                            : class == MPI_ERR_INFO_VALUE ? "MPI_ERR_INFO_VALUE"
                                                          : "other");
    }
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
    MPI_Comm_free(&comm);
    print_line();
}

int main(int argc, char **argv)
{
    int first = 1;

    MPI_Init(&argc, &argv);
    for (int i = 1; i <= argc; i++) {
        if (i < argc && strcmp(argv[i], "/") != 0)
            continue;
        make_grid(i - first, argv + first);
        first = i + 1;
    }
    MPI_Finalize();
    return 0;
}
