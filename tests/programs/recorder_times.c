/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* recorder_times.c - in which calls time is spent, and when nothing is counted:
 *   wait      a late task, waited for in completing calls of every kind; prints
 *             "least TYPE SECONDS", what the type must have at least
 *   region    MPI_Pcontrol: only a region counts, and a persistent request that
 *             was made before it
 *   paused    the same for COMMPROF_PAUSED: only what follows MPI_Pcontrol(1)
 *   limit     messages for a second and more, the first of them at once
 *   spawn     a child task, with which it exchanges a message
 * Two tasks. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int rank;

static void late(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        usleep(300000);
}

static void swap(void)
{
    int out = 0, in;
    MPI_Sendrecv(&out, 1, MPI_INT, 1 - rank, 0, &in, 1, MPI_INT, 1 - rank, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void wait_for_all(void)
{
    MPI_Request r[4];
    int out = 1, in = 0, sum = 0, flag = 0, n = 0, which[2], two[2] = {0, 0},
        more[2];
    double began, wait, all, some, test, any;

    late(); /* 0.3 s in Wait: allreduce */
    MPI_Iallreduce(&out, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[0]);
    began = MPI_Wtime();
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    wait = MPI_Wtime() - began;

    late(); /* in Waitall: half p2p, half bcast */
    MPI_Irecv(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Ibcast(&sum, 1, MPI_INT, 1, MPI_COMM_WORLD, &r[1]);
    r[2] = MPI_REQUEST_NULL;
    if (rank == 1)
        MPI_Send(&out, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else
        MPI_Send(&out, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    began = MPI_Wtime();
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    all = MPI_Wtime() - began;

    late(); /* polling Testsome: reduce_scatter_block */
    MPI_Ireduce_scatter_block(two, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                              &r[0]);
    r[1] = MPI_REQUEST_NULL;
    began = MPI_Wtime();
    while (n == 0)
        MPI_Testsome(2, r, &n, which, MPI_STATUSES_IGNORE);
    some = MPI_Wtime() - began;
    /* nothing is left: that is p2p, and no time */
    MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE);

    late(); /* polling Test: alltoall */
    MPI_Ialltoall(two, 1, MPI_INT, more, 1, MPI_INT, MPI_COMM_WORLD, &r[0]);
    began = MPI_Wtime();
    for (flag = 0; !flag;)
        MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
    test = MPI_Wtime() - began;

    late(); /* Waitany, with a point-to-point request that stays: allgather */
    MPI_Irecv(&in, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, &r[0]);
    MPI_Iallgather(&out, 1, MPI_INT, more, 1, MPI_INT, MPI_COMM_WORLD, &r[1]);
    began = MPI_Wtime();
    MPI_Waitany(2, r, &n, MPI_STATUS_IGNORE);
    any = MPI_Wtime() - began;
    MPI_Barrier(MPI_COMM_WORLD); /* or both could be complete at once */
    MPI_Send(&out, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);

    if (rank == 0)
        printf("least allreduce %f\nleast p2p %f\nleast bcast %f\n"
               "least reduce_scatter_block %f\nleast alltoall %f\n"
               "least allgather %f\n",
               wait * 0.9, all * 0.4, all * 0.4, some / 4, test / 4, any * 0.9);
}

static void region(void)
{
    MPI_Request r[2];
    int out = 0, in, sum;

    MPI_Pcontrol(0);
    swap();
    MPI_Send_init(&out, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Recv_init(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &r[1]);
    MPI_Startall(2, r);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Request_free(&r[1]);
    MPI_Iallreduce(&out, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[1]);
    MPI_Wait(&r[1], MPI_STATUS_IGNORE);
    MPI_Pcontrol(1, "a name that other tools take");
    MPI_Pcontrol(2);
    if (rank == 0)
        MPI_Start(&r[0]);
    else
        MPI_Recv(&in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    swap();
    MPI_Pcontrol(0);
    swap();
    MPI_Request_free(&r[0]);
    if (rank == 0)
        printf("calls p2p 4\nbytes p2p 12\nedge p2p 0 1 12\n");
}

static void paused(void)
{
    int out = 0, sum;

    swap();
    MPI_Allreduce(&out, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Pcontrol(1);
    swap();
    if (rank == 0)
        printf("calls p2p 2\nbytes p2p 8\nedge p2p 0 1 8\n");
}

static void limit(void)
{
    swap();
    if (rank == 0)
        printf("calls p2p 2\nbytes p2p 8\nedge p2p 0 1 8\n");
    sleep(2);
    MPI_Barrier(MPI_COMM_WORLD); /* this one notices */
    for (int i = 0; i < 1000; i++)
        swap();
}

/* The parent's messages to the child have bytes, but no pair. */
static void spawn(char **argv, MPI_Comm parent)
{
    MPI_Comm child;
    int word = 0;

    if (parent != MPI_COMM_NULL) {
        MPI_Recv(&word, 1, MPI_INT, 0, 0, parent, MPI_STATUS_IGNORE);
        MPI_Comm_disconnect(&parent);
        return;
    }
    swap();
    MPI_Comm_spawn(argv[0], argv + 1, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
                   &child, MPI_ERRCODES_IGNORE);
    if (rank == 0) {
        MPI_Send(&word, 1, MPI_INT, 0, 0, child);
        printf("calls p2p 3\nbytes p2p 12\nedge p2p 0 1 8\n");
    }
    MPI_Comm_disconnect(&child);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    MPI_Comm parent;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    if (strcmp(what, "wait") == 0)
        wait_for_all();
    else if (strcmp(what, "region") == 0)
        region();
    else if (strcmp(what, "paused") == 0)
        paused();
    else if (strcmp(what, "limit") == 0)
        limit();
    else if (strcmp(what, "spawn") == 0)
        spawn(argv, parent);
    MPI_Finalize();
    return 0;
}
