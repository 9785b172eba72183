/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gather.c - a binomial tree of sorted edges, merged at each step */
#include "config.h"

#include "commprof/gather.h"

#include "commprof/below.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* What goes before a task's edges. */
struct header {
    struct totals totals[NTYPES];
    uint64_t nedges;
    uint32_t hosts, status;
};

enum {
    TAG = 1,
    CHUNK = 1 << 16, /* edges a message: MPI counts are of 31 bits */
};

static void worsen(struct gathered *all, uint32_t status)
{
    if (all->status == GATHER_OK)
        all->status = status;
}

static void send_up(struct gathered *all, MPI_Comm comm, int parent)
{
    struct header header;

    memset(&header, 0, sizeof header);
    memcpy(header.totals, all->totals, sizeof header.totals);
    header.hosts = all->hosts;
    header.status = all->status;
    header.nedges = all->status == GATHER_OK ? all->edges.n : 0;
    below.Send(&header, sizeof header, below.byte, parent, TAG, comm);
    for (size_t i = 0; i < header.nedges; i += CHUNK) {
        const size_t left = header.nedges - i, n = left < CHUNK ? left : CHUNK;
        below.Send(&all->edges.edge[i], (int)(n * sizeof(struct edge)),
                   below.byte, parent, TAG, comm);
    }
}

/* Takes n edges into edge, or, when that is NULL, takes them and drops them, so
 * that the child is not kept waiting. */
static int take_edges(struct edge *edge, uint64_t n, MPI_Comm comm, int child)
{
    static struct edge dropped[CHUNK];
    int result = MPI_SUCCESS;

    for (uint64_t i = 0; result == MPI_SUCCESS && i < n; i += CHUNK) {
        const uint64_t left = n - i, part = left < CHUNK ? left : CHUNK;
        result = below.Recv(edge ? &edge[i] : dropped,
                            (int)(part * sizeof(struct edge)), below.byte,
                            child, TAG, comm, MPI_STATUS_IGNORE);
    }
    return result;
}

static void take_from(struct gathered *all, MPI_Comm comm, int child)
{
    struct header header;

    if (below.Recv(&header, sizeof header, below.byte, child, TAG, comm,
                   MPI_STATUS_IGNORE) != MPI_SUCCESS) {
        worsen(all, GATHER_MPI);
        return;
    }
    struct edge *edge =
        all->status == GATHER_OK
            ? array_alloc((size_t)header.nedges, sizeof *edge, NULL)
            : NULL;
    if (take_edges(edge, header.nedges, comm, child) != MPI_SUCCESS)
        worsen(all, GATHER_MPI);
    worsen(all, header.status);
    if (!edge || (all->status == GATHER_OK &&
                  edges_merge(&all->edges, edge, (size_t)header.nedges) < 0))
        worsen(all, GATHER_MEMORY);
    free(edge);

    all->hosts += header.hosts;
    for (size_t i = 0; i < NTYPES; i++) {
        struct totals *sum = &all->totals[i];
        const struct totals *part = &header.totals[i];
        sum->calls = record_sum(sum->calls, part->calls);
        sum->bytes = record_sum(sum->bytes, part->bytes);
        sum->paired = record_sum(sum->paired, part->paired);
        sum->large = record_sum(sum->large, part->large);
        sum->ns = record_sum(sum->ns, part->ns);
    }
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
