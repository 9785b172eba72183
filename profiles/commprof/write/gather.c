/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gather.c - a binomial tree of sorted lists, merged at each step */
#include "config.h"

#include "commprof/write/gather.h"

#include "commprof/next_mpi.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* What goes before a task's lists. */
struct gather_header {
    uint64_t nstats, nmessages, nrecords;
    uint32_t records_lost, hosts, status, unused;
    struct task_times times;
    struct region_names regions;
};

enum {
    TAG = 1,
    CHUNK = 1 << 21, /* bytes a message: MPI counts are of 31 bits */
};

static void worsen(struct gathered *all, uint32_t status)
{
    if (all->status == GATHER_OK)
        all->status = status;
}

static void send_list(const void *list, size_t size, MPI_Comm comm, int parent)
{
    for (size_t i = 0; i < size; i += CHUNK) {
        const size_t left = size - i, n = left < CHUNK ? left : CHUNK;
        next_mpi.Send((const char *)list + i, (int)n, next_mpi.byte, parent,
                      TAG, comm);
    }
}

static void send_up(struct gathered *all, MPI_Comm comm, int parent)
{
    struct gather_header header;
    const bool whole = all->status == GATHER_OK;

    memset(&header, 0, sizeof(header));
    header.hosts = all->hosts;
    header.status = all->status;
    header.times = all->times;
    header.regions = all->regions;
    header.records_lost = all->records_lost;
    header.nstats = whole ? all->nstats : 0;
    header.nmessages = whole ? all->messages.n : 0;
    header.nrecords = whole && !all->records_lost ? all->nrecords : 0;
    next_mpi.Send(&header, sizeof(header), next_mpi.byte, parent, TAG, comm);
    send_list(all->stats, (size_t)header.nstats * sizeof(*all->stats), comm,
              parent);
    send_list(all->messages.message,
              (size_t)header.nmessages * sizeof(*all->messages.message), comm,
              parent);
    send_list(all->records, (size_t)header.nrecords * sizeof(*all->records),
              comm, parent);
}

/* A list of n elements, owned; without memory it is taken all the same, and
 * dropped, so that the child is not kept waiting: NULL. */
static void *take_list(struct gathered *all,
                       uint64_t n,
                       size_t size,
                       MPI_Comm comm,
                       int child)
{
    static char dropped[CHUNK];
    char *list =
        all->status == GATHER_OK ? array_alloc((size_t)n, size, NULL) : NULL;
    const uint64_t bytes = n * size;

    if (!list)
        worsen(all, GATHER_MEMORY);
    for (uint64_t i = 0; i < bytes; i += CHUNK) {
        const uint64_t left = bytes - i, part = left < CHUNK ? left : CHUNK;
        if (next_mpi.Recv(list ? list + i : dropped, (int)part, next_mpi.byte,
                          child, TAG, comm, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
            worsen(all, GATHER_MPI);
            break;
        }
    }
    return list;
}

static void take_from(struct gathered *all, MPI_Comm comm, int child)
{
    struct gather_header header;
    struct gathered more;

    if (next_mpi.Recv(&header, sizeof(header), next_mpi.byte, child, TAG, comm,
                      MPI_STATUS_IGNORE) != MPI_SUCCESS) {
        worsen(all, GATHER_MPI);
        return;
    }
    more = (struct gathered){.nstats = (size_t)header.nstats,
                             .messages.n = (size_t)header.nmessages,
                             .regions = header.regions,
                             .times = header.times,
                             .nrecords = (size_t)header.nrecords,
                             .records_lost = header.records_lost,
                             .hosts = header.hosts,
                             .status = all->status};
    more.stats =
        take_list(&more, header.nstats, sizeof(*more.stats), comm, child);
    more.messages.message = take_list(
        &more, header.nmessages, sizeof(*more.messages.message), comm, child);
    more.records =
        take_list(&more, header.nrecords, sizeof(*more.records), comm, child);
    worsen(&more, header.status);
    gathered_add(all, &more);
}

void gather(struct gathered *all, MPI_Comm comm, int rank, int size)
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
