/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* recorder_collectives.c - every collective (blocking, with -DBEGUN
 * nonblocking, with -DPERSISTENT started twice) over sub-communicators of
 * reversed ranks, over all tasks, and over an inter-communicator; rank 0 prints
 * what a recorder must find, as recorder_p2p.c does. Eight tasks: sub-
 * communicators of 3, 3, 2 (dissemination) and of 4 (recursive doubling). */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

enum { N = 8, ROOM = 512 };

enum kind {
    ALLGATHER,
    ALLGATHERV,
    ALLREDUCE,
    ALLTOALL,
    ALLTOALLV,
    ALLTOALLW,
    BARRIER,
    BCAST,
    EXSCAN,
    GATHER,
    GATHERV,
    REDUCE,
    REDUCE_SCATTER,
    REDUCE_SCATTER_BLOCK,
    SCAN,
    SCATTER,
    SCATTERV,
    NKINDS
};
static const char *const names[NKINDS] = {
    "allgather",      "allgatherv",
    "allreduce",      "alltoall",
    "alltoallv",      "alltoallw",
    "barrier",        "bcast",
    "exscan",         "gather",
    "gatherv",        "reduce",
    "reduce_scatter", "reduce_scatter_block",
    "scan",           "scatter",
    "scatterv"};

#ifdef BEGUN
#define DO(Name, name, ...)                                                    \
    do {                                                                       \
        MPI_Request request;                                                   \
        MPI_I##name(__VA_ARGS__, &request);                                    \
        MPI_Wait(&request, MPI_STATUS_IGNORE);                                 \
    } while (0)
#elif defined PERSISTENT
#define DO(Name, name, ...)                                                    \
    do {                                                                       \
        MPI_Request request;                                                   \
        MPI_##Name##_init(__VA_ARGS__, MPI_INFO_NULL, &request);               \
        MPI_Start(&request);                                                   \
        MPI_Wait(&request, MPI_STATUS_IGNORE);                                 \
        MPI_Request_free(&request);                                            \
    } while (0)
/* Started once, since a second start of some fails in MPICH 4.0.2. */
#else
#define DO(Name, name, ...) MPI_##Name(__VA_ARGS__)
#endif

static int rank;
static uint64_t expected[NKINDS][N][N], bytes[NKINDS];
static long calls[NKINDS];
static int out[ROOM], in[ROOM];

/* ---- what is called */

/* From i to j, the same in both directions, so that in place is allowed. */
static int count_between(int i, int j)
{
    return i + j + 1;
}

static void call_v(MPI_Comm comm, int n, int r)
{
    int counts[N], ones[N], twos[N], at[N], bytes_at[N];
    MPI_Datatype types[N];

    for (int j = 0; j < n; j++) {
        counts[j] = count_between(r, j);
        ones[j] = j + 1;
        twos[j] = 1 + (r + j) % 2;
        at[j] = 2 * N * j;
        bytes_at[j] = 2 * N * j * (int)sizeof(int);
        types[j] = (r + j) % 2 ? MPI_DOUBLE : MPI_INT;
    }
    DO(Alltoallv, alltoallv, out, counts, at, MPI_INT, in, counts, at, MPI_INT,
       comm);
    DO(Alltoallv, alltoallv, MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in,
       counts, at, MPI_INT, comm);
    DO(Alltoallw, alltoallw, out, twos, bytes_at, types, in, twos, bytes_at,
       types, comm);
    DO(Alltoallw, alltoallw, MPI_IN_PLACE, NULL, NULL, NULL, in, twos, bytes_at,
       types, comm);
    DO(Allgatherv, allgatherv, out, r + 1, MPI_INT, in, ones, at, MPI_INT,
       comm);
    DO(Allgatherv, allgatherv, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, ones, at,
       MPI_INT, comm);
    DO(Gatherv, gatherv, out, r + 1, MPI_INT, in, ones, at, MPI_INT, n - 1,
       comm);
    DO(Scatterv, scatterv, out, ones, at, MPI_INT, in, r + 1, MPI_INT, n - 1,
       comm);
    DO(Reduce_scatter, reduce_scatter, out, in, ones, MPI_INT, MPI_SUM, comm);
}

static void call_all(MPI_Comm comm)
{
    MPI_Datatype gappy;
    int n, r;

    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &r);
    MPI_Type_vector(2, 3, 5, MPI_INT, &gappy); /* 24 bytes */
    MPI_Type_commit(&gappy);

    DO(Allgather, allgather, out, 3, MPI_INT, in, 3, MPI_INT, comm);
    DO(Allgather, allgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 3, MPI_INT,
       comm);
    DO(Allreduce, allreduce, out, in, 5, MPI_INT, MPI_SUM, comm);
    DO(Allreduce, allreduce, MPI_IN_PLACE, in, 5, MPI_INT, MPI_SUM, comm);
    DO(Alltoall, alltoall, out, 1, gappy, in, 6, MPI_INT, comm);
    DO(Alltoall, alltoall, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 2, MPI_INT,
       comm);
    DO(Barrier, barrier, comm);
    DO(Bcast, bcast, out, 7, MPI_BYTE, 1, comm);
    DO(Exscan, exscan, out, in, 3, MPI_INT, MPI_SUM, comm);
    DO(Gather, gather, r == n - 1 ? MPI_IN_PLACE : out, 4, MPI_INT, in, 4,
       MPI_INT, n - 1, comm);
    DO(Reduce, reduce, out, in, 2, MPI_INT, MPI_SUM, 0, comm);
    DO(Reduce_scatter_block, reduce_scatter_block, out, in, 2, MPI_INT, MPI_SUM,
       comm);
    DO(Scan, scan, out, in, 3, MPI_INT, MPI_SUM, comm);
    DO(Scatter, scatter, out, 3, MPI_INT, r == 0 ? MPI_IN_PLACE : in, 3,
       MPI_INT, 0, comm);
    call_v(comm, n, r);
    MPI_Type_free(&gappy);
}

/* ---- what must be found: bytes that rank i of n sends to rank j, by kind */

static int is_power_of_two(int n)
{
    return n == 1 || n == 2 || n == 4 || n == 8;
}

/* How often j is a partner of i at distances 1, 2, 4. */
static uint64_t partners(int n, int i, int j)
{
    uint64_t times = 0;
    for (int distance = 1; distance < n; distance += distance)
        times +=
            (is_power_of_two(n) ? (i ^ distance) : (i + distance) % n) == j;
    return times;
}

static uint64_t above(int n, int i, int j)
{
    (void)n;
    return j == i + 1 || j == i + 2 || j == i + 4;
}

static uint64_t sent(enum kind kind, int n, int i, int j)
{
    const uint64_t w = sizeof(int), un = (uint64_t)n;
    const uint64_t ui = (uint64_t)i, uj = (uint64_t)j;

    switch (kind) {
    case ALLGATHER:
        return 2 * 3 * w;
    case ALLGATHERV:
        return 2 * (ui + 1) * w;
    case ALLREDUCE:
        return 2 * 5 * w * partners(n, i, j);
    case ALLTOALL:
        return 6 * w + 2 * w;
    case ALLTOALLV:
        return 2 * w * (ui + uj + 1);
    case ALLTOALLW:
        return (i + j) % 2 ? 2 * 2 * sizeof(double) : 2 * w;
    case BARRIER:
        return 0;
    case BCAST:
        return i == 1 ? 7 : 0;
    case EXSCAN:
    case SCAN:
        return 3 * w * above(n, i, j);
    case GATHER:
        return j == n - 1 ? 4 * w : 0;
    case GATHERV:
        return j == n - 1 ? (ui + 1) * w : 0;
    case REDUCE:
        return j == 0 ? 2 * w : 0;
    case REDUCE_SCATTER:
        return un * (un + 1) / 2 * w * partners(n, i, j);
    case REDUCE_SCATTER_BLOCK:
        return un * 2 * w * partners(n, i, j);
    case SCATTER:
        return i == 0 ? 3 * w : 0;
    case SCATTERV:
        return i == n - 1 ? (uj + 1) * w : 0;
    case NKINDS:
        break;
    }
    return 0;
}

static int calls_of(enum kind kind)
{
    return kind <= ALLTOALLW ? 2 : 1;
}

/* world[n]: the world ranks of a communicator; edges: whether it gives any. */
static void expect(const int *world, int n, int edges)
{
    for (int kind = 0; kind < NKINDS; kind++) {
        calls[kind] += calls_of((enum kind)kind) * n;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                const uint64_t b = i == j ? 0 : sent((enum kind)kind, n, i, j);
                bytes[kind] += b;
                if (edges)
                    expected[kind][world[i]][world[j]] += b;
            }
    }
}

#ifndef PERSISTENT
/* ---- inter-communicator: {0, 1} with {2, 3, 4} of world ranks reversed */

static void call_inter(MPI_Comm comm, int lower)
{
    const int root = lower ? (rank == 1 ? MPI_ROOT : MPI_PROC_NULL) : 1;
    const int back = lower ? 0 : (rank == 4 ? MPI_ROOT : MPI_PROC_NULL);
    int counts[N], at[N];

    DO(Barrier, barrier, comm);
    DO(Bcast, bcast, out, 3, MPI_INT, root, comm); /* 1 -> 2 3 4 */
    DO(Scatter, scatter, out, 2, MPI_INT, in, 2, MPI_INT, root, comm);
    DO(Gather, gather, out, 1, MPI_INT, in, 1, MPI_INT, back,
       comm); /* 0 1 -> 4 */
    DO(Reduce, reduce, out, in, 4, MPI_INT, MPI_SUM, back, comm);
    DO(Allgather, allgather, out, 2, MPI_INT, in, 2, MPI_INT, comm);
    DO(Alltoall, alltoall, out, 1, MPI_INT, in, 1, MPI_INT, comm);
    DO(Allreduce, allreduce, out, in, 1, MPI_INT, MPI_SUM, comm);
    for (int j = 0; j < N; j++) {
        counts[j] = 1;
        at[j] = j;
    }
    DO(Alltoallv, alltoallv, out, counts, at, MPI_INT, in, counts, at, MPI_INT,
       comm);
}

static void add(enum kind kind, int from, int to, uint64_t b)
{
    expected[kind][from][to] += b;
    bytes[kind] += b;
}

static void expect_inter(void)
{
    static const enum kind called[] = {BARRIER,  BCAST,     SCATTER,
                                       GATHER,   REDUCE,    ALLGATHER,
                                       ALLTOALL, ALLREDUCE, ALLTOALLV};
    for (size_t i = 0; i < sizeof(called) / sizeof(*called); i++)
        calls[called[i]] += 5;
    for (int b = 2; b <= 4; b++) {
        add(BCAST, 1, b, 12);
        add(SCATTER, 1, b, 8);
        for (int a = 0; a <= 1; a++) {
            add(ALLGATHER, a, b, 8);
            add(ALLGATHER, b, a, 8);
            add(ALLTOALL, a, b, 4);
            add(ALLTOALL, b, a, 4);
            add(ALLTOALLV, a, b, 4);
            add(ALLTOALLV, b, a, 4);
        }
    }
    for (int a = 0; a <= 1; a++) {
        add(GATHER, a, 4, 4);
        add(REDUCE, a, 4, 16);
    }
    /* upper ranks 0, 1, 2 are world ranks 4, 3, 2 */
    add(ALLREDUCE, 0, 4, 4);
    add(ALLREDUCE, 1, 3, 4);
    add(ALLREDUCE, 4, 0, 4);
    add(ALLREDUCE, 3, 1, 4);
    add(ALLREDUCE, 2, 0, 4);
}

static void inter(void)
{
    const int lower = rank <= 1, in_it = rank <= 4;
    MPI_Comm own, both;

    MPI_Comm_split(MPI_COMM_WORLD, in_it ? lower : MPI_UNDEFINED,
                   lower ? rank : -rank, &own);
    if (!in_it)
        return;
    MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, lower ? 4 : 0, 9, &both);
    call_inter(both, lower);
    MPI_Comm_free(&both);
    MPI_Comm_free(&own);
}
#endif

static void print_expected(void)
{
    for (int kind = 0; kind < NKINDS; kind++) {
        for (int a = 0; a < N; a++)
            for (int b = a + 1; b < N; b++) {
                const uint64_t both =
                    expected[kind][a][b] + expected[kind][b][a];
                if (both > 0)
                    printf("edge %s %d %d %llu\n", names[kind], a, b,
                           (unsigned long long)both);
            }
        printf("calls %s %ld\nbytes %s %llu\n", names[kind], calls[kind],
               names[kind], (unsigned long long)bytes[kind]);
    }
}

int main(int argc, char **argv)
{
    static const int thirds[3][3] = {{6, 3, 0}, {7, 4, 1}, {5, 2}};
    static const int halves[2][4] = {{3, 2, 1, 0}, {7, 6, 5, 4}};
    static const int all[N] = {0, 1, 2, 3, 4, 5, 6, 7};
    MPI_Comm comm;
    int size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != N)
        MPI_Abort(MPI_COMM_WORLD, 2);

    MPI_Comm_split(MPI_COMM_WORLD, rank % 3, -rank, &comm);
    call_all(comm);
    MPI_Comm_free(&comm);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 4, -rank, &comm);
    call_all(comm);
    MPI_Comm_free(&comm);
    call_all(MPI_COMM_WORLD);
#ifndef PERSISTENT
    inter();
    expect_inter();
#endif

    for (int i = 0; i < 3; i++)
        expect(thirds[i], i < 2 ? 3 : 2, 1);
    for (int i = 0; i < 2; i++)
        expect(halves[i], 4, 1);
    expect(all, N, 0);
    if (rank == 0)
        print_expected();
    MPI_Finalize();
    return 0;
}
