/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lattice_create.c - MPIX_Lattice_create: Adaptive Layout (Fiedler and Whalen,
 * CUG 2013, section II.C) as a call that a program's ranks make together */
#include "config.h"

#include "libtopomap-cart/topomap_cart.h"

#include "libtopomap-cart/lattice_parts.h"
#include "libtopomap-cart/machine.h"
#include "libtopomap-cart/switches.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* What the program links to. */
#define TOPOMAP_CART_API __attribute__((visibility("default")))

/* The structures of both sides are one and the same in memory. */
_Static_assert(sizeof(MPIX_Lattice_box) == sizeof(struct lattice_box) &&
                   sizeof(MPIX_Lattice_face) == sizeof(struct lattice_face),
               "what is handed out is what was made");

enum { TEXT = 128 };

/* Where a rank says it is, or is found to be. */
struct router {
    int error;     /* an MPI error code */
    int from_info; /* or by the network; 0 also where nothing is known */
    int is_known;
    int at[LATTICE_AXES], ring[LATTICE_AXES];
    int most_hops;
};

/* n whole numbers from least on, with commas between them. 0: no such key, or,
 * with *error, no such numbers. */
static int read_key(int *error,
                    int *out,
                    int n,
                    int least,
                    MPI_Info info,
                    const char *key)
{
    char text[TEXT], *at = text;
    int length, given = 0;

    if (info == MPI_INFO_NULL || *error != MPI_SUCCESS ||
        (*error = PMPI_Info_get_valuelen(info, key, &length, &given)) !=
            MPI_SUCCESS ||
        !given)
        return 0;
    *error = MPI_ERR_INFO_VALUE;
    if (length >= TEXT)
        return 0;
    if (PMPI_Info_get(info, key, TEXT - 1, text, &given) != MPI_SUCCESS)
        return 0;
    for (int i = 0; i < n; i++) {
        char *end;
        long value;

        if (*at < '0' || *at > '9')
            return 0;
        value = strtol(at, &end, 10);
        if (value < least || value > INT_MAX / 4 ||
            *end != (i + 1 < n ? ',' : '\0'))
            return 0;
        out[i] = (int)value;
        at = end + 1;
    }
    *error = MPI_SUCCESS;
    return 1;
}

static struct router read_info(MPI_Info info)
{
    struct router router = {.error = MPI_SUCCESS};

    router.from_info = router.is_known = read_key(
        &router.error, router.at, LATTICE_AXES, 0, info, "topomap_coordinates");
    read_key(&router.error, router.ring, LATTICE_AXES, 0, info,
             "topomap_torus");
    read_key(&router.error, &router.most_hops, 1, 1, info, "topomap_longest");
    return router;
}

/* Nodes in a row along x, by lowest rank, where routers are not known. */
static void line_up(uint32_t (*at)[LATTICE_AXES], const int *leader, int size)
{
    uint32_t n = 0;

    for (int r = 0; r < size; r++) {
        if (leader[r] == r)
            at[r][0] = n++;
        else
            at[r][0] = at[leader[r]][0];
        at[r][1] = at[r][2] = 0;
    }
}

/* All routers, the same on all ranks. routers: [size], used up. */
static int gather(uint32_t (*at)[LATTICE_AXES],
                  struct mapcore_adaptive_problem *problem,
                  struct router *routers,
                  const struct router *mine,
                  MPI_Comm comm,
                  int size)
{
    int known = 1, error, leader, *leaders = (int *)routers;

    if ((error = PMPI_Allgather(mine, sizeof(*mine), MPI_BYTE, routers,
                                sizeof(*mine), MPI_BYTE, comm)) != MPI_SUCCESS)
        return error;
    for (int r = 0; r < size; r++) {
        if (routers[r].error != MPI_SUCCESS)
            return routers[r].error;
        /* All by the same source. */
        if (!routers[r].is_known || routers[r].from_info != mine->from_info)
            known = 0;
        memcpy(at[r], routers[r].at, sizeof(at[r]));
    }
    for (int i = 0; i < LATTICE_AXES; i++) {
        uint32_t ring = problem->ring[i] = (uint32_t)routers[0].ring[i];

        for (int r = 0; known && r < size; r++)
            if (ring > 0 && at[r][i] >= ring)
                return MPI_ERR_INFO_VALUE;
    }
    problem->most_hops = (uint32_t)routers[0].most_hops;
    if (PMPI_Allreduce(MPI_IN_PLACE, &known, 1, MPI_INT, MPI_MIN, comm) !=
            MPI_SUCCESS ||
        known)
        return MPI_SUCCESS;
    memset(problem->ring, 0, sizeof(problem->ring));
    if ((error = machine_find_leader(&leader, comm)) != MPI_SUCCESS ||
        (error = PMPI_Allgather(&leader, 1, MPI_INT, leaders, 1, MPI_INT,
                                comm)) != MPI_SUCCESS)
        return error;
    line_up(at, leaders, size);
    return MPI_SUCCESS;
}

static int find_routers(uint32_t (*at)[LATTICE_AXES],
                        struct mapcore_adaptive_problem *problem,
                        MPI_Comm comm,
                        MPI_Info info,
                        int size)
{
    struct router mine = read_info(info);
    struct router *routers = malloc((size_t)size * sizeof(*routers));
    const char *node = getenv("SLURMD_NODENAME");
    char *network = NULL;
    int all = mine.from_info, error;

    if (!routers)
        return MPI_ERR_NO_MEM;
    error = PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm);
    if (error == MPI_SUCCESS && !all) {
        mine.from_info = 0;
        error = machine_ask_network(&network, comm);
        mine.is_known = node && network &&
                        switches_find_router(mine.at, mine.ring, network, node);
        free(network);
    }
    if (error == MPI_SUCCESS)
        error = gather(at, problem, routers, &mine, comm, size);
    free(routers);
    return error;
}

static int create(MPIX_Lattice *out,
                  MPI_Comm comm,
                  const int *sites,
                  const int *periods,
                  MPI_Info info)
{
    struct mapcore_adaptive_problem problem = {0};
    struct lattice_parts parts = {0};
    uint32_t(*at)[LATTICE_AXES];
    int size, rank, inter, error;

    if (!out || !sites || !periods)
        return MPI_ERR_ARG;
    for (int i = 0; i < LATTICE_DIMS; i++) {
        if (sites[i] < 1)
            return MPI_ERR_DIMS;
        problem.lattice[i] = (uint32_t)sites[i];
        problem.periodic[i] = periods[i] != 0;
    }
    if ((error = PMPI_Comm_test_inter(comm, &inter)) != MPI_SUCCESS)
        return error;
    if (inter)
        return MPI_ERR_COMM;
    if ((error = PMPI_Comm_size(comm, &size)) != MPI_SUCCESS ||
        (error = PMPI_Comm_rank(comm, &rank)) != MPI_SUCCESS)
        return error;
    at = malloc((size_t)size * sizeof(*at));
    if (!at)
        return MPI_ERR_NO_MEM;
    problem.nnodes = (uint32_t)size;
    problem.at = (const uint32_t(*)[LATTICE_AXES])at;
    error = find_routers(at, &problem, comm, info, size);
    if (error == MPI_SUCCESS) {
        int made = lattice_lay_out(&parts, &problem, (uint32_t)rank);

        /* The lattice has too few sites for the box, or the box too many
         * routers. */
        error = made == 0 || made == MAPCORE_ENOMEM ? machine_error(made)
                                                    : MPI_ERR_DIMS;
    }
    free(at);
    if (error != MPI_SUCCESS)
        return error;
    *out = (MPIX_Lattice){.nparts = (int)parts.nparts,
                          .parts = (MPIX_Lattice_box *)parts.part,
                          .nfaces = (int)parts.nfaces,
                          .faces = (MPIX_Lattice_face *)parts.face,
                          .imbalance = parts.imbalance,
                          .mean_path = parts.mean_path,
                          .longest_path = parts.longest_path};
    return MPI_SUCCESS;
}

TOPOMAP_CART_API int MPIX_Lattice_create(MPI_Comm comm,
                                         const int sites[4],
                                         const int periods[4],
                                         MPI_Info info,
                                         MPIX_Lattice *lattice)
{
    int error = create(lattice, comm, sites, periods, info);

    if (error != MPI_SUCCESS)
        PMPI_Comm_call_errhandler(comm == MPI_COMM_NULL ? MPI_COMM_WORLD : comm,
                                  error);
    return error;
}

TOPOMAP_CART_API int MPIX_Lattice_free(MPIX_Lattice *lattice)
{
    if (!lattice)
        return MPI_ERR_ARG;
    free(lattice->parts);
    free(lattice->faces);
    *lattice = (MPIX_Lattice){0};
    return MPI_SUCCESS;
}
