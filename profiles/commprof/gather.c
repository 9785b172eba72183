/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gather.c - a binomial tree of sorted lists, merged at each step */
#include "config.h"

#include "commprof/gather.h"

#include "commprof/next_mpi.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* What goes before a task's lists. */
struct header {
    uint64_t nuses, nmessages, nkept;
    uint32_t kept_lost, hosts, status, unused;
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
        below.Send((const char *)list + i, (int)n, below.byte, parent, TAG,
                   comm);
    }
}

static void send_up(struct gathered *all, MPI_Comm comm, int parent)
{
    struct header header;
    const bool whole = all->status == GATHER_OK;

    memset(&header, 0, sizeof(header));
    header.hosts = all->hosts;
    header.status = all->status;
    header.kept_lost = all->kept_lost;
    header.nuses = whole ? all->nuses : 0;
    header.nmessages = whole ? all->messages.n : 0;
    header.nkept = whole && !all->kept_lost ? all->nkept : 0;
    below.Send(&header, sizeof(header), below.byte, parent, TAG, comm);
    send_list(all->use, (size_t)header.nuses * sizeof(*all->use), comm, parent);
    send_list(all->messages.message,
              (size_t)header.nmessages * sizeof(*all->messages.message), comm,
              parent);
    send_list(all->kept, (size_t)header.nkept * sizeof(*all->kept), comm,
              parent);
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
        if (below.Recv(list ? list + i : dropped, (int)part, below.byte, child,
                       TAG, comm, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
            worsen(all, GATHER_MPI);
            break;
        }
    }
    return list;
}

static void take_from(struct gathered *all, MPI_Comm comm, int child)
{
    struct header header;

    if (below.Recv(&header, sizeof(header), below.byte, child, TAG, comm,
                   MPI_STATUS_IGNORE) != MPI_SUCCESS) {
        worsen(all, GATHER_MPI);
        return;
    }
    struct use *use = take_list(all, header.nuses, sizeof(*use), comm, child);
    struct message *message =
        take_list(all, header.nmessages, sizeof(*message), comm, child);
    uint32_t *kept = take_list(all, header.nkept, sizeof(*kept), comm, child);

    worsen(all, header.status);
    all->hosts += header.hosts;
    all->kept_lost += header.kept_lost;
    if (all->status == GATHER_OK &&
        (gathered_add_uses(all, use, (size_t)header.nuses) < 0 ||
         gathered_add_kept(all, kept, (size_t)header.nkept) < 0 ||
         messages_merge(&all->messages, message, (size_t)header.nmessages) < 0))
        worsen(all, GATHER_MEMORY);
    free(use);
    free(message);
    free(kept);
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
