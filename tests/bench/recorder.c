/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* recorder.c - what calls cost: ns of process CPU per iteration, a line a case,
 * of rank 0. Two tasks; with an argument any number, of which rank 0 makes the
 * calls that need no other, over a communicator of all ranks reversed. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static MPI_Comm comm = MPI_COMM_WORLD;
static int rank; /* in it */
static char out[64], in[64];

static double cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void send_to_nobody(void)
{
    MPI_Send(out, 8, MPI_BYTE, MPI_PROC_NULL, 0, comm);
}

static void isend_and_wait(void)
{
    MPI_Request request;
    MPI_Isend(out, 8, MPI_BYTE, MPI_PROC_NULL, 0, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void sendrecv_to_self(void)
{
    MPI_Sendrecv(out, 8, MPI_BYTE, rank, 0, in, 8, MPI_BYTE, rank, 0, comm,
                 MPI_STATUS_IGNORE);
}

static void iprobe_in_vain(void)
{
    int flag;
    MPI_Iprobe(MPI_ANY_SOURCE, 99, comm, &flag, MPI_STATUS_IGNORE);
}

static void exchange(int partner)
{
    MPI_Request requests[2];
    MPI_Irecv(in, 64, MPI_BYTE, partner, 0, comm, &requests[0]);
    MPI_Isend(out, 64, MPI_BYTE, partner, 0, comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* The same calls as halo, without the time that the other task is late. */
static void exchange_with_self(void)
{
    exchange(rank);
}

static void halo(void)
{
    exchange(1 - rank);
}

static void allreduce(void)
{
    double a = 1, b;
    MPI_Allreduce(&a, &b, 1, MPI_DOUBLE, MPI_SUM, comm);
}

enum { NALONE = 4 }; /* the first of these, which know no other task */
static const struct {
    const char *name;
    void (*once)(void);
    int iterations;
} cases[] = {
    {"send to MPI_PROC_NULL", send_to_nobody, 200000},
    {"isend + wait", isend_and_wait, 200000},
    {"sendrecv to itself", sendrecv_to_self, 100000},
    {"halo with itself", exchange_with_self, 100000},
    {"iprobe in vain", iprobe_in_vain, 100000},
    {"halo of 64 bytes", halo, 50000},
    {"allreduce of 8 bytes", allreduce, 50000},
};

/* COMMPROF_SECONDS=1 is over after that. */
static void spin(double seconds)
{
    const double until = MPI_Wtime() + seconds;

    while (MPI_Wtime() < until)
        iprobe_in_vain();
}

int main(int argc, char **argv)
{
    size_t n = sizeof(cases) / sizeof(*cases);
    int world_rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    if (argc > 1) {
        MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &comm);
        n = world_rank == 0 ? NALONE : 0;
    }
    MPI_Comm_rank(comm, &rank);
    if (getenv("COMMPROF_SECONDS"))
        spin(1.1);
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < 1000; k++)
            cases[i].once();
        if (argc == 1)
            MPI_Barrier(MPI_COMM_WORLD);
        const double began = cpu_ns();
        for (int k = 0; k < cases[i].iterations; k++)
            cases[i].once();
        const double each = (cpu_ns() - began) / cases[i].iterations;
        if (world_rank == 0)
            printf("%s\t%.1f\n", cases[i].name, each);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
