/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lattice.c - MPIX_Lattice_create looked at from inside: every site is owned
 * once, and the faces of each rank are all sites of others beside its own.
 * usage: lattice (RANKS in all) first with routers by info, 3 x 1 x 3 without
 * the middle one; then without info. Rank 0 prints a line for each. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <topomap_cart.h>

static const int sites[4] = {6, 8, 6, 4};
static int rank, size;

static void fail(const char *what)
{
    fprintf(stderr, "lattice: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int number(const int *at)
{
    return at[0] + sites[0] * (at[1] + sites[1] * (at[2] + sites[2] * at[3]));
}

/* Calls act for every site of a box. */
static void each(const MPIX_Lattice_box *box,
                 void (*act)(const int *at, void *arg),
                 void *arg)
{
    int at[4];

    for (at[3] = box->begin[3]; at[3] < box->end[3]; at[3]++)
        for (at[2] = box->begin[2]; at[2] < box->end[2]; at[2]++)
            for (at[1] = box->begin[1]; at[1] < box->end[1]; at[1]++)
                for (at[0] = box->begin[0]; at[0] < box->end[0]; at[0]++)
                    act(at, arg);
}

static int *owned, *owner; /* [sites] 1 + rank; ours, then all */
static const int *periods;
static long beside; /* sites of others beside ours */

static void own(const int *at, void *arg)
{
    (void)arg;
    if (owned[number(at)]++)
        fail("a site is owned twice by one rank");
}

/* One step along a dimension; 0: behind the end. */
static int step(int *to, const int *at, int dimension, int way)
{
    memcpy(to, at, 4 * sizeof(int));
    to[dimension] += way;
    if (to[dimension] >= 0 && to[dimension] < sites[dimension])
        return 1;
    to[dimension] = (to[dimension] + sites[dimension]) % sites[dimension];
    return periods[dimension];
}

static void look_beside(const int *at, void *arg)
{
    int to[4];

    (void)arg;
    for (int i = 0; i < 8; i++)
        if (step(to, at, i / 2, i % 2 ? -1 : 1) &&
            owner[number(to)] != 1 + rank)
            beside++;
}

static void look_at_face(const int *at, void *arg)
{
    const MPIX_Lattice_face *face = arg;
    int to[4];

    if (owner[number(at)] != 1 + face->rank)
        fail("a face is another rank's");
    if (!step(to, at, face->dimension, -face->direction) ||
        owner[number(to)] != 1 + rank)
        fail("a face is not beside us");
    beside--;
}

static void try_lattice(MPI_Info info, const int wraps[4])
{
    int n = sites[0] * sites[1] * sites[2] * sites[3], nparts;
    int *count = calloc((size_t)n, sizeof(int));
    MPIX_Lattice lattice;

    periods = wraps;
    owned = calloc((size_t)n, sizeof(int));
    owner = calloc((size_t)n, sizeof(int));
    if (MPIX_Lattice_create(MPI_COMM_WORLD, sites, wraps, info, &lattice) !=
        MPI_SUCCESS)
        fail("no layout");
    for (int i = 0; i < lattice.nparts; i++)
        each(&lattice.parts[i], own, NULL);
    MPI_Allreduce(owned, count, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++) {
        if (count[i] != 1)
            fail("a site is not owned once");
        owned[i] *= 1 + rank;
    }
    MPI_Allreduce(owned, owner, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    beside = 0;
    for (int i = 0; i < lattice.nparts; i++)
        each(&lattice.parts[i], look_beside, NULL);
    for (int i = 0; i < lattice.nfaces; i++)
        each(&lattice.faces[i].box, look_at_face, &lattice.faces[i]);
    if (beside != 0)
        fail("faces are missing");
    MPI_Allreduce(&lattice.nparts, &nparts, 1, MPI_INT, MPI_SUM,
                  MPI_COMM_WORLD);
    if (rank == 0)
        printf("parts %d imbalance %.4g longest path %d mean %.4g\n", nparts,
               lattice.imbalance, lattice.longest_path, lattice.mean_path);
    MPIX_Lattice_free(&lattice);
    free(owned);
    free(owner);
    free(count);
}

int main(int argc, char **argv)
{
    static const int open[4] = {0, 0, 0, 0}, rings[4] = {1, 1, 0, 1};
    static const int few[4] = {2, 8, 6, 4};
    MPIX_Lattice lattice;
    MPI_Info info;
    char text[64];
    int code, class, router;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Info_create(&info);
    router = rank >= 4 ? rank + 1 : rank;
    snprintf(text, sizeof(text), "%d,0,%d", router % 3, router / 3);
    MPI_Info_set(info, "topomap_coordinates", text);
    MPI_Info_set(info, "topomap_longest", "2");
    try_lattice(info, open);
    try_lattice(info, rings);
    try_lattice(MPI_INFO_NULL, open);
    code = MPIX_Lattice_create(MPI_COMM_WORLD, few, open, info, &lattice);
    MPI_Error_class(code, &class);
    if (class != MPI_ERR_DIMS)
        fail("a lattice too small is taken");
    MPI_Info_set(info, "topomap_longest", "none");
    code = MPIX_Lattice_create(MPI_COMM_WORLD, sites, open, info, &lattice);
    MPI_Error_class(code, &class);
    if (class != MPI_ERR_INFO_VALUE)
        fail("a value of info that is no number is taken");
    MPI_Info_free(&info);
    MPI_Finalize();
    return 0;
}
