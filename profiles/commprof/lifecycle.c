/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lifecycle.c - begins in MPI_Init; in MPI_Finalize brings all tasks together
 */
#include "config.h"

#include "commprof/lifecycle.h"

#include "commprof/count/comm.h"
#include "commprof/count/group.h"
#include "commprof/count/keep.h"
#include "commprof/count/record.h"
#include "commprof/count/regions.h"
#include "commprof/count/requests.h"
#include "commprof/next_mpi.h"
#include "commprof/settings.h"
#include "commprof/write/gathered.h"
#include "commprof/write/report.h"

#include "base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int self_keyval;
static int rank, size;

/* Waits for every task to come to this place. False when one does not come in
 * time, since it runs without the recorder or is that late. The barrier then
 * stays behind unfinished, which MPI_Finalize does not mind. */
static bool meet(uint32_t seconds)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    const uint64_t start = record_clock_ns();
    enum { SPIN_NS = 2000000 };
    MPI_Request request;
    int done = 0;

    if (next_mpi.Ibarrier(next_mpi.world, &request) != MPI_SUCCESS)
        return false;
    for (;;) {
        if (next_mpi.Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return false;
        const uint64_t waited = record_clock_ns() - start;
        if (done || waited > (uint64_t)seconds * 1000000000)
            return done;
        if (waited > SPIN_NS)
            nanosleep(&pause, NULL);
    }
}

/* Whether all tasks are here and will stay: who leaves the first meeting in
 * vain does not come to the second, so that a task which saw the first succeed
 * at the last moment is not left alone in a call that blocks. */
static bool all_here(void)
{
    return meet(settings.wait) && meet(settings.wait);
}

/* A communicator of our own, which no message of the program's can enter.
 * MPI_Comm_dup would run the program's attribute callbacks. */
static bool make_private(MPI_Comm *out)
{
    MPI_Group group;

    if (next_mpi.Comm_group(next_mpi.world, &group) != MPI_SUCCESS)
        return false;
    const bool done =
        next_mpi.Comm_create(next_mpi.world, group, out) == MPI_SUCCESS &&
        next_mpi.Comm_set_errhandler(*out, next_mpi.errors_return) ==
            MPI_SUCCESS;
    next_mpi.Group_free(&group);
    return done;
}

/* Whether this task is the first on its host, so that the sum counts hosts. */
static uint32_t first_on_host(MPI_Comm comm)
{
    MPI_Comm host;
    int host_rank = 1;

    if (next_mpi.Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank,
                                 next_mpi.info_null, &host) != MPI_SUCCESS)
        return 0;
    next_mpi.Comm_rank(host, &host_rank);
    next_mpi.Comm_free(&host);
    return host_rank == 0;
}

enum {
    TAG = 1,
    CHUNK = 1 << 21, /* bytes a message: MPI counts are of 31 bits */
};

static void worsen(struct gathered *all, uint32_t status)
{
    if (all->status == GATHER_OK)
        all->status = status;
}

static void send_bytes(const void *list, size_t n, MPI_Comm comm, int parent)
{
    for (size_t i = 0; i < n; i += CHUNK) {
        const size_t left = n - i, part = left < CHUNK ? left : CHUNK;
        next_mpi.Send((const char *)list + i, (int)part, next_mpi.byte, parent,
                      TAG, comm);
    }
}

static void send_up(const struct gathered *all, MPI_Comm comm, int parent)
{
    struct gathered header = *all;

    if (all->status != GATHER_OK)
        header.nstats = header.messages.n = header.nrecords = 0;
    if (all->records_lost)
        header.nrecords = 0;
    send_bytes(&header, sizeof(header), comm, parent);
    send_bytes(all->stats, header.nstats * sizeof(*all->stats), comm, parent);
    send_bytes(all->messages.message,
               header.messages.n * sizeof(*all->messages.message), comm,
               parent);
    send_bytes(all->records, header.nrecords * sizeof(*all->records), comm,
               parent);
}

/* A list of n elements, owned; without memory it is taken all the same, and
 * dropped, so that the child is not kept waiting: NULL. */
static void *take_list(struct gathered *all,
                       size_t n,
                       size_t each,
                       MPI_Comm comm,
                       int child)
{
    static char dropped[CHUNK];
    char *list = all->status == GATHER_OK ? array_alloc(n, each, NULL) : NULL;
    const size_t bytes = n * each;

    if (!list)
        worsen(all, GATHER_MEMORY);
    for (size_t i = 0; i < bytes; i += CHUNK) {
        const size_t left = bytes - i, part = left < CHUNK ? left : CHUNK;
        if (next_mpi.Recv(list ? list + i : dropped, (int)part, next_mpi.byte,
                          child, TAG, comm, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
            worsen(all, GATHER_MPI);
            break;
        }
    }
    return list;
}

/* First comes what the child has, whose pointers mean nothing here. */
static void take_from(struct gathered *all, MPI_Comm comm, int child)
{
    struct gathered more;
    uint32_t status;

    if (next_mpi.Recv(&more, sizeof(more), next_mpi.byte, child, TAG, comm,
                      MPI_STATUS_IGNORE) != MPI_SUCCESS) {
        worsen(all, GATHER_MPI);
        return;
    }
    status = more.status;
    more.status = all->status;
    more.stats =
        take_list(&more, more.nstats, sizeof(*more.stats), comm, child);
    more.messages.message = take_list(
        &more, more.messages.n, sizeof(*more.messages.message), comm, child);
    more.records =
        take_list(&more, more.nrecords, sizeof(*more.records), comm, child);
    worsen(&more, status);
    gathered_add(all, &more);
}

/* All tasks' together on rank 0, along a binomial tree of sorted lists, merged
 * at each step; elsewhere all is spent. A task without memory still takes part.
 */
static void gather(struct gathered *all, MPI_Comm comm)
{
    for (int64_t mask = 1; mask < size; mask *= 2) {
        if (rank & mask) {
            send_up(all, comm, (int)(rank - mask));
            return;
        }
        if (rank + mask < size)
            take_from(all, comm, (int)(rank + mask));
    }
}

/* What rank 0 knows, to all, along the same tree. */
static uint32_t tell_all(uint32_t value, MPI_Comm comm)
{
    int64_t mask = 1;

    while (mask < size && !(rank & mask))
        mask *= 2;
    if (rank > 0 &&
        next_mpi.Recv(&value, sizeof(value), next_mpi.byte, (int)(rank - mask),
                      TAG, comm, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        value = 0;
    for (mask /= 2; mask > 0; mask /= 2)
        if (rank + mask < size)
            send_bytes(&value, sizeof(value), comm, (int)(rank + mask));
    return value;
}

static int take_collective(void *arg,
                           const uint32_t *member,
                           uint32_t n,
                           const struct collective *collective)
{
    return gathered_add_collective(arg, member, n, collective);
}

/* What this task has counted. */
static void collect(struct gathered *all)
{
    if (!group_each(take_collective, all))
        all->records_lost++;
    if (regions_names())
        all->regions = *regions_names();
    if (shared_is_lost() ||
        record_read(&all->stats, &all->nstats, &all->messages) < 0)
        all->status = GATHER_MEMORY;
    task_times_begin(&all->times, (uint32_t)rank, all->stats, all->nstats);
    all->has_nccl = keep_head->ended & KEPT_NCCL;
}

/* Whether what this task has counted is handed over: to a profile or to rank
 * 0. */
static bool report(void)
{
    struct gathered all = {.status = GATHER_OK};
    uint32_t has_nccl;
    bool done = true;
    MPI_Comm comm;

    const uint64_t elapsed_ns = record_clock_ns() - keep_head->began_ns;
    record_end();
    const uint64_t active_ns = record_active_ns();
    if (!all_here()) {
        if (rank == 0)
            report_line(REPORT_FAILED
                        "not every task came to MPI_Finalize with the "
                        "recorder within %u s (COMMPROF_WAIT)" REPORT_WELL,
                        (unsigned)settings.wait);
        return false;
    }
    if (!make_private(&comm)) {
        if (rank == 0)
            report_line(REPORT_FAILED
                        "MPI makes no communicator for it" REPORT_WELL);
        return false;
    }
    collect(&all);
    all.hosts = first_on_host(comm);
    gather(&all, comm);
    has_nccl = tell_all(all.has_nccl, comm);
    next_mpi.Comm_free(&comm);
    if (rank == 0 && all.regions.refused)
        report_line("more than %d regions have names (commprof.h): the others "
                    "count where they are begun",
                    REGIONS_MOST);
    /* slurmstepd and srun file that together with this. */
    if (has_nccl && settings.spool)
        done = false;
    else if (rank == 0)
        done = report_write(&all, (uint32_t)size, elapsed_ns, active_ns);
    /* All leave together, as they do without us: MPICH 4.0 over UCX's TCP waits
     * for ever for answers of tasks that are already far ahead. */
    meet(2 * settings.wait);
    gathered_clear(&all);
    return done;
}

/* MPI_Finalize deletes the attributes of MPI_COMM_SELF before anything else,
 * and in the reverse order of setting, so that this comes after the program's
 * own. The program goes on, also after a failure here. */
static int delete_self(MPI_Comm comm, int key, void *value, void *extra)
{
    const int depth = record_depth;
    bool done = false;
    MPI_Errhandler handler;

    (void)comm, (void)key, (void)value, (void)extra;
    if (!record_alive)
        return MPI_SUCCESS;
    record_depth = 1;
    if (next_mpi.Comm_get_errhandler(next_mpi.world, &handler) == MPI_SUCCESS) {
        next_mpi.Comm_set_errhandler(next_mpi.world, next_mpi.errors_return);
        done = report();
        next_mpi.Comm_set_errhandler(next_mpi.world, handler);
        next_mpi.Errhandler_free(&handler);
    }
    requests_clear();
    group_clear();
    regions_clear();
    record_clear();
    keep_end(done);
    settings_clear();
    record_depth = depth;
    return MPI_SUCCESS;
}

/* What outlives this task says whose it is. */
static void keep_whose(void)
{
    static char text[SETTINGS_WHOSE];
    const size_t n =
        report_whose(text, sizeof(text), (uint32_t)rank, (uint32_t)size);
    char *kept = n > 0 ? keep_alloc(KEPT_TEXT, n + 1) : NULL;

    if (!kept)
        return;
    memcpy(kept, text, n);
    keep_head->rank = (uint32_t)rank;
    keep_head->ntasks = (uint32_t)size;
    keep_head->began = (int64_t)time(NULL);
    keep_ready();
}

/* Several tasks of a step, each an MPI_COMM_WORLD of its own: they do not know
 * of each other, and nothing that they did would be a profile of the step.
 * `topomap profile collect` says so at its end. */
static bool is_lonely(void)
{
    const char *ntasks = getenv("SLURM_STEP_NUM_TASKS");

    if (size != 1 || !ntasks || !settings.spool ||
        strtoul(ntasks, NULL, 10) < 2)
        return false;
    keep_begin(settings.keep);
    keep_head->ended |= KEPT_ALONE;
    return true;
}

static bool set_up(void)
{
    int threads = MPI_THREAD_SINGLE;
    const char *place = settings.keep;
    char own[128];

    const char *spool = settings.spool ? settings.spool : settings.dump;

    if (!place && settings.keeper && spool)
        place = own_region_make(own, sizeof(own), settings.keeper, spool,
                                (uint32_t)rank, settings.wait);
    keep_begin(place);
    return next_mpi.Query_thread(&threads) == MPI_SUCCESS &&
           record_begin((uint32_t)rank, threads == MPI_THREAD_MULTIPLE,
                        settings.paused,
                        (uint64_t)settings.seconds * 1000000000) &&
           comm_begin(settings.large_ppm) &&
           next_mpi.Comm_create_keyval(comm_copy_nothing, delete_self,
                                       &self_keyval, NULL) == MPI_SUCCESS &&
           next_mpi.Comm_set_attr(next_mpi.self, self_keyval, &self_keyval) ==
               MPI_SUCCESS;
}

/* These tasks, evenly spread, report how long all of them are in MPI, on
 * average: each leaves a few bytes with slurmstepd, and none waits for another.
 * A region of a recording says whose it is; this one does not. */
enum { TIMED_TASKS = 64 };
static void begin_time(void)
{
    const int every = (size + TIMED_TASKS - 1) / TIMED_TASKS;
    int threads = MPI_THREAD_SINGLE;

    if (rank % every == 0 && next_mpi.Query_thread(&threads) == MPI_SUCCESS) {
        keep_begin(settings.keep);
        record_begin_time((uint32_t)rank, (uint32_t)size,
                          threads == MPI_THREAD_MULTIPLE);
    }
    settings_clear();
}

void lifecycle_begin(void)
{
    MPI_Comm parent;

    if (!next_mpi_is_asked())
        return;
    /* Spawned tasks have an MPI_COMM_WORLD of their own: the profile is that of
     * the initial one. */
    if (!next_mpi_load() || next_mpi.Comm_get_parent(&parent) != MPI_SUCCESS ||
        parent != next_mpi.comm_null)
        return;
    if (next_mpi.Comm_rank(next_mpi.world, &rank) != MPI_SUCCESS ||
        next_mpi.Comm_size(next_mpi.world, &size) != MPI_SUCCESS ||
        !settings_read())
        return;
    if (settings.timed) {
        begin_time();
        return;
    }
    if (is_lonely())
        return;
    if (!set_up()) {
        record_end();
        return;
    }
    keep_whose();
}
