/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* comm.c - ranks are translated to MPI_COMM_WORLD once per communicator */
#include "config.h"

#include "commprof/comm.h"

#include "commprof/below.h"
#include "commprof/record.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int keyval;
static int world_size;
static uint32_t large_share_ppm;

/* Making a record asks MPI, so the recorder's main lock, which MPI's delete
 * callback also takes, must not be held then. */
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

/* The last communicators seen, by handle: asking MPI for the attribute costs
 * about as much as the rest of counting. */
enum { NCACHED = 8 };
static struct {
    MPI_Comm handle;
    struct comm *comm;
} cached[NCACHED];

static size_t cache_slot(MPI_Comm handle)
{
    uintptr_t bits = 0;
    memcpy(&bits, &handle, sizeof handle);
    return (bits ^ bits >> 6 ^ bits >> 12) % NCACHED;
}

static void comm_destroy(struct comm *comm)
{
    if (comm) {
        free(comm->world);
        free(comm);
    }
}

static int copy_nothing(MPI_Comm comm,
                        int key,
                        void *extra,
                        void *value,
                        void *out,
                        int *flag)
{
    (void)comm, (void)key, (void)extra, (void)value, (void)out;
    *flag = 0;
    return MPI_SUCCESS;
}

static int delete_record(MPI_Comm handle, int key, void *value, void *extra)
{
    struct comm *comm = value;

    (void)handle, (void)key, (void)extra;
    record_lock();
    for (size_t i = 0; i < NCACHED; i++)
        if (cached[i].comm == comm)
            cached[i].comm = NULL;
    record_unlock();
    comm_destroy(comm);
    return MPI_SUCCESS;
}

bool comm_begin(uint32_t large_ppm)
{
    large_share_ppm = large_ppm;
    return below.Comm_size(below.world, &world_size) == MPI_SUCCESS &&
           below.Comm_create_keyval(copy_nothing, delete_record, &keyval,
                                    NULL) == MPI_SUCCESS;
}

/* Fills comm->world with the peers' ranks in MPI_COMM_WORLD. */
static bool translate(struct comm *comm, MPI_Group peers)
{
    const size_t n = comm->npeers > 0 ? (size_t)comm->npeers : 1;
    MPI_Group world;
    bool done = false, identity = !comm->inter;
    int *from = calloc(n, sizeof *from), *to = calloc(n, sizeof *to);

    if (!from || !to || below.Comm_group(below.world, &world) != MPI_SUCCESS)
        goto out;
    for (int i = 0; i < comm->npeers; i++)
        from[i] = i;
    done = below.Group_translate_ranks(peers, comm->npeers, from, world, to) ==
           MPI_SUCCESS;
    below.Group_free(&world);
    if (!done)
        goto out;
    for (int i = 0; i < comm->npeers; i++)
        identity = identity && to[i] == i;
    if (identity)
        goto out;
    comm->world = calloc(n, sizeof *comm->world);
    done = comm->world != NULL;
    for (int i = 0; done && i < comm->npeers; i++)
        comm->world[i] =
            to[i] == MPI_UNDEFINED ? MAPCORE_NONE : (uint32_t)to[i];
out:
    free(from);
    free(to);
    return done;
}

static bool describe(struct comm *comm, MPI_Comm handle)
{
    MPI_Group peers;
    int inter = 0;

    if (below.Comm_test_inter(handle, &inter) != MPI_SUCCESS ||
        below.Comm_rank(handle, &comm->rank) != MPI_SUCCESS ||
        below.Comm_size(handle, &comm->size) != MPI_SUCCESS)
        return false;
    comm->inter = inter;
    comm->npeers = comm->size;
    if (inter && below.Comm_remote_size(handle, &comm->npeers) != MPI_SUCCESS)
        return false;

    const int64_t members =
        (int64_t)comm->size + (inter ? (int64_t)comm->npeers : 0);
    comm->large = members * 1000000 > (int64_t)large_share_ppm * world_size;

    if ((inter ? below.Comm_remote_group(handle, &peers)
               : below.Comm_group(handle, &peers)) != MPI_SUCCESS)
        return false;
    const bool done = translate(comm, peers);
    below.Group_free(&peers);
    return done;
}

/* The attribute's record, or a new one set as the attribute. */
static struct comm *ask(MPI_Comm handle)
{
    struct comm *comm = NULL;
    int found = 0;

    if (below.Comm_get_attr(handle, keyval, &comm, &found) != MPI_SUCCESS)
        return NULL;
    if (found)
        return comm;
    comm = calloc(1, sizeof *comm);
    if (!comm || !describe(comm, handle) ||
        below.Comm_set_attr(handle, keyval, comm) != MPI_SUCCESS) {
        comm_destroy(comm);
        return NULL;
    }
    return comm;
}

const struct comm *comm_get(MPI_Comm handle)
{
    const size_t slot = cache_slot(handle);
    struct comm *comm = NULL;

    record_lock();
    if (cached[slot].comm && cached[slot].handle == handle)
        comm = cached[slot].comm;
    record_unlock();
    if (comm)
        return comm;

    pthread_mutex_lock(&making);
    comm = ask(handle);
    pthread_mutex_unlock(&making);
    if (comm) {
        record_lock();
        cached[slot].handle = handle;
        cached[slot].comm = comm;
        record_unlock();
    }
    return comm;
}
