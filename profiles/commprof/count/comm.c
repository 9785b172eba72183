/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* comm.c - ranks are translated to MPI_COMM_WORLD once per communicator */
#include "config.h"

#include "commprof/count/comm.h"

#include "commprof/next_mpi.h"

#include <pthread.h>
#include <stdlib.h>

static int keyval, win_keyval;
static int world_size;
static uint32_t large_share_ppm;

/* Making a record asks MPI, so the recorder's main lock, which MPI's delete
 * callback also takes, must not be held then. Groups and what hangs lazily on a
 * record are made under it, too. */
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

struct comm_cached comm_cache[COMM_NCACHED];
static struct {
    MPI_Win handle;
    struct comm *comm;
} last_window;

static void comm_destroy(struct comm *comm)
{
    if (comm) {
        free(comm->own_world);
        free(comm->neighbours);
        free(comm);
    }
}

int comm_copy_nothing(MPI_Comm comm,
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

static void forget(struct comm *comm)
{
    shared_lock();
    for (size_t i = 0; i < COMM_NCACHED; i++)
        if (comm_cache[i].comm == comm)
            comm_cache[i].comm = NULL;
    if (last_window.comm == comm)
        last_window.comm = NULL;
    shared_unlock();
    comm_destroy(comm);
}

static int delete_record(MPI_Comm handle, int key, void *value, void *extra)
{
    (void)handle, (void)key, (void)extra;
    forget(value);
    return MPI_SUCCESS;
}

static int delete_window(MPI_Win win, int key, void *value, void *extra)
{
    (void)win, (void)key, (void)extra;
    forget(value);
    return MPI_SUCCESS;
}

bool comm_begin(uint32_t large_ppm)
{
    large_share_ppm = large_ppm;
    return next_mpi.Comm_size(next_mpi.world, &world_size) == MPI_SUCCESS &&
           next_mpi.Comm_create_keyval(comm_copy_nothing, delete_record,
                                       &keyval, NULL) == MPI_SUCCESS &&
           /* There are no copies of windows: it is never called. */
           next_mpi.Win_create_keyval(
               (MPI_Win_copy_attr_function *)(uintptr_t)comm_copy_nothing,
               delete_window, &win_keyval, NULL) == MPI_SUCCESS;
}

/* world[n]: the ranks of a group in MPI_COMM_WORLD, owned; *whole: they are all
 * of its tasks in its order; *outside: some are of another one. */
static uint32_t *translate(MPI_Group group, int n, bool *whole, bool *outside)
{
    const size_t size = n > 0 ? (size_t)n : 1;
    int *from = calloc(size, sizeof(*from)), *to = calloc(size, sizeof(*to));
    uint32_t *world = calloc(size, sizeof(*world));
    MPI_Group all;
    bool done = false;

    if (from && to && world &&
        next_mpi.Comm_group(next_mpi.world, &all) == MPI_SUCCESS) {
        for (int i = 0; i < n; i++)
            from[i] = i;
        done = next_mpi.Group_translate_ranks(group, n, from, all, to) ==
               MPI_SUCCESS;
        next_mpi.Group_free(&all);
    }
    *whole = n == world_size;
    *outside = false;
    for (int i = 0; done && i < n; i++) {
        world[i] = to[i] == MPI_UNDEFINED ? MAPCORE_NONE : (uint32_t)to[i];
        *outside = *outside || to[i] == MPI_UNDEFINED;
        *whole = *whole && to[i] == i;
    }
    free(from);
    free(to);
    if (!done) {
        free(world);
        world = NULL;
    }
    return world;
}

/* The peers' ranks, and the group whose list of them is shared. */
static bool take_peers(struct comm *comm, MPI_Group peers)
{
    bool whole, outside;

    comm->own_world = translate(peers, comm->npeers, &whole, &outside);
    if (!comm->own_world)
        return false;
    comm->world = comm->own_world;
    if (comm->inter || outside)
        return true;
    comm->group =
        group_get(comm->own_world, whole ? 0 : (uint32_t)comm->npeers);
    if (comm->group) {
        free(comm->own_world);
        comm->own_world = NULL;
        comm->world = whole ? NULL : comm->group->member;
    }
    return true;
}

/* Of an inter-communicator's two tasks of rank 0, the one that stands lower in
 * MPI_COMM_WORLD. */
static bool speaks_for_both(MPI_Comm handle, const struct comm *comm)
{
    MPI_Group own;
    bool whole, outside;
    uint32_t *world = NULL;

    if (comm->rank != 0 || next_mpi.Comm_group(handle, &own) != MPI_SUCCESS)
        return false;
    world = translate(own, 1, &whole, &outside);
    next_mpi.Group_free(&own);
    const bool lower = world && world[0] < comm->world[0];
    free(world);
    return lower;
}

static bool describe(struct comm *comm, MPI_Comm handle)
{
    MPI_Group peers;
    int inter = 0;

    if (next_mpi.Comm_test_inter(handle, &inter) != MPI_SUCCESS ||
        next_mpi.Comm_rank(handle, &comm->rank) != MPI_SUCCESS ||
        next_mpi.Comm_size(handle, &comm->size) != MPI_SUCCESS)
        return false;
    comm->inter = inter;
    comm->npeers = comm->size;
    if (inter &&
        next_mpi.Comm_remote_size(handle, &comm->npeers) != MPI_SUCCESS)
        return false;

    const int64_t members =
        (int64_t)comm->size + (inter ? (int64_t)comm->npeers : 0);
    comm->large = members * 1000000 > (int64_t)large_share_ppm * world_size;

    if ((inter ? next_mpi.Comm_remote_group(handle, &peers)
               : next_mpi.Comm_group(handle, &peers)) != MPI_SUCCESS)
        return false;
    const bool done = take_peers(comm, peers);
    next_mpi.Group_free(&peers);
    if (done)
        comm->speaks = inter ? speaks_for_both(handle, comm) : comm->rank == 0;
    return done;
}

static bool describe_window(struct comm *comm, MPI_Win win)
{
    MPI_Group group;

    if (next_mpi.Win_get_group(win, &group) != MPI_SUCCESS)
        return false;
    const bool done =
        next_mpi.Group_size(group, &comm->npeers) == MPI_SUCCESS &&
        take_peers(comm, group);
    next_mpi.Group_free(&group);
    comm->size = comm->npeers;
    return done;
}

/* The attribute's record, or a new one set as the attribute: of a window, or
 * where there is none of a communicator. */
static struct comm *ask(MPI_Comm handle, const MPI_Win *win)
{
    struct comm *comm = NULL;
    int found = 0;

    if ((win ? next_mpi.Win_get_attr(*win, win_keyval, &comm, &found)
             : next_mpi.Comm_get_attr(handle, keyval, &comm, &found)) !=
        MPI_SUCCESS)
        return NULL;
    if (found)
        return comm;
    comm = calloc(1, sizeof(*comm));
    if (!comm ||
        !(win ? describe_window(comm, *win) : describe(comm, handle)) ||
        (win ? next_mpi.Win_set_attr(*win, win_keyval, comm)
             : next_mpi.Comm_set_attr(handle, keyval, comm)) != MPI_SUCCESS) {
        comm_destroy(comm);
        return NULL;
    }
    return comm;
}

struct comm *comm_look_up(MPI_Comm handle)
{
    pthread_mutex_lock(&making);
    struct comm *comm = ask(handle, NULL);
    pthread_mutex_unlock(&making);
    shared_lock();
    if (comm)
        *comm_cache_slot(handle) = (struct comm_cached){handle, comm};
    shared_unlock();
    return comm;
}

struct comm *comm_of_window(MPI_Win win)
{
    shared_lock();
    struct comm *comm = last_window.handle == win ? last_window.comm : NULL;
    shared_unlock();
    if (comm)
        return comm;
    pthread_mutex_lock(&making);
    comm = ask(next_mpi.comm_null, &win);
    pthread_mutex_unlock(&making);
    shared_lock();
    last_window.handle = win;
    last_window.comm = comm;
    shared_unlock();
    return comm;
}

struct call_stats *comm_stats(struct comm *comm, enum call_type type)
{
    struct call_stats *stats =
        __atomic_load_n(&comm->stats[type], __ATOMIC_ACQUIRE);

    if (stats && stats->phase == record_phase)
        return stats;
    pthread_mutex_lock(&making);
    const int both = comm->size + (comm->inter ? comm->npeers : 0);
    const bool is_first = !comm->stats[type];
    stats = record_stats_sized(type, (uint32_t)both);
    if (stats) {
        const uint32_t bit = 1u << type;
        if (is_first && comm->speaks &&
            !(comm->group && comm->group->used & bit))
            stats->communicators++;
        if (comm->group)
            comm->group->used |= bit;
        __atomic_store_n(&comm->stats[type], stats, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&making);
    return stats ? stats : record_stats(type);
}

struct collective *comm_collective(struct comm *comm,
                                   enum call_type type,
                                   uint32_t root)
{
    struct collective *collective =
        __atomic_load_n(&comm->collective[type], __ATOMIC_ACQUIRE);

    if (!comm->group || (collective && collective->phase == record_phase))
        return collective;
    pthread_mutex_lock(&making);
    collective = group_collective(comm->group, type, record_phase, root);
    __atomic_store_n(&comm->collective[type], collective, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&making);
    return collective;
}

static bool make_neighbours(struct comm *comm, int n)
{
    comm->neighbours = calloc(n > 0 ? (size_t)n : 1, sizeof(*comm->neighbours));
    comm->nneighbours = comm->neighbours ? n : 0;
    return comm->neighbours != NULL;
}

/* In every dimension first the one below, then the one above. */
static void find_cartesian(struct comm *comm, MPI_Comm handle)
{
    int ndims;

    if (next_mpi.Cartdim_get(handle, &ndims) != MPI_SUCCESS ||
        !make_neighbours(comm, 2 * ndims))
        return;
    for (int d = 0; d < ndims; d++)
        next_mpi.Cart_shift(handle, d, 1, &comm->neighbours[2 * d],
                            &comm->neighbours[2 * d + 1]);
}

static void find_graph(struct comm *comm, MPI_Comm handle)
{
    int n;

    if (next_mpi.Graph_neighbors_count(handle, comm->rank, &n) == MPI_SUCCESS &&
        make_neighbours(comm, n))
        next_mpi.Graph_neighbors(handle, comm->rank, n, comm->neighbours);
}

static void find_dist_graph(struct comm *comm, MPI_Comm handle)
{
    int nin, nout, weighted;

    if (next_mpi.Dist_graph_neighbors_count(handle, &nin, &nout, &weighted) !=
        MPI_SUCCESS)
        return;
    const size_t most = (size_t)(nin > nout ? nin : nout) + 1;
    int *sources = calloc(most, sizeof(*sources));
    int *weights = calloc(most, sizeof(*weights));
    int *more = calloc(most, sizeof(*more));
    if (sources && weights && more && make_neighbours(comm, nout))
        next_mpi.Dist_graph_neighbors(handle, nin, sources, weights, nout,
                                      comm->neighbours, more);
    free(sources);
    free(weights);
    free(more);
}

void comm_find_neighbours(struct comm *comm, MPI_Comm handle)
{
    int kind = MPI_UNDEFINED;

    pthread_mutex_lock(&making);
    if (!comm->neighbours_known &&
        next_mpi.Topo_test(handle, &kind) == MPI_SUCCESS) {
        if (kind == MPI_CART)
            find_cartesian(comm, handle);
        else if (kind == MPI_GRAPH)
            find_graph(comm, handle);
        else if (kind == MPI_DIST_GRAPH)
            find_dist_graph(comm, handle);
        if (!comm->neighbours)
            shared_lose();
        comm->neighbours_known = true;
    }
    pthread_mutex_unlock(&making);
}
