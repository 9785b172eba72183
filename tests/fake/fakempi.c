/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fakempi.c - an MPI library of one task without others: it answers what the
 * driver has set, sends nothing, and its clock moves only inside calls */
#define _GNU_SOURCE
#include "fakempi.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 16, FIRST_COMM = 0x44000000, FIRST_TYPE = 0x0c000000 };

struct fake_comm fake_comm[MOST];
int fake_type_size[MOST];
long fake_takes_ns;
int fake_result;
unsigned fake_done = ~0u;
static uint64_t now_ns = 1000000000;
static void *attribute[MOST][MOST];
static MPI_Comm_delete_attr_function *deleter[MOST];
static int nkeys, nrequests;

/* Before libc's in the order of loading: seconds are exact, too. */
int clock_gettime(clockid_t id, struct timespec *out)
{
    (void)id;
    out->tv_sec = (time_t)(now_ns / 1000000000);
    out->tv_nsec = (long)(now_ns % 1000000000);
    return 0;
}

static int pass(void)
{
    now_ns += (uint64_t)fake_takes_ns;
    return fake_result;
}

/* What only passes by. Callers push and pop the arguments themselves on the
 * ABIs of Linux, so that their names are enough. */
#define PASS(name)                                                             \
    int pass_##name(void) __asm__("PMPI_" #name);                              \
    int pass_##name(void)                                                      \
    {                                                                          \
        return pass();                                                         \
    }                                                                          \
    int public_##name(void) __asm__("MPI_" #name);                             \
    int public_##name(void)                                                    \
    {                                                                          \
        return pass();                                                         \
    }
PASS(Send)
PASS(Recv)
PASS(Sendrecv)
PASS(Barrier)
PASS(Bcast)
PASS(Reduce)
PASS(Scatterv)
PASS(Allgather)
PASS(Allgatherv)
PASS(Allreduce)
PASS(Alltoall)
PASS(Alltoallv)
PASS(Scan)
PASS(Reduce_scatter)
PASS(Neighbor_alltoall)
PASS(Put)
PASS(Get)
PASS(Fetch_and_op)
PASS(Start)
PASS(Startall)
PASS(Init)
/* Asked for at the start, needed by nothing that is tested here. */
PASS(Comm_create)
PASS(Comm_free)
PASS(Comm_get_errhandler)
PASS(Comm_set_errhandler)
PASS(Comm_split_type)
PASS(Dist_graph_neighbors)
PASS(Dist_graph_neighbors_count)
PASS(Errhandler_free)
PASS(Graph_neighbors)
PASS(Graph_neighbors_count)
PASS(Group_free)
PASS(Ibarrier)

#define PUBLIC(name)                                                           \
    extern __typeof__(PMPI_##name) MPI_##name                                  \
        __attribute__((alias("PMPI_" #name)));

static int new_request(MPI_Request *request)
{
    *request = MPI_REQUEST_NULL + ++nrequests;
    return pass();
}

int PMPI_Isend(const void *buf,
               int count,
               MPI_Datatype type,
               int dest,
               int tag,
               MPI_Comm comm,
               MPI_Request *request)
{
    (void)buf, (void)count, (void)type, (void)dest, (void)tag, (void)comm;
    return new_request(request);
}
PUBLIC(Isend)

int PMPI_Send_init(const void *buf,
                   int count,
                   MPI_Datatype type,
                   int dest,
                   int tag,
                   MPI_Comm comm,
                   MPI_Request *request)
{
    return PMPI_Isend(buf, count, type, dest, tag, comm, request);
}
PUBLIC(Send_init)

int PMPI_Bcast_init(void *buf,
                    int count,
                    MPI_Datatype type,
                    int root,
                    MPI_Comm comm,
                    MPI_Info info,
                    MPI_Request *request)
{
    (void)info;
    return PMPI_Isend(buf, count, type, root, 0, comm, request);
}
PUBLIC(Bcast_init)

int PMPI_Iallreduce(const void *in,
                    void *out,
                    int count,
                    MPI_Datatype type,
                    MPI_Op op,
                    MPI_Comm comm,
                    MPI_Request *request)
{
    (void)in, (void)out, (void)count, (void)type, (void)op, (void)comm;
    return new_request(request);
}
PUBLIC(Iallreduce)

int PMPI_Waitall(int count, MPI_Request request[], MPI_Status *status)
{
    (void)status;
    for (int i = 0; i < count; i++)
        request[i] = MPI_REQUEST_NULL;
    return pass();
}
PUBLIC(Waitall)

int PMPI_Testsome(int count,
                  MPI_Request request[],
                  int *outcount,
                  int index[],
                  MPI_Status *status)
{
    (void)status;
    *outcount = 0;
    for (int i = 0; i < count; i++)
        if (fake_done & 1u << i) {
            request[i] = MPI_REQUEST_NULL;
            index[(*outcount)++] = i;
        }
    return pass();
}
PUBLIC(Testsome)

/* ---- communicators, groups and windows: all three are the same here */

static struct fake_comm *comm_at(int handle)
{
    return &fake_comm[handle & (MOST - 1)];
}

MPI_Comm fake_handle(int number)
{
    return FIRST_COMM + number;
}

MPI_Datatype fake_type(int number)
{
    return FIRST_TYPE + number;
}

#define ANSWER(name, handle, type, value)                                      \
    int PMPI_##name(handle comm, type *out)                                    \
    {                                                                          \
        *out = value;                                                          \
        return MPI_SUCCESS;                                                    \
    }                                                                          \
    PUBLIC(name)
ANSWER(Comm_rank, MPI_Comm, int, comm_at(comm)->rank)
ANSWER(Comm_size, MPI_Comm, int, comm_at(comm)->size)
ANSWER(Comm_remote_size, MPI_Comm, int, comm_at(comm)->remote_size)
ANSWER(Comm_test_inter, MPI_Comm, int, comm_at(comm)->remote_size > 0)
ANSWER(Comm_group, MPI_Comm, MPI_Group, comm &(MOST - 1))
ANSWER(Comm_remote_group, MPI_Comm, MPI_Group, (comm & (MOST - 1)) + MOST)
ANSWER(Win_get_group, MPI_Win, MPI_Group, comm &(MOST - 1))
ANSWER(Group_size, MPI_Group, int, comm_at(comm)->size)
ANSWER(Topo_test, MPI_Comm, int, comm ? MPI_CART : MPI_UNDEFINED)
ANSWER(Cartdim_get, MPI_Comm, int, comm ? 1 : 0)

int PMPI_Cart_shift(MPI_Comm comm, int dimension, int by, int *from, int *to)
{
    (void)dimension, (void)by;
    *from = comm_at(comm)->below;
    *to = comm_at(comm)->above;
    return MPI_SUCCESS;
}

int PMPI_Group_translate_ranks(MPI_Group group,
                               int n,
                               const int from[],
                               MPI_Group all,
                               int to[])
{
    const struct fake_comm *comm = comm_at(group), *world = comm_at(all);
    const int *member = group < MOST ? comm->member : comm->remote;

    for (int i = 0; i < n; i++)
        if (comm == world && comm->size > 8)
            to[i] = from[i];
        else
            to[i] =
                member[from[i]] < world->size ? member[from[i]] : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

int PMPI_Comm_get_parent(MPI_Comm *parent)
{
    *parent = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int PMPI_Query_thread(int *provided)
{
    *provided = MPI_THREAD_SINGLE;
    return MPI_SUCCESS;
}

int PMPI_Get_library_version(char *version, int *length)
{
    memcpy(version, "fake", 5);
    *length = 4;
    return MPI_SUCCESS;
}

/* ---- attributes */

int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function *copy,
                            MPI_Comm_delete_attr_function *delete_fn,
                            int *key,
                            void *extra)
{
    (void)copy, (void)extra;
    deleter[nkeys] = delete_fn;
    *key = nkeys++;
    return MPI_SUCCESS;
}

int PMPI_Win_create_keyval(MPI_Win_copy_attr_function *copy,
                           MPI_Win_delete_attr_function *delete_fn,
                           int *key,
                           void *extra)
{
    (void)copy, (void)delete_fn, (void)extra;
    *key = nkeys++;
    return MPI_SUCCESS;
}

int PMPI_Comm_get_attr(MPI_Comm comm, int key, void *value, int *found)
{
    void *have = attribute[comm & (MOST - 1)][key];
    *found = have != NULL;
    memcpy(value, &have, sizeof(have));
    return MPI_SUCCESS;
}

int PMPI_Comm_set_attr(MPI_Comm comm, int key, void *value)
{
    attribute[comm & (MOST - 1)][key] = value;
    return MPI_SUCCESS;
}

int PMPI_Win_get_attr(MPI_Win win, int key, void *value, int *found)
{
    return PMPI_Comm_get_attr(win, key, value, found);
}

int PMPI_Win_set_attr(MPI_Win win, int key, void *value)
{
    return PMPI_Comm_set_attr(win, key, value);
}

/* ---- datatypes: MPICH's own have their size in the handle */

int PMPI_Type_size_x(MPI_Datatype type, MPI_Count *size)
{
    *size = type >= FIRST_TYPE && type < FIRST_TYPE + MOST
                ? fake_type_size[type - FIRST_TYPE]
                : (type >> 8 & 0xff);
    return MPI_SUCCESS;
}

int PMPI_Type_get_envelope(MPI_Datatype type,
                           int *integers,
                           int *addresses,
                           int *types,
                           int *kind)
{
    *integers = *addresses = *types = 0;
    *kind = type >= FIRST_TYPE && type < FIRST_TYPE + MOST
                ? MPI_COMBINER_CONTIGUOUS
                : MPI_COMBINER_NAMED;
    return MPI_SUCCESS;
}

int PMPI_Test(MPI_Request *request, int *done, MPI_Status *status)
{
    (void)request, (void)status;
    *done = 1;
    return pass();
}

/* What hangs on MPI_COMM_SELF goes first. */
int PMPI_Finalize(void)
{
    for (int key = nkeys - 1; key >= 0; key--)
        if (attribute[1][key])
            deleter[key](MPI_COMM_SELF, key, attribute[1][key], NULL);
    return MPI_SUCCESS;
}
PUBLIC(Finalize)

int PMPI_Abort(MPI_Comm comm, int code)
{
    (void)comm;
    exit(code);
}
PUBLIC(Abort)

int PMPI_Initialized(int *flag)
{
    *flag = 1;
    return MPI_SUCCESS;
}
PUBLIC(Initialized)

int PMPI_Finalized(int *flag)
{
    *flag = 0;
    return MPI_SUCCESS;
}
PUBLIC(Finalized)

int PMPI_Pcontrol(const int level, ...)
{
    (void)level;
    return MPI_SUCCESS;
}
PUBLIC(Pcontrol)
