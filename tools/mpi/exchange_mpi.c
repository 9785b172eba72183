/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* exchange_mpi.c - the four calls that topomap-mpi makes, by the MPI that this
 * is built with: mpicc -shared -fPIC -o exchange.so exchange_mpi.c */
#include <mpi.h>

#include "exchange_calls.h"

#include <time.h>

extern const struct exchange_calls topomap_exchange;

/* The search has threads, which never come here. */
static void begin(int *rank, int *size)
{
    int provided;

    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, size);
}

/* An MPI that waits spins, for as long as the others search; who is not alone
 * on a core would take it from them. */
static void finish(MPI_Request *request)
{
    const struct timespec pause = {0, 500000};
    int done = 0;

    while (MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done)
        nanosleep(&pause, NULL);
}

static void gather(void *all, const void *own, int n)
{
    MPI_Request request;

    MPI_Igather((void *)own, n, MPI_BYTE, all, n, MPI_BYTE, 0, MPI_COMM_WORLD,
                &request);
    finish(&request);
}

static void tell(void *bytes, int n, int from)
{
    MPI_Request request;

    MPI_Ibcast(bytes, n, MPI_BYTE, from, MPI_COMM_WORLD, &request);
    finish(&request);
}

/* None ends before all are here. */
static void end(void)
{
    MPI_Request request;

    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    finish(&request);
    MPI_Finalize();
}

const struct exchange_calls topomap_exchange = {
    EXCHANGE_VERSION, begin, gather, tell, end,
};
