/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* recorder_p2p.c - every kind of point-to-point call, and from rank 0 the edges
 * that a recorder must find, computed by the sums below and not from the calls:
 * "edge TYPE A B BYTES", "calls TYPE N", "bytes TYPE N". Four tasks or more.
 * With an argument: without persistent requests and inter-communicators. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

enum { TAG = 7, NKINDS = 8, MOST = 64 };

static int rank, size;
static uint64_t expected[MOST][MOST]; /* [from][to], used on rank 0 */
static long calls;

static int right(int r)
{
    return (r + 1) % size;
}

static int left(int r)
{
    return (r + size - 1) % size;
}

/* Every task sends bytes to the one at the given distance. */
static void expect_ring(int distance, uint64_t bytes)
{
    for (int r = 0; r < size; r++)
        expected[r][(r + distance) % size] += bytes;
}

/* Eight kinds of send to the right, of 8 x (kind + 1) ints, with Recv on the
 * blocking half, and Irecv + Waitall on the other. */
static void ring(void)
{
    int (*const blocking[])(const void *, int, MPI_Datatype, int, int,
                            MPI_Comm) = {MPI_Send, MPI_Bsend, MPI_Ssend,
                                         MPI_Rsend};
    int (*const begun[])(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                         MPI_Request *) = {MPI_Isend, MPI_Ibsend, MPI_Issend,
                                           MPI_Irsend};
    int out[8 * NKINDS] = {rank}, in[8 * NKINDS];
    static char room[4 * (8 * NKINDS * sizeof(int) + MPI_BSEND_OVERHEAD)];
    void *back;
    int ignored;

    MPI_Buffer_attach(room, sizeof(room));
    for (int kind = 0; kind < NKINDS; kind++) {
        const int count = 8 * (kind + 1);
        MPI_Request requests[2];
        MPI_Status statuses[2];
        MPI_Irecv(in, count, MPI_INT, left(rank), TAG, MPI_COMM_WORLD,
                  &requests[0]);
        MPI_Barrier(MPI_COMM_WORLD); /* receives are posted: ready mode */
        if (kind < 4) {
            blocking[kind](out, count, MPI_INT, right(rank), TAG,
                           MPI_COMM_WORLD);
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        } else {
            begun[kind - 4](out, count, MPI_INT, right(rank), TAG,
                            MPI_COMM_WORLD, &requests[1]);
            MPI_Waitall(2, requests, statuses);
        }
        expect_ring(1, (uint64_t)count * sizeof(int));
        calls += 2 * size;
    }
    MPI_Buffer_detach(&back, &ignored);
}

/* A vector of 3 blocks of 2 doubles with gaps: 48 bytes, not its extent. */
static void derived(void)
{
    double out[16] = {0}, in[16];
    MPI_Datatype vector;

    MPI_Type_vector(3, 2, 5, MPI_DOUBLE, &vector);
    MPI_Type_commit(&vector);
    MPI_Sendrecv(out, 1, vector, (rank + 2) % size, TAG, in, 1, vector,
                 (rank + size - 2) % size, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Type_free(&vector);
    expect_ring(2, 48);
    calls += size;

    MPI_Sendrecv_replace(out, 3, MPI_DOUBLE, right(rank), TAG, left(rank), TAG,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect_ring(1, 24);
    calls += size;
}

/* No bytes: to no rank, and of nothing. To itself: bytes without an edge. */
static uint64_t nothing(void)
{
    char byte[100] = {0}, got[100];

    MPI_Send(byte, 100, MPI_BYTE, MPI_PROC_NULL, TAG, MPI_COMM_WORLD);
    MPI_Recv(byte, 100, MPI_BYTE, MPI_PROC_NULL, TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    MPI_Sendrecv(byte, 0, MPI_BYTE, right(rank), TAG, got, 0, MPI_BYTE,
                 left(rank), TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(byte, 100, MPI_BYTE, rank, TAG, got, 100, MPI_BYTE, rank, TAG,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    calls += 4 * size;
    return 100 * (uint64_t)size;
}

/* Ranks reversed in a half of the world; persistent, three starts; the halves'
 * own ranks must not be taken for the world's. */
static void persistent(void)
{
    const int half = rank / (size / 2) < 1 ? 0 : 1;
    MPI_Comm comm;
    int n, r, out[5] = {0}, in[5];
    MPI_Request requests[2], unused;
    MPI_Status statuses[2];

    MPI_Comm_split(MPI_COMM_WORLD, half, -rank, &comm);
    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &r);
    MPI_Send_init(out, 5, MPI_INT, (r + 1) % n, TAG, comm, &requests[0]);
    MPI_Recv_init(in, 5, MPI_INT, (r + n - 1) % n, TAG, comm, &requests[1]);
    MPI_Send_init(out, 5, MPI_INT, (r + 1) % n, TAG, comm, &unused);
    for (int i = 0; i < 2; i++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, statuses);
    }
    MPI_Start(&requests[1]);
    MPI_Start(&requests[0]);
    for (int left_over = 2, done, which[2]; left_over > 0; left_over -= done) {
        MPI_Testsome(2, requests, &done, which, statuses);
        if (done == MPI_UNDEFINED)
            break;
    }
    MPI_Request_free(&unused);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Comm_free(&comm);
    calls += 6 * size;

    /* Reversed, a task's right neighbour is the one below it in the world. */
    for (int a = 0; a < size; a++) {
        const int first = a < size / 2 ? 0 : size / 2;
        const int last = a < size / 2 ? size / 2 - 1 : size - 1;
        expected[a][a == first ? last : a - 1] += 3 * 5 * sizeof(int);
    }
}

/* Matched and unmatched probes, between pairs of ranks. */
static void probes(void)
{
    const int other = rank ^ 1;
    int flag = 0, word[2] = {0};
    MPI_Message message;
    MPI_Request request;
    MPI_Status status;

    if (other >= size)
        return;
    if (rank & 1) {
        for (int i = 0; i < 4; i++)
            MPI_Send(word, 2, MPI_INT, other, TAG + i, MPI_COMM_WORLD);
        return;
    }
    MPI_Probe(other, TAG, MPI_COMM_WORLD, &status);
    MPI_Recv(word, 2, MPI_INT, other, TAG, MPI_COMM_WORLD, &status);
    while (!flag)
        MPI_Iprobe(other, TAG + 1, MPI_COMM_WORLD, &flag, &status);
    MPI_Recv(word, 2, MPI_INT, other, TAG + 1, MPI_COMM_WORLD, &status);
    MPI_Mprobe(other, TAG + 2, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(word, 2, MPI_INT, &message, &status);
    for (flag = 0; !flag;)
        MPI_Improbe(other, TAG + 3, MPI_COMM_WORLD, &flag, &message, &status);
    MPI_Imrecv(word, 2, MPI_INT, &message, &request);
    MPI_Wait(&request, &status);
}

static void expect_probes(void)
{
    for (int r = 1; r < size; r += 2) {
        expected[r][r - 1] += 4 * 2 * sizeof(int);
        calls += 8;
    }
}

/* Lower half to the same place in the upper one, over an inter-communicator. */
static void inter(void)
{
    const int half = size / 2, upper = rank >= half;
    MPI_Comm own, both;
    char byte[11] = {0};

    MPI_Comm_split(MPI_COMM_WORLD, upper, rank, &own);
    MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, upper ? 0 : half, TAG, &both);
    if (!upper)
        MPI_Send(byte, 11, MPI_BYTE, rank, TAG, both);
    else if (rank < 2 * half)
        MPI_Recv(byte, 11, MPI_BYTE, rank - half, TAG, both, MPI_STATUS_IGNORE);
    MPI_Comm_free(&both);
    MPI_Comm_free(&own);
    for (int r = 0; r < half; r++)
        expected[r][r + half] += 11;
    calls += 2 * half;
}

static void print_expected(uint64_t to_self)
{
    uint64_t bytes = to_self;

    for (int a = 0; a < size; a++)
        for (int b = a + 1; b < size; b++)
            if (expected[a][b] + expected[b][a] > 0)
                printf("edge p2p %d %d %llu\n", a, b,
                       (unsigned long long)(expected[a][b] + expected[b][a]));
    for (int a = 0; a < size; a++)
        for (int b = 0; b < size; b++)
            bytes += expected[a][b];
    printf("calls p2p %ld\nbytes p2p %llu\n", calls, (unsigned long long)bytes);
}

int main(int argc, char **argv)
{
    uint64_t to_self;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 4 || size > MOST)
        MPI_Abort(MPI_COMM_WORLD, 2);
    ring();
    derived();
    to_self = nothing();
    if (argc == 1)
        persistent();
    probes();
    expect_probes();
    if (argc == 1)
        inter();
    if (rank == 0)
        print_expected(to_self);
    MPI_Finalize();
    return 0;
}
