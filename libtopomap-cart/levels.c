/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* levels.c - the levels of the machine under a communicator */
#include "config.h"

#include "libtopomap-cart/levels.h"

#include "libtopomap-cart/package.h"

#include <stdbool.h>
#include <stdlib.h>

/* Where a rank is, as all tell each other. */
struct levels_place {
    int leader;  /* lowest rank of its node: the node's name */
    int package; /* or -1 */
};

/* A rank to be sorted by place. */
struct ranked {
    struct levels_place place;
    int rank;
};

static int compare(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->place.leader != y->place.leader)
        return x->place.leader < y->place.leader ? -1 : 1;
    if (x->place.package != y->place.package)
        return x->place.package < y->place.package ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* The name of this task's node: the lowest rank of comm on it. */
static int find_leader(int *out, MPI_Comm comm)
{
    MPI_Comm node = MPI_COMM_NULL;
    int rank, error;

    if ((error = PMPI_Comm_rank(comm, &rank)) != MPI_SUCCESS ||
        (error = PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank,
                                      MPI_INFO_NULL, &node)) != MPI_SUCCESS)
        return error;
    error = PMPI_Allreduce(&rank, out, 1, MPI_INT, MPI_MIN, node);
    PMPI_Comm_free(&node);
    return error;
}

/* Length of each run of equal keys in a row must be the same: returns it, or 0.
 * by_package: a key is (node, package), else the node. */
static uint32_t even_run(const struct ranked *sorted,
                         uint32_t n,
                         bool by_package)
{
    uint32_t length = 0, run = 0;

    for (uint32_t i = 0; i < n; i++) {
        const struct levels_place *a = &sorted[i].place, *b;

        run++;
        b = i + 1 < n ? &sorted[i + 1].place : NULL;
        if (b && b->leader == a->leader &&
            (!by_package || b->package == a->package))
            continue;
        if (length == 0)
            length = run;
        if (run != length)
            return 0;
        run = 0;
    }
    return length;
}

/* Levels of the sorted places: nodes if they hold the same number of tasks
 * each, packages within them if all tasks are in one, and in equal numbers. */
static void count_levels(struct levels *out, const struct ranked *sorted)
{
    uint32_t n = out->ntasks, per_node = even_run(sorted, n, false);
    uint32_t per_package = per_node ? even_run(sorted, n, true) : 0;

    for (uint32_t i = 0; i < n; i++)
        if (sorted[i].place.package < 0)
            per_package = 0;
    out->nlevels = 0;
    if (per_node == 0 || per_node == n)
        per_node = n;
    else
        out->counts[out->nlevels++] = n / per_node;
    for (uint32_t r = 0; r < n; r++)
        out->package[r] =
            per_package > 0 ? out->position[r] / per_package : out->node[r];
    if (per_package > 0 && per_package < per_node) {
        out->counts[out->nlevels++] = per_node / per_package;
        per_node = per_package;
    }
    if (per_node > 1 || out->nlevels == 0)
        out->counts[out->nlevels++] = per_node;
}

/* Each rank's place of all, into positions, nodes and levels. */
static int arrange(struct levels *out, const struct levels_place *place)
{
    uint32_t n = out->ntasks, node = 0;
    struct ranked *sorted = malloc(n * sizeof(*sorted));

    out->position = malloc(n * sizeof(*out->position));
    out->node = malloc(n * sizeof(*out->node));
    out->package = malloc(n * sizeof(*out->package));
    if (!sorted || !out->position || !out->node || !out->package) {
        free(sorted);
        return MPI_ERR_NO_MEM;
    }
    for (uint32_t i = 0; i < n; i++)
        sorted[i] = (struct ranked){place[i], (int)i};
    qsort(sorted, n, sizeof(*sorted), compare);
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0 && sorted[i].place.leader != sorted[i - 1].place.leader)
            node++;
        out->position[sorted[i].rank] = i;
        out->node[sorted[i].rank] = node;
    }
    count_levels(out, sorted);
    free(sorted);
    return MPI_SUCCESS;
}

int levels_find(struct levels *out, MPI_Comm comm)
{
    struct levels levels = {0};
    struct levels_place mine = {0, package_of_task()}, *place = NULL;
    int size, error;

    if ((error = PMPI_Comm_size(comm, &size)) != MPI_SUCCESS ||
        (error = find_leader(&mine.leader, comm)) != MPI_SUCCESS)
        return error;
    levels.ntasks = (uint32_t)size;
    place = malloc((size_t)size * sizeof(*place));
    if (!place)
        return MPI_ERR_NO_MEM;
    if ((error = PMPI_Allgather(&mine, 2, MPI_INT, place, 2, MPI_INT, comm)) ==
        MPI_SUCCESS)
        error = arrange(&levels, place);
    free(place);
    if (error != MPI_SUCCESS) {
        levels_clear(&levels);
        return error;
    }
    *out = levels;
    return MPI_SUCCESS;
}

void levels_clear(struct levels *levels)
{
    free(levels->position);
    free(levels->node);
    free(levels->package);
    levels->position = levels->node = levels->package = NULL;
}
