/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* machine.c - the levels of the machine under a communicator */
#include "config.h"

#include "libtopomap-cart/machine.h"

#include "base/fnv.h"
#include "libtopomap-cart/switches.h"
#include "libtopomap-cart/task_place.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* How long rank 0 may wait for the description of the network. */
#define NETWORK_SECONDS 5.0

/* The job's nodes as this task learned them once: "" for not at all. Asked
 * for once a program, since that may ask Slurm's controller. */
static _Atomic(char *) network;

int machine_error(int error)
{
    switch (error) {
    case 0:
        return MPI_SUCCESS;
    case MAPCORE_ERANGE:
        return MPI_ERR_DIMS;
    case MAPCORE_ENOMEM:
        return MPI_ERR_NO_MEM;
    default:
        return MPI_ERR_ARG;
    }
}

/* The lowest rank whose node has this task's name. */
static int find_leader_by_name(int *out, MPI_Comm comm, int size)
{
    const char *node = getenv("SLURMD_NODENAME");
    uint64_t mine = node ? fnv1a(node, strlen(node)) : 0;
    uint64_t *names = calloc((size_t)size, sizeof(*names));
    int is_short = !names || !node, error;

    /* All or none go on. */
    error = PMPI_Allreduce(MPI_IN_PLACE, &is_short, 1, MPI_INT, MPI_MAX, comm);
    if (error == MPI_SUCCESS && !is_short) {
        error = PMPI_Allgather(&mine, 1, MPI_UINT64_T, names, 1, MPI_UINT64_T,
                               comm);
        for (int i = 0; error == MPI_SUCCESS; i++)
            if (names[i] == mine) {
                *out = i;
                break;
            }
    }
    free(names);
    return error;
}

/* In Debian's MPICH 5.0 no task shares memory with another one. Where that is
 * so for all, Slurm's names of the nodes count. */
int machine_find_leader(int *out, MPI_Comm comm)
{
    MPI_Comm node = MPI_COMM_NULL;
    int rank, size, beside, error;

    if ((error = PMPI_Comm_rank(comm, &rank)) != MPI_SUCCESS ||
        (error = PMPI_Comm_size(comm, &size)) != MPI_SUCCESS ||
        (error = PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank,
                                      MPI_INFO_NULL, &node)) != MPI_SUCCESS)
        return error;
    if ((error = PMPI_Comm_size(node, &beside)) == MPI_SUCCESS)
        error = PMPI_Allreduce(&rank, out, 1, MPI_INT, MPI_MIN, node);
    PMPI_Comm_free(&node);
    if (error == MPI_SUCCESS)
        error =
            PMPI_Allreduce(MPI_IN_PLACE, &beside, 1, MPI_INT, MPI_MAX, comm);
    return error != MPI_SUCCESS || beside > 1
               ? error
               : find_leader_by_name(out, comm, size);
}

/* Borrowed. */
static const char *read_network(void)
{
    char *known = atomic_load(&network), *mine;

    if (known)
        return known;
    mine = switches_ask(NETWORK_SECONDS);
    if (!mine && !(mine = calloc(1, 1)))
        return "";
    if (atomic_compare_exchange_strong(&network, &known, mine))
        return mine;
    free(mine); /* another thread was faster */
    return known;
}

/* What rank 0 learned, the same on all ranks; *out is owned, NULL where there
 * is nothing. */
static int ask_network(char **out, MPI_Comm comm)
{
    char *text = NULL;
    int rank, n = 0, is_short, error;

    *out = NULL;
    if ((error = PMPI_Comm_rank(comm, &rank)) != MPI_SUCCESS)
        return error;
    if (rank == 0) {
        const char *known = read_network();
        size_t length = strlen(known);

        if (length > 0 && length < INT_MAX && (text = malloc(length + 1))) {
            memcpy(text, known, length + 1);
            n = (int)length + 1;
        }
    }
    if ((error = PMPI_Bcast(&n, 1, MPI_INT, 0, comm)) != MPI_SUCCESS || n == 0)
        goto out;
    if (!text)
        text = malloc((size_t)n);
    /* All or none go on. */
    is_short = !text;
    if ((error = PMPI_Allreduce(MPI_IN_PLACE, &is_short, 1, MPI_INT, MPI_MAX,
                                comm)) != MPI_SUCCESS ||
        is_short ||
        (error = PMPI_Bcast(text, n, MPI_CHAR, 0, comm)) != MPI_SUCCESS)
        goto out;
    *out = text;
    text = NULL;
out:
    free(text);
    return error;
}

/* The switch of this task, by the answer that rank 0 got. */
static int find_switch(int *out, MPI_Comm comm)
{
    const char *node = getenv("SLURMD_NODENAME");
    char *text;
    int error = ask_network(&text, comm);

    *out = node && text ? switches_find(text, node) : -1;
    free(text);
    return error;
}

static bool has_nodes(const struct levels_place *place, int size)
{
    for (int i = 1; i < size; i++)
        if (place[i].in[LEVELS_NODE] != place[0].in[LEVELS_NODE])
            return true;
    return false;
}

/* Where all tasks are, into place[size]. */
static int find_places(struct levels_place *place,
                       MPI_Comm comm,
                       int size,
                       const struct levels_wish *wish)
{
    struct levels_place mine = {.in = {-1, -1, -1, -1, -1}};
    int error = machine_find_leader(&mine.in[LEVELS_NODE], comm);

    if (error != MPI_SUCCESS)
        return error;
    if (wish->kinds &
        (1u << LEVELS_PACKAGE | 1u << LEVELS_NUMA | 1u << LEVELS_L3))
        task_place_find(&mine);
    error = PMPI_Allgather(&mine, LEVELS_KINDS, MPI_INT, place, LEVELS_KINDS,
                           MPI_INT, comm);
    if (error != MPI_SUCCESS || !(wish->kinds & 1u << LEVELS_SWITCH) ||
        !has_nodes(place, size))
        return error;
    if ((error = find_switch(&mine.in[LEVELS_SWITCH], comm)) != MPI_SUCCESS)
        return error;
    return PMPI_Allgather(&mine, LEVELS_KINDS, MPI_INT, place, LEVELS_KINDS,
                          MPI_INT, comm);
}

int machine_find_levels(struct levels *out,
                        MPI_Comm comm,
                        const struct levels_wish *wish)
{
    struct levels_place *place;
    int size, error = PMPI_Comm_size(comm, &size);

    if (error != MPI_SUCCESS)
        return error;
    place = malloc((size_t)size * sizeof(*place));
    if (!place)
        return MPI_ERR_NO_MEM;
    if ((error = find_places(place, comm, size, wish)) == MPI_SUCCESS) {
        int arranged = levels_arrange(out, place, (uint32_t)size, wish);

        error = arranged == MAPCORE_EINVAL ? MPI_ERR_INFO_VALUE
                                           : machine_error(arranged);
    }
    free(place);
    return error;
}
