/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dist_graph.c - distributed graphs: gathered by rank 0, mapped there, and each
 * vertex's neighbours handed to the rank that takes it over */
#include "config.h"

#include "libtopomap-cart/dist_graph.h"

#include "base/array.h"
#include "libtopomap-cart/graph_plan.h"
#include "libtopomap-cart/machine.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How long the others may wait for a plan, which may ask Slurm's controller. */
#define PLAN_SECONDS 5.0

/* An edge as messages have it. */
#define EDGE_INTS ((int)(sizeof(struct graph_edge) / sizeof(int)))

/* On every rank what is its own, on rank 0 what all have. */
struct dist_graph {
    int rank, size;
    struct graph_edge *mine;
    int nmine;
    int *vertex;                   /* [size] on all */
    int *leader, *counts, *displs; /* [size] on rank 0 */
    char (*name)[GRAPH_NAME_MOST]; /* [size] on rank 0 */
    struct graph_edge *edges;      /* on rank 0 */
    struct arena arena;            /* of these */
};

static bool begin(struct dist_graph *all)
{
    struct arena *arena = &all->arena;
    size_t n = (size_t)all->size;

    all->vertex = arena_alloc(arena, n, sizeof(*all->vertex));
    if (all->rank == 0) {
        all->leader = arena_alloc(arena, n, sizeof(*all->leader));
        all->counts = arena_alloc(arena, n, sizeof(*all->counts));
        all->displs = arena_alloc(arena, n, sizeof(*all->displs));
        all->name = arena_alloc(arena, n, sizeof(*all->name));
    }
    return arena->error == 0;
}

/* All edges to rank 0; *is_short there where they are too many. */
static int gather_edges(struct dist_graph *all, MPI_Comm comm, int *is_short)
{
    long total = 0;
    int ints = all->nmine * EDGE_INTS;
    int error =
        PMPI_Gather(&ints, 1, MPI_INT, all->counts, 1, MPI_INT, 0, comm);

    for (int r = 0; all->rank == 0 && r < all->size; r++) {
        all->displs[r] = (int)total;
        if ((total += all->counts[r]) > INT_MAX)
            break;
    }
    if (all->rank == 0)
        *is_short = total > INT_MAX ||
                    !(all->edges =
                          arena_alloc(&all->arena, (size_t)total, sizeof(int)));
    if (error == MPI_SUCCESS)
        error = PMPI_Bcast(is_short, 1, MPI_INT, 0, comm);
    if (error != MPI_SUCCESS || *is_short)
        return error;
    error = PMPI_Gatherv(all->mine, ints, MPI_INT, all->edges, all->counts,
                         all->displs, MPI_INT, 0, comm);
    all->nmine = (int)(total / EDGE_INTS);
    return error;
}

static void plan(struct dist_graph *all)
{
    const char *report = getenv("TOPOMAP_CART_REPORT");
    const struct graph_job job = {
        .ntasks = (uint32_t)all->size,
        .leader = all->leader,
        .name = (const char(*)[GRAPH_NAME_MOST])all->name,
        .edges = all->edges,
        .nedges = (uint32_t)all->nmine,
    };
    bool moves = graph_plan(all->vertex, &job, PLAN_SECONDS);
    int nodes = 0;

    for (int r = 0; r < all->size; r++)
        nodes += all->leader[r] == r;
    if (report && report[0] != '\0' && strcmp(report, "0") != 0)
        fprintf(stderr,
                "topomap-cart: graph of %d ranks on %d nodes; ranks %s\n",
                all->size, nodes, moves ? "move" : "stay");
    if (!moves)
        all->vertex[0] = -1;
}

/* Which vertex each rank takes over; *moves false: its own. */
static int find_vertices(struct dist_graph *all,
                         bool *moves,
                         MPI_Comm comm,
                         bool is_bad)
{
    const char *node = getenv("SLURMD_NODENAME");
    char name[GRAPH_NAME_MOST] = "";
    int leader, error, is_short = 0, flags[2] = {is_bad || !begin(all), 0};

    *moves = false;
    if ((error = machine_find_leader(&leader, comm)) != MPI_SUCCESS)
        return error;
    /* Rank 0 leads its node: where another does there are two. */
    flags[1] = leader;
    error = PMPI_Allreduce(MPI_IN_PLACE, flags, 2, MPI_INT, MPI_MAX, comm);
    if (error != MPI_SUCCESS || flags[0] || flags[1] == 0)
        return error;
    if (node && strlen(node) < sizeof(name))
        memcpy(name, node, strlen(node));
    if ((error = PMPI_Gather(&leader, 1, MPI_INT, all->leader, 1, MPI_INT, 0,
                             comm)) != MPI_SUCCESS ||
        (error = PMPI_Gather(name, sizeof(name), MPI_CHAR, all->name,
                             sizeof(name), MPI_CHAR, 0, comm)) != MPI_SUCCESS ||
        (error = gather_edges(all, comm, &is_short)) != MPI_SUCCESS || is_short)
        return error;
    if (all->rank == 0)
        plan(all);
    error = PMPI_Bcast(all->vertex, all->size, MPI_INT, 0, comm);
    *moves = error == MPI_SUCCESS && all->vertex[0] >= 0;
    return error;
}

/* Appends an edge; false: there is no such. */
static bool add(struct dist_graph *all, int from, int to, int weight)
{
    if (from < 0 || from >= all->size || to < 0 || to >= all->size ||
        weight < 0)
        return false;
    all->mine[all->nmine++] = (struct graph_edge){from, to, weight};
    return true;
}

static bool add_edges(struct dist_graph *all, const struct dist_edges *mine)
{
    bool weighs = mine->weights != MPI_UNWEIGHTED;
    long total = 0, k = 0;

    if (mine->n < 0 || (mine->n > 0 && (!mine->sources || !mine->degrees)))
        return false;
    for (int i = 0; i < mine->n; i++) {
        if (mine->degrees[i] < 0)
            return false;
        total += mine->degrees[i];
    }
    if (total > INT_MAX / EDGE_INTS ||
        (total > 0 && (!mine->destinations || !mine->weights)) ||
        !(all->mine =
              arena_alloc(&all->arena, (size_t)total, sizeof(*all->mine))))
        return false;
    for (int i = 0; i < mine->n; i++)
        for (int d = 0; d < mine->degrees[i]; d++, k++)
            if (!add(all, mine->sources[i], mine->destinations[k],
                     weighs ? mine->weights[k] : 1))
                return false;
    return true;
}

static int open_comm(struct dist_graph *all, MPI_Comm comm)
{
    int error = PMPI_Comm_rank(comm, &all->rank);

    return error == MPI_SUCCESS ? PMPI_Comm_size(comm, &all->size) : error;
}

int dist_graph_order(MPI_Comm *out,
                     MPI_Comm comm,
                     const struct dist_edges *mine)
{
    struct dist_graph all = {0};
    int error = open_comm(&all, comm);
    bool moves;

    *out = MPI_COMM_NULL;
    if (error != MPI_SUCCESS)
        return error;
    error = find_vertices(&all, &moves, comm, !add_edges(&all, mine));
    if (moves)
        error = PMPI_Comm_split(comm, 0, all.vertex[all.rank], out);
    arena_clear(&all.arena);
    return error;
}

/* A vertex's neighbours in a message: both degrees, whether they have weights,
 * then the neighbours and their weights, in and out. */
enum { IN, OUT, WEIGHS_IN, WEIGHS_OUT, HEAD };

static void pack(int *out, const struct dist_neighbours *mine)
{
    size_t in = (size_t)mine->indegree, to = (size_t)mine->outdegree;
    int *at = out + HEAD;

    out[IN] = mine->indegree;
    out[OUT] = mine->outdegree;
    out[WEIGHS_IN] = mine->sourceweights != MPI_UNWEIGHTED;
    out[WEIGHS_OUT] = mine->destweights != MPI_UNWEIGHTED;
    if (in > 0) {
        memcpy(at, mine->sources, in * sizeof(*at));
        if (out[WEIGHS_IN])
            memcpy(at + in, mine->sourceweights, in * sizeof(*at));
    }
    at += 2 * in;
    if (to > 0) {
        memcpy(at, mine->destinations, to * sizeof(*at));
        if (out[WEIGHS_OUT])
            memcpy(at + to, mine->destweights, to * sizeof(*at));
    }
}

static void unpack(struct dist_neighbours *out, const int *message)
{
    int in = message[IN], to = message[OUT];
    const int *at = message + HEAD;

    *out = (struct dist_neighbours){
        .indegree = in,
        .sources = at,
        .sourceweights = !message[WEIGHS_IN] ? MPI_UNWEIGHTED
                         : in > 0            ? at + in
                                             : MPI_WEIGHTS_EMPTY,
        .outdegree = to,
        .destinations = at + 2 * (size_t)in,
        .destweights = !message[WEIGHS_OUT] ? MPI_UNWEIGHTED
                       : to > 0             ? at + 2 * (size_t)in + to
                                            : MPI_WEIGHTS_EMPTY,
    };
}

/* From the rank of comm that gave the vertex to the rank of ordered that takes
 * it over, by the ranks of ordered: there the vertex has its own number. */
static int hand_over(int *theirs,
                     const int *mine,
                     int longest,
                     const struct dist_graph *all,
                     MPI_Comm ordered)
{
    int taken = all->vertex[all->rank];
    int length = HEAD + 2 * (mine[IN] + mine[OUT]);

    return PMPI_Sendrecv(mine, length, MPI_INT, all->rank, 0, theirs, longest,
                         MPI_INT, all->vertex[taken], 0, ordered,
                         MPI_STATUS_IGNORE);
}

static bool add_neighbours(struct dist_graph *all,
                           const struct dist_neighbours *mine)
{
    int in = mine->indegree, to = mine->outdegree;
    bool weighs_in = mine->sourceweights != MPI_UNWEIGHTED,
         weighs = mine->destweights != MPI_UNWEIGHTED;

    if (in < 0 || to < 0 ||
        (in > 0 && (!mine->sources || !mine->sourceweights)) ||
        (to > 0 && (!mine->destinations || !mine->destweights)) ||
        !(all->mine = arena_alloc(&all->arena, (size_t)to, sizeof(*all->mine))))
        return false;
    for (int i = 0; i < in; i++)
        if (mine->sources[i] < 0 || mine->sources[i] >= all->size ||
            (weighs_in && mine->sourceweights[i] < 0))
            return false;
    for (int i = 0; i < to; i++)
        if (!add(all, all->rank, mine->destinations[i],
                 weighs ? mine->destweights[i] : 1))
            return false;
    return true;
}

int dist_graph_order_adjacent(MPI_Comm *out,
                              struct dist_neighbours *theirs,
                              int **memory,
                              MPI_Comm comm,
                              const struct dist_neighbours *mine)
{
    struct dist_graph all = {0};
    int longest, is_bad, error = open_comm(&all, comm), *messages = NULL;
    bool moves = false;

    *out = MPI_COMM_NULL;
    if (error != MPI_SUCCESS)
        return error;
    is_bad = !add_neighbours(&all, mine) ||
             (long)mine->indegree + mine->outdegree > INT_MAX / 4;
    longest = is_bad ? 0 : HEAD + 2 * (mine->indegree + mine->outdegree);
    if ((error = PMPI_Allreduce(MPI_IN_PLACE, &longest, 1, MPI_INT, MPI_MAX,
                                comm)) != MPI_SUCCESS)
        goto out;
    messages = calloc(2 * (size_t)longest + 1, sizeof(*messages));
    error = find_vertices(&all, &moves, comm, is_bad || !messages);
    if (!moves)
        goto out;
    pack(messages, mine);
    error = PMPI_Comm_split(comm, 0, all.vertex[all.rank], out);
    if (error == MPI_SUCCESS)
        error = hand_over(messages + longest, messages, longest, &all, *out);
    if (error == MPI_SUCCESS) {
        unpack(theirs, messages + longest);
        *memory = messages;
        messages = NULL;
    } else if (*out != MPI_COMM_NULL) {
        PMPI_Comm_free(out);
    }
out:
    free(messages);
    arena_clear(&all.arena);
    return error;
}
