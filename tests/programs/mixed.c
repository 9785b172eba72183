/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mixed.c - an MPI program of many kinds of calls whose bytes per pair are
 * known, to hold a recorder against */

/* `mixed` runs the calls, checks what arrives and prints one line. `mixed
 * --expect N` needs no MPI job: it prints, for N ranks, one line `p2p a b
 * bytes` or `alltoall a b bytes` for each pair a < b that talks; the bytes are
 * those of both directions together. They are computed pair by pair from the
 * rules below, not by the code that sends.
 *
 * p2p:      send      even r -> r + 1 (if there is one), 100 doubles, MPI_Send
 * and MPI_Recv ring      r -> r + 3 mod n, 96 ints, MPI_Sendrecv (n > 3) near
 * r <-> r + 2 mod n, 1,000 bytes each way, Irecv, Isend, Waitall (n > 2) fan-in
 * r > 0 -> 0, 16 + 4 r bytes, Ssend (r even) or Isend and Wait (r odd); Irecv
 * and Testsome at rank 0 vector    n - 1 -> 0, a derived type of 3 blocks of 2
 * ints: 24 bytes (n > 1) sub       among the ranks of one parity, numbered
 * downwards: each to the next lower one, the lowest to the highest, 40 bytes
 * (if two or more have that parity) none      everybody to MPI_PROC_NULL, 64
 * bytes: no pair alltoall: rows      among ranks 4k .. 4k + 3, numbered
 * downwards: 5 ints a pair and direction world     MPI_IN_PLACE, 8 bytes a pair
 * and direction Besides: one MPI_Allreduce of 8 bytes, one MPI_Bcast of 1,024
 * bytes from the last rank, one MPI_Barrier, on all ranks. */

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SEND_COUNT = 100,
    RING_COUNT = 96,
    NEAR_BYTES = 1000,
    FAN_BASE = 16,
    FAN_STEP = 4,
    SUB_BYTES = 40,
    ROW = 4
};
enum {
    ROW_COUNT = 5,
    BCAST_BYTES = 1024,
    MAX_FAN = FAN_BASE + FAN_STEP * 65536
};

static int wrong; /* how many values were not what they should be */

static void check(int ok)
{
    if (!ok)
        wrong++;
}

static int byte_of(int from, int i)
{
    return (from * 31 + i) & 0xff;
}

static void fill(unsigned char *bytes, int n, int from)
{
    for (int i = 0; i < n; i++)
        bytes[i] = (unsigned char)byte_of(from, i);
}

static void check_bytes(const unsigned char *bytes, int n, int from)
{
    for (int i = 0; i < n; i++)
        check(bytes[i] == byte_of(from, i));
}

static void do_send(int rank, int n)
{
    double data[SEND_COUNT];

    for (int i = 0; i < SEND_COUNT; i++)
        data[i] = rank + i;
    if (rank % 2 == 0 && rank + 1 < n)
        MPI_Send(data, SEND_COUNT, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD);
    if (rank % 2 == 1) {
        MPI_Recv(data, SEND_COUNT, MPI_DOUBLE, MPI_ANY_SOURCE, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check((int)data[SEND_COUNT - 1] == rank - 1 + SEND_COUNT - 1);
    }
}

static void do_ring(int rank, int n)
{
    int out[RING_COUNT], in[RING_COUNT];

    if (n <= 3)
        return;
    for (int i = 0; i < RING_COUNT; i++)
        out[i] = rank * RING_COUNT + i;
    MPI_Sendrecv(out, RING_COUNT, MPI_INT, (rank + 3) % n, 2, in, RING_COUNT,
                 MPI_INT, (rank + n - 3) % n, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    check(in[1] == (rank + n - 3) % n * RING_COUNT + 1);
}

static void do_near(int rank, int n)
{
    unsigned char out[NEAR_BYTES], in[2][NEAR_BYTES];
    int up = (rank + 2) % n, down = (rank + n - 2) % n;
    MPI_Request requests[4];

    if (n <= 2)
        return;
    fill(out, NEAR_BYTES, rank);
    MPI_Irecv(in[0], NEAR_BYTES, MPI_BYTE, up, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in[1], NEAR_BYTES, MPI_BYTE, down, 4, MPI_COMM_WORLD,
              &requests[1]);
    MPI_Isend(out, NEAR_BYTES, MPI_BYTE, down, 3, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(out, NEAR_BYTES, MPI_BYTE, up, 4, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    check_bytes(in[0], NEAR_BYTES, up);
    check_bytes(in[1], NEAR_BYTES, down);
}

static void receive_fan(int n)
{
    size_t count = (size_t)n - 1;
    unsigned char *in = calloc(count, (size_t)(FAN_BASE + FAN_STEP * n));
    MPI_Request *requests = calloc(count, sizeof(MPI_Request));
    int *done = calloc(count, sizeof(*done));
    int left = n - 1, some = 0;

    if (!in || !requests || !done)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 1; i < n; i++)
        MPI_Irecv(in + (size_t)(i - 1) * (size_t)(FAN_BASE + FAN_STEP * n),
                  FAN_BASE + FAN_STEP * i, MPI_BYTE, i, 5, MPI_COMM_WORLD,
                  &requests[i - 1]);
    while (left > 0) {
        MPI_Testsome(n - 1, requests, &some, done, MPI_STATUSES_IGNORE);
        left -= some;
    }
    for (int i = 1; i < n; i++)
        check_bytes(in + (size_t)(i - 1) * (size_t)(FAN_BASE + FAN_STEP * n),
                    FAN_BASE + FAN_STEP * i, i);
    free(in);
    free(requests);
    free(done);
}

static void do_fan_in(int rank, int n)
{
    static unsigned char out[MAX_FAN];
    int bytes = FAN_BASE + FAN_STEP * rank;
    MPI_Request request;

    if (n == 1)
        return;
    if (rank == 0) {
        receive_fan(n);
        return;
    }
    fill(out, bytes, rank);
    if (rank % 2 == 0) {
        MPI_Ssend(out, bytes, MPI_BYTE, 0, 5, MPI_COMM_WORLD);
    } else {
        MPI_Isend(out, bytes, MPI_BYTE, 0, 5, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void do_vector(int rank, int n)
{
    int data[12] = {0};
    MPI_Datatype type;

    if (n == 1)
        return;
    MPI_Type_vector(3, 2, 5, MPI_INT, &type);
    MPI_Type_commit(&type);
    if (rank == n - 1) {
        for (int i = 0; i < 12; i++)
            data[i] = i + 1;
        MPI_Send(data, 1, type, 0, 6, MPI_COMM_WORLD);
    } else if (rank == 0) {
        MPI_Recv(data, 1, type, n - 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(data[0] == 1 && data[2] == 0 && data[11] == 12);
    }
    MPI_Type_free(&type);
}

static void do_sub(int rank)
{
    unsigned char out[SUB_BYTES], in[SUB_BYTES];
    int own, size;
    MPI_Comm parity;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &parity);
    MPI_Comm_rank(parity, &own);
    MPI_Comm_size(parity, &size);
    fill(out, SUB_BYTES, own);
    if (size > 1) {
        MPI_Sendrecv(out, SUB_BYTES, MPI_BYTE, (own + 1) % size, 7, in,
                     SUB_BYTES, MPI_BYTE, (own + size - 1) % size, 7, parity,
                     MPI_STATUS_IGNORE);
        check_bytes(in, SUB_BYTES, (own + size - 1) % size);
    }
    MPI_Comm_free(&parity);
}

static void do_none(void)
{
    char nothing[64] = {0};

    MPI_Send(nothing, sizeof(nothing), MPI_BYTE, MPI_PROC_NULL, 8,
             MPI_COMM_WORLD);
    MPI_Recv(nothing, sizeof(nothing), MPI_BYTE, MPI_PROC_NULL, 8,
             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void do_rows(int rank)
{
    int out[ROW * ROW_COUNT], in[ROW * ROW_COUNT];
    int own, size;
    MPI_Comm row;

    MPI_Comm_split(MPI_COMM_WORLD, rank / ROW, -rank, &row);
    MPI_Comm_rank(row, &own);
    MPI_Comm_size(row, &size);
    for (int i = 0; i < size * ROW_COUNT; i++)
        out[i] = own * 100 + i;
    MPI_Alltoall(out, ROW_COUNT, MPI_INT, in, ROW_COUNT, MPI_INT, row);
    for (int i = 0; i < size; i++)
        check(in[i * ROW_COUNT] == i * 100 + own * ROW_COUNT);
    MPI_Comm_free(&row);
}

static void do_world(int rank, int n)
{
    int64_t *data = calloc((size_t)n, sizeof(*data)), sum = rank;
    unsigned char text[BCAST_BYTES];

    if (!data)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < n; i++)
        data[i] = (int64_t)rank * n + i;
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, 1, MPI_INT64_T,
                 MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
        check(data[i] == (int64_t)i * n + rank);
    free(data);

    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    check(sum == (int64_t)n * (n - 1) / 2);
    fill(text, BCAST_BYTES, rank);
    MPI_Bcast(text, BCAST_BYTES, MPI_BYTE, n - 1, MPI_COMM_WORLD);
    check_bytes(text, BCAST_BYTES, n - 1);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Bytes that a sends to b, a != b, by the p2p rules */
static uint64_t p2p_bytes(int a, int b, int n)
{
    uint64_t sum = 0;
    int parity_low = a % 2, parity_high = (n - 1) % 2 == a % 2 ? n - 1 : n - 2;

    if (a % 2 == 0 && b == a + 1)
        sum += SEND_COUNT * 8;
    if (n > 3 && b == (a + 3) % n)
        sum += RING_COUNT * 4;
    if (n > 2 && b == (a + 2) % n)
        sum += NEAR_BYTES;
    if (n > 2 && a == (b + 2) % n)
        sum += NEAR_BYTES;
    if (b == 0)
        sum += (uint64_t)(FAN_BASE + FAN_STEP * a);
    if (a == n - 1 && b == 0)
        sum += 24;
    if (b == a - 2 || (a == parity_low && b == parity_high))
        sum += SUB_BYTES;
    return sum;
}

static uint64_t alltoall_bytes(int a, int b)
{
    return 8 + (a / ROW == b / ROW ? ROW_COUNT * 4 : 0);
}

static void print_expected(int n)
{
    for (int a = 0; a < n; a++)
        for (int b = a + 1; b < n; b++) {
            uint64_t bytes = p2p_bytes(a, b, n) + p2p_bytes(b, a, n);
            if (bytes)
                printf("p2p %d %d %llu\n", a, b, (unsigned long long)bytes);
        }
    for (int a = 0; a < n; a++)
        for (int b = a + 1; b < n; b++)
            printf("alltoall %d %d %llu\n", a, b,
                   (unsigned long long)(alltoall_bytes(a, b) +
                                        alltoall_bytes(b, a)));
}

int main(int argc, char **argv)
{
    int rank, n, all_wrong = 0;

    if (argc == 3 && strcmp(argv[1], "--expect") == 0) {
        print_expected((int)strtol(argv[2], NULL, 10));
        return 0;
    }
    if (argc > 1) {
        fprintf(stderr, "usage: mixed [--expect N]\n");
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    do_send(rank, n);
    do_ring(rank, n);
    do_near(rank, n);
    do_fan_in(rank, n);
    do_vector(rank, n);
    do_sub(rank);
    do_none();
    do_rows(rank);
    do_world(rank, n);
    MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("mixed: %d ranks, %d wrong values\n", n, all_wrong);
    MPI_Finalize();
    return rank == 0 && all_wrong ? 1 : 0;
}
