/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* recorder_deaths.c - a ring of messages, 1000 bytes a task and round, and an
 * end that is none:
 *   finalize       MPI_Finalize, as it should be
 *   late           MPI_Finalize, three seconds later
 *   fail           MPI_Finalize, and status 3
 *   exit, _exit    without MPI_Finalize
 *   abort          rank 1 calls MPI_Abort(7)
 *   crash          rank 1 writes to no address
 *   kill           rank 1 kills itself by SIGKILL, the others wait for it
 *   killall        every rank does
 *   sleep          waits to be ended
 * Prints "rank 0 is ready" when its messages are through. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 10, BYTES = 1000 };

static void end(const char *how, int rank)
{
    if (strcmp(how, "exit") == 0)
        exit(0);
    if (strcmp(how, "_exit") == 0)
        _exit(0);
    if (strcmp(how, "killall") == 0)
        raise(SIGKILL);
    if (rank == 1 && strcmp(how, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 7);
    if (rank == 1 && strcmp(how, "crash") == 0)
        raise(SIGSEGV);
    if (rank == 1 && strcmp(how, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(how, "late") == 0)
        sleep(3);
    else if (strcmp(how, "finalize") != 0 && strcmp(how, "fail") != 0)
        sleep(100);
}

int main(int argc, char **argv)
{
    static char out[BYTES], in[BYTES];
    double value = 1, sum;
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < ROUNDS; i++)
        MPI_Sendrecv(out, BYTES, MPI_BYTE, (rank + 1) % size, 0, in, BYTES,
                     MPI_BYTE, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        printf("rank 0 is ready\n");
        fflush(stdout);
    }
    end(argc > 1 ? argv[1] : "finalize", rank);
    MPI_Finalize();
    return argc > 1 && strcmp(argv[1], "fail") == 0 ? 3 : 0;
}
