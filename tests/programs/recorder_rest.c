/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* recorder_rest.c - the calls that the other programs leave out: persistent
 * requests of the other modes, other ways to wait, one-sided synchronisation,
 * requests of files and generalised ones, and communicators of every making;
 * expectations as in recorder_p2p.c. Four tasks; an argument names a file to
 * write. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 4, TAG = 5 };
enum kind { P2P, RMA, GATHER, GATHERV, ALLTOALL, ALLTOALLV, ALLTOALLW, NKINDS };
static const char *const names[NKINDS] = {"p2p",
                                          "rma",
                                          "neighbor_allgather",
                                          "neighbor_allgatherv",
                                          "neighbor_alltoall",
                                          "neighbor_alltoallv",
                                          "neighbor_alltoallw"};

static int rank;
static long calls[NKINDS];
static uint64_t sent[NKINDS][N][N];

static void expect(enum kind kind, int a, int b, uint64_t bytes)
{
    sent[kind][a][b] += bytes;
}

static int right(int r)
{
    return (r + 1) % N;
}

static int left(int r)
{
    return (r + N - 1) % N;
}

/* ---- persistent requests, and ways to wait */

static void wait_somehow(int n, MPI_Request *r)
{
    int some, which[4], index, flag = 0;

    MPI_Request_get_status(r[0], &flag, MPI_STATUS_IGNORE);
    for (flag = 0; !flag;)
        MPI_Testany(n, r, &index, &flag, MPI_STATUS_IGNORE);
    for (int left_over = n - 1; left_over > 0; left_over -= some) {
        MPI_Waitsome(n, r, &some, which, MPI_STATUSES_IGNORE);
        if (some == MPI_UNDEFINED)
            break;
    }
}

static void persistent(void)
{
    static char room[4096];
    int word[4] = {0}, in[4], ignored;
    void *back;
    MPI_Request r[4], receive[3];

    MPI_Buffer_attach(room, sizeof(room));
    MPI_Bsend_init(&word[0], 1, MPI_INT, right(rank), TAG, MPI_COMM_WORLD,
                   &r[0]);
    MPI_Ssend_init(word, 2, MPI_INT, right(rank), TAG, MPI_COMM_WORLD, &r[1]);
    MPI_Rsend_init(word, 3, MPI_INT, right(rank), TAG, MPI_COMM_WORLD, &r[2]);
    for (int i = 0; i < 3; i++)
        MPI_Irecv(in, 4, MPI_INT, left(rank), TAG, MPI_COMM_WORLD, &receive[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Startall(3, r);
    wait_somehow(3, r);
    MPI_Waitall(3, receive, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 3; i++)
        MPI_Request_free(&r[i]);
    MPI_Buffer_detach(&back, &ignored);
    calls[P2P] += 6 * N;
    for (int a = 0; a < N; a++)
        expect(P2P, a, right(a), 24);
}

#if MPI_VERSION >= 4
static void partitioned(void)
{
    static int parts[] = {0, 1};
    int out[6] = {0}, in[6], flag;
    MPI_Request r[2];

    MPI_Psend_init(out, 2, 3, MPI_INT, right(rank), TAG, MPI_COMM_WORLD,
                   MPI_INFO_NULL, &r[0]);
    MPI_Precv_init(in, 2, 3, MPI_INT, left(rank), TAG, MPI_COMM_WORLD,
                   MPI_INFO_NULL, &r[1]);
    MPI_Startall(2, r);
    MPI_Pready_list(2, parts, r[0]);
    do
        MPI_Parrived(r[1], 1, &flag);
    while (!flag);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    calls[P2P] += 2 * N;
    for (int a = 0; a < N; a++)
        expect(P2P, a, right(a), 24);
}

static void start_once(MPI_Request *r)
{
    MPI_Start(r);
    MPI_Wait(r, MPI_STATUS_IGNORE);
    MPI_Request_free(r);
}

/* On a ring: all kinds send one integer, but for the first and alltoallv. */
static void neighbours(void)
{
    static const uint64_t each[NKINDS] = {[GATHER] = 12,
                                          [GATHERV] = 4,
                                          [ALLTOALL] = 4,
                                          [ALLTOALLV] = 8,
                                          [ALLTOALLW] = 4};
    const int n = N, ring = 1;
    int out[4] = {0}, in[8], ones[2] = {1, 1}, twos[2] = {2, 2}, at[2] = {0, 2};
    MPI_Aint far[2] = {0, 8};
    MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    MPI_Comm comm;
    MPI_Request r;

    MPI_Cart_create(MPI_COMM_WORLD, 1, &n, &ring, 0, &comm);
    MPI_Neighbor_allgather_init(out, 3, MPI_INT, in, 3, MPI_INT, comm,
                                MPI_INFO_NULL, &r);
    start_once(&r);
    MPI_Neighbor_alltoallv_init(out, twos, at, MPI_INT, in, twos, at, MPI_INT,
                                comm, MPI_INFO_NULL, &r);
    start_once(&r);
    MPI_Neighbor_allgatherv_init(out, 1, MPI_INT, in, ones, at, MPI_INT, comm,
                                 MPI_INFO_NULL, &r);
    start_once(&r);
    MPI_Neighbor_alltoall_init(out, 1, MPI_INT, in, 1, MPI_INT, comm,
                               MPI_INFO_NULL, &r);
    start_once(&r);
    MPI_Neighbor_alltoallw_init(out, ones, far, types, in, ones, far, types,
                                comm, MPI_INFO_NULL, &r);
    start_once(&r);
    MPI_Comm_free(&comm);
    for (int kind = GATHER; kind <= ALLTOALLW; kind++) {
        calls[kind] += N;
        for (int a = 0; a < N; a++) {
            expect((enum kind)kind, a, right(a), each[kind]);
            expect((enum kind)kind, a, left(a), each[kind]);
        }
    }
}
#endif

/* ---- one-sided: started and posted, locked, flushed */

static void started(MPI_Win win, int *own)
{
    MPI_Group world, to, from;
    int next = right(rank), before = left(rank), flag = 0;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &next, &to);
    MPI_Group_incl(world, 1, &before, &from);
    for (int round = 0; round < 2; round++) {
        MPI_Win_post(from, 0, win);
        MPI_Win_start(to, 0, win);
        MPI_Put(own, 2, MPI_INT, next, 0, 2, MPI_INT, win);
        MPI_Win_complete(win);
        if (round == 0)
            MPI_Win_wait(win);
        while (round == 1 && !flag)
            MPI_Win_test(win, &flag);
    }
    MPI_Group_free(&to);
    MPI_Group_free(&from);
    MPI_Group_free(&world);
    calls[RMA] += 2 * N;
    for (int a = 0; a < N; a++)
        expect(RMA, a, right(a), 16);
}

static void locked(MPI_Win win, int *own)
{
    const int next = right(rank);
    int got[2];
    MPI_Request r;

    MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win);
    MPI_Put(own, 1, MPI_INT, next, 4, 1, MPI_INT, win);
    MPI_Win_unlock(next, win);
    MPI_Win_lock_all(0, win);
    MPI_Rget_accumulate(own, 2, MPI_INT, got, 2, MPI_INT, next, 6, 2, MPI_INT,
                        MPI_SUM, win, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Put(own, 1, MPI_INT, next, 4, 1, MPI_INT, win);
    MPI_Win_flush_local(next, win);
    MPI_Win_flush_local_all(win);
    MPI_Win_flush_all(win);
    MPI_Win_sync(win);
    MPI_Win_unlock_all(win);
    calls[RMA] += 3 * N;
    for (int a = 0; a < N; a++) {
        expect(RMA, a, right(a), 4 + 8 + 4);
        expect(RMA, right(a), a, 8);
    }
}

static void one_sided(void)
{
    int memory[16] = {0}, own[4] = {0};
    MPI_Win win;

    MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL,
                   MPI_COMM_WORLD, &win);
    started(win, own);
    locked(win, own);
    MPI_Win_free(&win);
}

/* ---- requests of no type */

static void wait_for(MPI_Request *r)
{
    MPI_Wait(r, MPI_STATUS_IGNORE);
}

/* Open MPI 4.1.4 waits for ever for some that go by the shared pointer. */
static void file(const char *path)
{
    char block[8] = "12345678";
    const MPI_Offset at = 8 * rank;
    MPI_File f;
    MPI_Request r;

    if (MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR,
                      MPI_INFO_NULL, &f) != MPI_SUCCESS)
        return;
    MPI_File_iwrite_at(f, at, block, 8, MPI_BYTE, &r), wait_for(&r);
    MPI_File_iread_at(f, at, block, 8, MPI_BYTE, &r), wait_for(&r);
    MPI_File_iwrite_at_all(f, at, block, 8, MPI_BYTE, &r), wait_for(&r);
    MPI_File_iread_at_all(f, at, block, 8, MPI_BYTE, &r), wait_for(&r);
    MPI_File_iwrite(f, block, 8, MPI_BYTE, &r), wait_for(&r);
    MPI_File_iread(f, block, 8, MPI_BYTE, &r), wait_for(&r);
    MPI_File_iwrite_all(f, block, 8, MPI_BYTE, &r), wait_for(&r);
    MPI_File_iread_all(f, block, 8, MPI_BYTE, &r), wait_for(&r);
#ifndef OPEN_MPI
    MPI_File_iread_shared(f, block, 8, MPI_BYTE, &r), wait_for(&r);
    MPI_File_iwrite_shared(f, block, 8, MPI_BYTE, &r), wait_for(&r);
#endif
    MPI_File_close(&f);
}

static int query(void *extra, MPI_Status *status)
{
    (void)extra;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}

static int release(void *extra)
{
    (void)extra;
    return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
    (void)extra, (void)complete;
    return MPI_SUCCESS;
}

static void generalised(void)
{
    MPI_Request r;

    MPI_Grequest_start(query, release, cancel, NULL, &r);
    MPI_Grequest_complete(r);
    wait_for(&r);
}

/* ---- communicators: rank 0 of each sends 4 bytes to the last */

static void use(MPI_Comm comm)
{
    int n, r, word = 0;

    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &r);
    if (n > 1 && r == 0)
        MPI_Send(&word, 1, MPI_INT, n - 1, TAG, comm);
    if (n > 1 && r == n - 1)
        MPI_Recv(&word, 1, MPI_INT, 0, TAG, comm, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
}

static void expect_use(int first, int last)
{
    calls[P2P] += 2;
    expect(P2P, first, last, 4);
}

static void grids(void)
{
    static const int dims[2] = {2, 2}, wraps[2] = {0, 0}, keep[2] = {0, 1};
    static const int index[N] = {1, 2, 2, 2}, edges[2] = {1, 0};
    MPI_Comm grid, comm;

    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, wraps, 0, &grid);
    MPI_Cart_sub(grid, keep, &comm); /* rows: 0 1, 2 3 */
    use(comm);
    use(grid);
    MPI_Graph_create(MPI_COMM_WORLD, N, index, edges, 0, &comm);
    use(comm);
    expect_use(0, 1);
    expect_use(2, 3);
    expect_use(0, 3);
    expect_use(0, 3);
}

static void copies(MPI_Comm reversed)
{
    MPI_Comm comm;
    MPI_Request r;

    MPI_Comm_dup(reversed, &comm);
    use(comm);
    MPI_Comm_dup_with_info(reversed, MPI_INFO_NULL, &comm);
    use(comm);
    MPI_Comm_idup(reversed, &comm, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    use(comm);
    for (int i = 0; i < 3; i++)
        expect_use(3, 0);
#if MPI_VERSION >= 4
    MPI_Comm_idup_with_info(reversed, MPI_INFO_NULL, &comm, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    use(comm);
    expect_use(3, 0);
#endif
}

static void communicators(void)
{
    static const int odd[2] = {3, 1};
    MPI_Comm reversed, comm, half, both;
    MPI_Group world, some;
    int nshared;

    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    copies(reversed);
    use(reversed);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -rank,
                        MPI_INFO_NULL, &comm);
    MPI_Comm_size(comm, &nshared);
    use(comm);
    expect_use(3, 0);
    if (nshared == N) /* MPICH 5 knows of none that share memory here */
        expect_use(3, 0);

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, odd, &some);
    MPI_Comm_create(MPI_COMM_WORLD, some, &comm);
    if (comm != MPI_COMM_NULL)
        use(comm);
    if (rank % 2) {
        MPI_Comm_create_group(MPI_COMM_WORLD, some, 1, &comm);
        use(comm);
    }
    MPI_Group_free(&some);
    MPI_Group_free(&world);
    expect_use(3, 1);
    expect_use(3, 1);

    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 9, &both);
    MPI_Intercomm_merge(both, rank < 2, &comm); /* 2 3 0 1 */
    use(comm);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
    expect_use(2, 1);
    grids();
}

static void print_expected(void)
{
    for (int kind = 0; kind < NKINDS; kind++) {
        uint64_t bytes = 0;
        for (int a = 0; a < N; a++)
            for (int b = 0; b < N; b++) {
                const uint64_t both = sent[kind][a][b] + sent[kind][b][a];
                bytes += sent[kind][a][b];
                if (a < b && both > 0)
                    printf("edge %s %d %d %llu\n", names[kind], a, b,
                           (unsigned long long)both);
            }
        if (calls[kind] > 0)
            printf("calls %s %ld\nbytes %s %llu\n", names[kind], calls[kind],
                   names[kind], (unsigned long long)bytes);
    }
}

int main(int argc, char **argv)
{
    int n;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    if (n != N)
        MPI_Abort(MPI_COMM_WORLD, 2);
    persistent();
#if MPI_VERSION >= 4
    partitioned();
    neighbours();
#endif
    one_sided();
    if (argc > 1)
        file(argv[1]);
    generalised();
    communicators();
    if (rank == 0)
        print_expected();
    MPI_Finalize();
    return 0;
}
