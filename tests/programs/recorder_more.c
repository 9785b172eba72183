/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* recorder_more.c - neighbourhoods, one-sided and partitioned communication,
 * message sizes; expectations as in recorder_p2p.c, and "message TYPE FROM TO
 * SMALLEST COUNT BYTES". Six tasks. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 6, TAG = 3, NCLASSES = 20 };

enum kind { P2P, GATHER, GATHERV, ALLTOALL, ALLTOALLV, ALLTOALLW, RMA, NKINDS };
static const char *const names[NKINDS] = {"p2p",
                                          "neighbor_allgather",
                                          "neighbor_allgatherv",
                                          "neighbor_alltoall",
                                          "neighbor_alltoallv",
                                          "neighbor_alltoallw",
                                          "rma"};

static int rank;
static long calls[NKINDS];
static uint64_t bytes[NKINDS];
static uint64_t count[NKINDS][N][N][NCLASSES], size[NKINDS][N][N][NCLASSES];

/* One message from a to b, world ranks; b < 0: to no rank. */
static void expect(enum kind kind, int a, int b, uint64_t n)
{
    int k = 0;

    if (b < 0)
        return;
    bytes[kind] += n;
    if (a == b || (n == 0 && kind != P2P))
        return;
    while (n >> k)
        k++; /* 0 for 0, else 1 + the greatest power of two in n */
    count[kind][a][b][k]++;
    size[kind][a][b][k] += n;
}

/* ---- neighbourhoods: near[n] of this task's, near_of(r) of any other's */

static void call_near(MPI_Comm comm, int n, int begun)
{
    int in[256], out[256] = {0}, counts[8], ones[8], at[8];
    MPI_Aint far[8];
    MPI_Datatype types[8];
    MPI_Request r[5];
    int nr = 0;

    for (int i = 0; i < 8; i++) {
        counts[i] = 2;
        ones[i] = 1;
        at[i] = 8 * i;
        far[i] = (MPI_Aint)(32 * i);
        types[i] = MPI_DOUBLE;
    }
    (void)n;
    if (!begun) {
        MPI_Neighbor_allgather(out, 3, MPI_INT, in, 3, MPI_INT, comm);
        MPI_Neighbor_allgatherv(out, 2, MPI_INT, in, counts, at, MPI_INT, comm);
        MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm);
        MPI_Neighbor_alltoallv(out, counts, at, MPI_INT, in, counts, at,
                               MPI_INT, comm);
        MPI_Neighbor_alltoallw(out, ones, far, types, in, ones, far, types,
                               comm);
        return;
    }
    MPI_Ineighbor_allgather(out, 3, MPI_INT, in, 3, MPI_INT, comm, &r[nr++]);
    MPI_Waitall(nr, r, MPI_STATUSES_IGNORE);
    MPI_Ineighbor_allgatherv(out, 2, MPI_INT, in, counts, at, MPI_INT, comm,
                             &r[0]);
    MPI_Waitall(1, r, MPI_STATUSES_IGNORE);
    MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm, &r[0]);
    MPI_Waitall(1, r, MPI_STATUSES_IGNORE);
    MPI_Ineighbor_alltoallv(out, counts, at, MPI_INT, in, counts, at, MPI_INT,
                            comm, &r[0]);
    MPI_Waitall(1, r, MPI_STATUSES_IGNORE);
    MPI_Ineighbor_alltoallw(out, ones, far, types, in, ones, far, types, comm,
                            &r[0]);
    MPI_Waitall(1, r, MPI_STATUSES_IGNORE);
}

static void expect_near(int from, const int *near, int n)
{
    for (int kind = GATHER; kind <= ALLTOALLW; kind++)
        calls[kind]++;
    for (int i = 0; i < n; i++) {
        expect(GATHER, from, near[i], 12);
        expect(GATHERV, from, near[i], 8);
        expect(ALLTOALL, from, near[i], 4);
        expect(ALLTOALLV, from, near[i], 8);
        expect(ALLTOALLW, from, near[i], 8);
    }
}

/* 3 x 2 tasks, in rows of two; the first dimension is a ring, the second not.
 */
static void cartesian(void)
{
    const int dims[2] = {3, 2}, wraps[2] = {1, 0};
    MPI_Comm comm;

    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, wraps, 0, &comm);
    call_near(comm, 4, 0);
    MPI_Comm_free(&comm);
    for (int r = 0; r < N; r++) {
        const int row = r / 2, column = r % 2;
        const int near[4] = {
            2 * ((row + 2) % 3) + column, 2 * ((row + 1) % 3) + column,
            column == 0 ? -1 : r - 1, column == 1 ? -1 : r + 1};
        expect_near(r, near, 4);
    }
}

/* A path 0 - 1 - ... - 5, of ranks that are reversed. */
static void graph(void)
{
    const int index[N] = {1, 3, 5, 7, 9, 10};
    const int edges[10] = {1, 0, 2, 1, 3, 2, 4, 3, 5, 4};
    MPI_Comm reversed, comm;

    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    MPI_Graph_create(reversed, N, index, edges, 0, &comm);
    call_near(comm, 2, 1);
    MPI_Comm_free(&comm);
    MPI_Comm_free(&reversed);
    for (int r = 0; r < N; r++) {
        const int near[2] = {r - 1, r + 1 < N ? r + 1 : -1};
        expect_near(r, near, 2);
    }
}

/* Everyone sends to the next but one only. */
static void dist_graph(void)
{
    const int to = (rank + 2) % N, from = (rank + N - 2) % N;
    MPI_Comm comm;

    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &from, MPI_UNWEIGHTED, 1,
                                   &to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &comm);
    call_near(comm, 1, 0);
    MPI_Comm_free(&comm);
    for (int r = 0; r < N; r++) {
        const int near = (r + 2) % N;
        expect_near(r, &near, 1);
    }
}

/* ---- one-sided, in a window of the odd or the even tasks, reversed */

static int window_world(int parity, int r)
{
    return parity + 2 * (2 - r);
}

static void one_sided(void)
{
    int memory[64] = {0}, own[8] = {0}, got[8], r;
    MPI_Comm comm;
    MPI_Win win;
    MPI_Request request[4];

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm);
    MPI_Comm_rank(comm, &r);
    MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, comm,
                   &win);
    const int next = (r + 1) % 3;
    MPI_Win_fence(0, win);
    MPI_Put(own, 5, MPI_INT, next, 0, 5, MPI_INT, win);
    MPI_Put(own, 5, MPI_INT, MPI_PROC_NULL, 0, 5, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Get(got, 3, MPI_INT, next, 8, 3, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Accumulate(own, 2, MPI_INT, next, 16, 2, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(0, win);
    MPI_Win_lock_all(0, win);
    MPI_Rput(own, 1, MPI_INT, next, 24, 1, MPI_INT, win, &request[0]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Rget(got, 1, MPI_INT, next, 32, 1, MPI_INT, win, &request[0]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Raccumulate(own, 1, MPI_INT, next, 40, 1, MPI_INT, MPI_SUM, win,
                    &request[0]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Get_accumulate(own, 4, MPI_INT, got, 4, MPI_INT, next, 44, 4, MPI_INT,
                       MPI_SUM, win);
    MPI_Win_flush(next, win);
    MPI_Get_accumulate(NULL, 0, MPI_INT, got, 4, MPI_INT, next, 44, 4, MPI_INT,
                       MPI_NO_OP, win);
    MPI_Win_flush(next, win);
    MPI_Fetch_and_op(own, got, MPI_INT, next, 50, MPI_SUM, win);
    MPI_Win_flush(next, win);
    MPI_Compare_and_swap(own, own + 1, got, MPI_INT, next, 52, win);
    MPI_Win_flush(next, win);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Comm_free(&comm);

    for (int parity = 0; parity < 2; parity++)
        for (int i = 0; i < 3; i++) {
            const int a = window_world(parity, i);
            const int b = window_world(parity, (i + 1) % 3);
            static const uint64_t out[] = {20, 8, 4, 4, 16, 4, 4};
            static const uint64_t back[] = {12, 4, 16, 16, 4, 4};
            calls[RMA] += 11;
            for (size_t k = 0; k < sizeof(out) / sizeof(*out); k++)
                expect(RMA, a, b, out[k]);
            for (size_t k = 0; k < sizeof(back) / sizeof(*back); k++)
                expect(RMA, b, a, back[k]);
        }
}

/* ---- point-to-point of several sizes, and of MPI 4 where there is any */

static void sizes(void)
{
    static const int lengths[] = {0, 1, 2, 3, 4, 1023, 1024, 1025};
    char out[2000] = {0}, in[2000];
    const int to = (rank + 1) % N, from = (rank + N - 1) % N;

    for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
        MPI_Sendrecv(out, lengths[i], MPI_BYTE, to, TAG, in, 2000, MPI_BYTE,
                     from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        calls[P2P] += N;
        for (int r = 0; r < N; r++)
            expect(P2P, r, (r + 1) % N, (uint64_t)lengths[i]);
    }
}

#if MPI_VERSION >= 4
static void partitioned(void)
{
    const int to = (rank + 1) % N, from = (rank + N - 1) % N;
    int out[12] = {0}, in[12];
    MPI_Request r[2];

    MPI_Psend_init(out, 4, 3, MPI_INT, to, TAG, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &r[0]);
    MPI_Precv_init(in, 4, 3, MPI_INT, from, TAG, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &r[1]);
    for (int i = 0; i < 2; i++) {
        MPI_Startall(2, r);
        MPI_Pready_range(0, 2, r[0]);
        MPI_Pready(3, r[0]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    MPI_Isendrecv(out, 5, MPI_INT, to, TAG, in, 5, MPI_INT, from, TAG,
                  MPI_COMM_WORLD, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Isendrecv_replace(out, 6, MPI_INT, to, TAG, from, TAG, MPI_COMM_WORLD,
                          &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Sendrecv_c(out, 7, MPI_INT, to, TAG, in, 7, MPI_INT, from, TAG,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    calls[P2P] += 7 * N;
    for (int a = 0; a < N; a++) {
        const int b = (a + 1) % N;
        expect(P2P, a, b, 48);
        expect(P2P, a, b, 48);
        expect(P2P, a, b, 20);
        expect(P2P, a, b, 24);
        expect(P2P, a, b, 28);
    }
}
#endif

static void print_pair(int kind, int a, int b)
{
    uint64_t both = 0;

    for (int k = 0; k < NCLASSES; k++)
        both += size[kind][a][b][k] + size[kind][b][a][k];
    if (both > 0)
        printf("edge %s %d %d %llu\n", names[kind], a, b,
               (unsigned long long)both);
}

static void print_messages(int kind, int a, int b)
{
    for (int k = 0; k < NCLASSES; k++)
        if (count[kind][a][b][k] > 0)
            printf("message %s %d %d %d %llu %llu\n", names[kind], a, b,
                   k ? 1 << (k - 1) : 0,
                   (unsigned long long)count[kind][a][b][k],
                   (unsigned long long)size[kind][a][b][k]);
}

int main(int argc, char **argv)
{
    int n;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    if (n != N)
        MPI_Abort(MPI_COMM_WORLD, 2);
    cartesian();
    graph();
    dist_graph();
    one_sided();
    sizes();
#if MPI_VERSION >= 4
    partitioned();
#endif
    for (int kind = 0; rank == 0 && kind < NKINDS; kind++) {
        for (int a = 0; a < N; a++)
            for (int b = 0; b < N; b++) {
                if (a < b)
                    print_pair(kind, a, b);
                print_messages(kind, a, b);
            }
        printf("calls %s %ld\nbytes %s %llu\n", names[kind], calls[kind],
               names[kind], (unsigned long long)bytes[kind]);
    }
    MPI_Finalize();
    return 0;
}
