/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* recorder_threads.c - four threads of each task send at once, each on a
 * communicator of its own, while communicators come and go; expectations as in
 * recorder_p2p.c. Without MPI_THREAD_MULTIPLE it prints "skip". */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { NTHREADS = 4, ROUNDS = 200 };

static int rank, size;
static MPI_Comm own[NTHREADS];

static void *send_around(void *argument)
{
    const int thread = *(int *)argument;
    char out[64] = {0}, in[64];

    for (int i = 0; i < ROUNDS; i++) {
        MPI_Comm comm = own[thread];
        const int once = i % 50 == 0;
        if (once)
            MPI_Comm_dup(own[thread], &comm);
        MPI_Sendrecv(out, thread + 1, MPI_BYTE, (rank + 1) % size, i, in,
                     thread + 1, MPI_BYTE, (rank + size - 1) % size, i, comm,
                     MPI_STATUS_IGNORE);
        if (once)
            MPI_Comm_free(&comm);
    }
    return NULL;
}

static void print_expected(void)
{
    const int each = ROUNDS * NTHREADS * (NTHREADS + 1) / 2;

    for (int a = 0; a < size; a++)
        for (int b = a + 1; b < size; b++) {
            const int times = (a + 1 == b) + ((b + 1) % size == a);
            if (times > 0)
                printf("edge p2p %d %d %d\n", a, b, times * each);
        }
    printf("calls p2p %d\nbytes p2p %d\n", size * ROUNDS * NTHREADS,
           size * each);
}

int main(int argc, char **argv)
{
    pthread_t threads[NTHREADS];
    int provided, numbers[NTHREADS];

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (provided != MPI_THREAD_MULTIPLE) {
        if (rank == 0)
            printf("skip\n");
        MPI_Finalize();
        return 0;
    }
    for (int i = 0; i < NTHREADS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
    for (int i = 0; i < NTHREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, send_around, &numbers[i]);
    }
    for (int i = 0; i < NTHREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < NTHREADS; i++)
        MPI_Comm_free(&own[i]);
    if (rank == 0)
        print_expected();
    MPI_Finalize();
    return 0;
}
