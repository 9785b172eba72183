/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* recorder_sessions.c - messages over a communicator of an MPI Session, whose
 * ranks are those of the world reversed; with an argument between MPI_Init and
 * MPI_Finalize, and then expectations as in recorder_p2p.c. MPI 4, or it prints
 * "skip". */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#if MPI_VERSION >= 4
static MPI_Comm make_reversed(MPI_Session session)
{
    MPI_Group world, reversed;
    MPI_Comm comm;
    int n, *ranks;

    MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
    MPI_Group_size(world, &n);
    ranks = malloc((size_t)n * sizeof(*ranks));
    for (int i = 0; i < n; i++)
        ranks[i] = n - 1 - i;
    MPI_Group_incl(world, n, ranks, &reversed);
    MPI_Comm_create_from_group(reversed, "reversed", MPI_INFO_NULL,
                               MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&reversed);
    MPI_Group_free(&world);
    free(ranks);
    return comm;
}

/* Rank 0 of the communicator, the last of the world, to rank 1 of it. */
static void send_one(MPI_Comm comm, int argc)
{
    int word = 7, n, r;

    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &r);
    if (r == 0)
        MPI_Send(&word, 1, MPI_INT, 1, 0, comm);
    else if (r == 1)
        MPI_Recv(&word, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
    if (r == 1 && argc == 1)
        printf("got %d\n", word);
    if (r == n - 1 && argc > 1)
        printf("edge p2p %d %d 4\ncalls p2p 2\nbytes p2p 4\n", n - 2, n - 1);
}

int main(int argc, char **argv)
{
    MPI_Session session;
    MPI_Comm comm;

    if (argc > 1)
        MPI_Init(&argc, &argv);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    comm = make_reversed(session);
    send_one(comm, argc);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    if (argc > 1)
        MPI_Finalize();
    return 0;
}
#else
int main(void)
{
    printf("skip\n");
    return 0;
}
#endif
