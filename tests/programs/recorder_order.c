/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* recorder_order.c - sends in an order that is known, several times over, and
 * prints in which stage each pair is first used: recorder_order WHAT */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EAST, WEST, NORTH, SOUTH, SIDES, SMALL = 8, LARGE = 1 << 16 };

static int rank, size, side[SIDES];
static char sent[SIDES][2 * LARGE], received[SIDES][2 * LARGE];

/* A grid of 3 columns. */
static void find_sides(MPI_Comm *grid, int periodic)
{
    const int dims[2] = {size / 3, 3}, periods[2] = {periodic, periodic};

    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, grid);
    MPI_Cart_shift(*grid, 1, 1, &side[WEST], &side[EAST]);
    MPI_Cart_shift(*grid, 0, 1, &side[NORTH], &side[SOUTH]);
}

static void expect(const char *file, const char *type, int to, int stage)
{
    if (to != MPI_PROC_NULL)
        printf("%s %s %d %d %d\n", file, type, rank, stage, to);
}

static int opposite(int i)
{
    return i ^ 1;
}

static void exchange(int i, int n, MPI_Comm comm)
{
    MPI_Sendrecv(sent[i], n, MPI_CHAR, side[i], i, received[i], n, MPI_CHAR,
                 side[opposite(i)], i, comm, MPI_STATUS_IGNORE);
}

static void post(int first, int n, MPI_Request *request, MPI_Comm comm)
{
    for (int i = 0; i < n; i++) {
        const int s = first + i;

        MPI_Irecv(received[s], SMALL, MPI_CHAR, side[opposite(s)], s, comm,
                  &request[2 * i]);
        MPI_Isend(sent[s], SMALL, MPI_CHAR, side[s], s, comm,
                  &request[2 * i + 1]);
    }
}

/* One side after the other; tasks at the border count as the others do. */
static void sweeps(MPI_Comm comm)
{
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < SIDES; i++)
            exchange(i, k < 2 ? SMALL : LARGE, comm);
    for (int i = 0; i < SIDES; i++)
        expect("messages", "p2p", side[i], i);
}

static void at_once(MPI_Comm comm)
{
    MPI_Request request[2 * SIDES];

    for (int k = 0; k < 3; k++) {
        post(0, SIDES, request, comm);
        MPI_Waitall(2 * SIDES, request, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < SIDES; i++)
        expect("messages", "p2p", side[i], 0);
}

/* East and west, and then north and south, by one kind of wait each. */
static void halves(MPI_Comm comm)
{
    MPI_Request request[4];
    int done[4], n, at, flag;

    post(0, 2, request, comm);
    for (n = 0; n < 4; n++)
        MPI_Waitany(4, request, &at, MPI_STATUS_IGNORE);
    post(2, 2, request, comm);
    for (n = 0; n < 4; n += at)
        MPI_Waitsome(4, request, &at, done, MPI_STATUSES_IGNORE);
    for (int k = 0; k < 2; k++) {
        post(2 * k, 2, request, comm);
        do
            MPI_Testall(4, request, &flag, MPI_STATUSES_IGNORE);
        while (!flag);
    }
    for (int i = 0; i < SIDES; i++)
        expect("messages", "p2p", side[i], i / 2);
}

static void persistent(MPI_Comm comm)
{
    MPI_Request request[2 * SIDES];

    for (int i = 0; i < SIDES; i++) {
        MPI_Recv_init(received[i], SMALL, MPI_CHAR, side[opposite(i)], i, comm,
                      &request[2 * i]);
        MPI_Send_init(sent[i], SMALL, MPI_CHAR, side[i], i, comm,
                      &request[2 * i + 1]);
    }
    for (int k = 0; k < 2; k++) {
        MPI_Startall(4, request);
        MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
        for (int i = 4; i < 2 * SIDES; i++)
            MPI_Start(&request[i]);
        MPI_Waitall(4, request + 4, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 2 * SIDES; i++)
        MPI_Request_free(&request[i]);
    for (int i = 0; i < SIDES; i++)
        expect("messages", "p2p", side[i], i / 2);
}

/* A collective between sends without a wait; nothing to wait for
 * is no wait. */
static void between(MPI_Comm comm)
{
    MPI_Request request[2 * SIDES],
        none[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};

    post(0, 1, request, comm);
    MPI_Waitall(2, none, MPI_STATUSES_IGNORE);
    post(1, 1, request + 2, comm);
    MPI_Barrier(comm);
    post(2, 2, request + 4, comm);
    MPI_Waitall(2 * SIDES, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < SIDES; i++)
        expect("messages", "p2p", side[i], i / 2);
}

/* Blocking sends: small ones go at once, large ones and MPI_Ssend wait. */
static void blocking(MPI_Comm comm)
{
    static const int bytes[SIDES] = {SMALL, SMALL, LARGE, SMALL};
    MPI_Request request[SIDES];

    for (int i = 0; i < SIDES; i++)
        MPI_Irecv(received[i], bytes[i], MPI_CHAR, side[opposite(i)], i, comm,
                  &request[i]);
    MPI_Send(sent[0], bytes[0], MPI_CHAR, side[0], 0, comm);
    MPI_Ssend(sent[1], bytes[1], MPI_CHAR, side[1], 1, comm);
    MPI_Send(sent[2], bytes[2], MPI_CHAR, side[2], 2, comm);
    MPI_Send(sent[3], bytes[3], MPI_CHAR, side[3], 3, comm);
    MPI_Waitall(SIDES, request, MPI_STATUSES_IGNORE);
    expect("messages", "p2p", side[0], 0);
    expect("messages", "p2p", side[1], 0);
    expect("messages", "p2p", side[2], 1);
    expect("messages", "p2p", side[3], 2);
}

/* Each phase has an order of its own, which goes on when it comes again. */
static void phases(MPI_Comm comm)
{
    exchange(EAST, SMALL, comm);
    exchange(NORTH, SMALL, comm);
    MPI_Pcontrol(2);
    exchange(SOUTH, SMALL, comm);
    MPI_Pcontrol(1);
    exchange(WEST, SMALL, comm);
    MPI_Pcontrol(2);
    exchange(EAST, SMALL, comm);
    expect("messages.phase1", "p2p", side[EAST], 0);
    expect("messages.phase1", "p2p", side[NORTH], 1);
    expect("messages.phase1", "p2p", side[WEST], 2);
    expect("messages.phase2", "p2p", side[SOUTH], 0);
    expect("messages.phase2", "p2p", side[EAST], 1);
}

/* One-sided; and unequal blocks along rows, and then columns. */
static void others(MPI_Comm comm)
{
    int counts[64], displs[64] = {0}, keep[2] = {0, 1}, n;
    MPI_Comm along;
    MPI_Win win;

    MPI_Win_create(received[0], LARGE, 1, MPI_INFO_NULL, comm, &win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < SIDES; i++) {
        MPI_Put(sent[i], 1, MPI_CHAR, side[i], i, 1, MPI_CHAR, win);
        expect("messages", "rma", side[i], i / 2);
        if (i % 2)
            MPI_Win_fence(0, win);
    }
    MPI_Win_free(&win);
    for (int i = 0; i < 64; i++)
        counts[i] = 1;
    for (int k = 0; k < 2; k++) {
        int other[64], world[64];
        MPI_Group group, all;

        keep[0] = k;
        keep[1] = !k;
        MPI_Cart_sub(comm, keep, &along);
        MPI_Comm_size(along, &n);
        MPI_Alltoallv(sent[0], counts, displs, MPI_CHAR, received[0], counts,
                      displs, MPI_CHAR, along);
        MPI_Comm_group(along, &group);
        MPI_Comm_group(MPI_COMM_WORLD, &all);
        for (int i = 0; i < n; i++)
            other[i] = i;
        MPI_Group_translate_ranks(group, n, other, all, world);
        for (int i = 0; i < n; i++)
            if (world[i] != rank)
                expect("messages", "alltoallv", world[i], k);
        MPI_Group_free(&group);
        MPI_Group_free(&all);
        MPI_Comm_free(&along);
    }
}

static void *send_east(void *comm)
{
    exchange(EAST, SMALL, *(MPI_Comm *)comm);
    return NULL;
}

/* Of several threads nothing is known; of one that may be, it is. */
static void threads(MPI_Comm comm, int others)
{
    pthread_t thread;

    exchange(WEST, SMALL, comm);
    if (others) {
        pthread_create(&thread, NULL, send_east, &comm);
        pthread_join(thread, NULL);
    } else {
        exchange(EAST, SMALL, comm);
        expect("messages", "p2p", side[WEST], 0);
        expect("messages", "p2p", side[EAST], 1);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    const int is_threaded = strstr(what, "thread") != NULL;
    MPI_Comm grid;
    int provided = MPI_THREAD_SINGLE;

    if (is_threaded)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (is_threaded && provided < MPI_THREAD_MULTIPLE) {
        if (rank == 0)
            puts("skip");
        MPI_Finalize();
        return 0;
    }
    find_sides(&grid, strcmp(what, "sweeps") != 0);
    if (strcmp(what, "sweeps") == 0)
        sweeps(grid);
    else if (strcmp(what, "at-once") == 0)
        at_once(grid);
    else if (strcmp(what, "halves") == 0)
        halves(grid);
    else if (strcmp(what, "persistent") == 0)
        persistent(grid);
    else if (strcmp(what, "between") == 0)
        between(grid);
    else if (strcmp(what, "blocking") == 0)
        blocking(grid);
    else if (strcmp(what, "phases") == 0)
        phases(grid);
    else if (strcmp(what, "others") == 0)
        others(grid);
    else
        threads(grid, strcmp(what, "threads") == 0);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
