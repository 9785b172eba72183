/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dist_graph.c - a distributed graph looked at from inside: each rank's
 * neighbours are those of its vertex, and the bytes between nodes.
 * usage: dist_graph HOW WEIGHTS NUMBERING [/ ...]
 *   HOW        adjacent or general (each rank tells of the vertex after its
 * own) WEIGHTS    none or bytes NUMBERING  world, reversed, or even: even ranks
 * alone The graph: of n vertices v and v + n/4 exchange 10 bytes, v and v + 1
 * one; vertex 0 and its next also have an edge of one direction. The first rank
 * prints `moved off BYTES` or `stayed off BYTES`, or what is wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 5 };

struct side {
    int n, peer[MOST], weight[MOST];
};

static void add(struct side *side, int peer, int weight)
{
    side->peer[side->n] = peer;
    side->weight[side->n++] = weight;
}

/* The edges that end at v, or those that begin there. */
static struct side side_of(int v, int n, int out)
{
    struct side side = {0};

    add(&side, (v + n / 4) % n, 10);
    add(&side, (v + n - n / 4) % n, 10);
    add(&side, (v + 1) % n, 1);
    add(&side, (v + n - 1) % n, 1);
    if (out ? v == 0 : v == 1 % n)
        add(&side, out ? 1 % n : 0, 7);
    return side;
}

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, 2 * sizeof(int));
}

/* By MPI_Dist_graph_create neighbours come in any order. */
static void sort(struct side *side)
{
    int pair[MOST][2];

    for (int i = 0; i < side->n; i++) {
        pair[i][0] = side->peer[i];
        pair[i][1] = side->weight[i];
    }
    qsort(pair, (size_t)side->n, sizeof(pair[0]), compare);
    for (int i = 0; i < side->n; i++) {
        side->peer[i] = pair[i][0];
        side->weight[i] = pair[i][1];
    }
}

static int is_same(struct side a, struct side b, int weighted)
{
    for (int i = 0; !weighted && i < MOST; i++)
        a.weight[i] = b.weight[i] = 0;
    sort(&a);
    sort(&b);
    return a.n == b.n &&
           memcmp(a.peer, b.peer, (size_t)a.n * sizeof(int)) == 0 &&
           memcmp(a.weight, b.weight, (size_t)a.n * sizeof(int)) == 0;
}

static MPI_Comm create(MPI_Comm comm,
                       int is_adjacent,
                       int weighted,
                       int r,
                       int n)
{
    MPI_Comm graph;
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "another", "key");
    if (is_adjacent) {
        struct side in = side_of(r, n, 0), out = side_of(r, n, 1);

        MPI_Dist_graph_create_adjacent(
            comm, in.n, in.peer, weighted ? in.weight : MPI_UNWEIGHTED, out.n,
            out.peer, weighted ? out.weight : MPI_UNWEIGHTED, info, 1, &graph);
    } else {
        int v = (r + 1) % n;
        struct side out = side_of(v, n, 1);
        int sources[2] = {v, v}, degrees[2] = {1, out.n - 1};

        MPI_Dist_graph_create(comm, 2, sources, degrees, out.peer,
                              weighted ? out.weight : MPI_UNWEIGHTED, info, 1,
                              &graph);
    }
    MPI_Info_free(&info);
    return graph;
}

static const char *create_wrong(MPI_Comm comm)
{
    MPI_Comm graph = MPI_COMM_NULL;
    int error, none = 0;

    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    error = MPI_Dist_graph_create_adjacent(comm, 0, &none, MPI_UNWEIGHTED, -1,
                                           &none, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                           1, &graph);
    return error == MPI_SUCCESS ? "taken" : "refused";
}

/* What is wrong with this rank's neighbours, or NULL. */
static const char *check(MPI_Comm graph, int v, int n, int weighted)
{
    struct side in = {0}, out = {0};
    int numbers[MOST], got, type;

    MPI_Topo_test(graph, &type);
    if (type != MPI_DIST_GRAPH)
        return "no graph";
    MPI_Dist_graph_neighbors_count(graph, &in.n, &out.n, &got);
    if (!got != !weighted || in.n > MOST || out.n > MOST)
        return "other weights, or too many neighbours";
    MPI_Dist_graph_neighbors(graph, in.n, in.peer,
                             weighted ? in.weight : MPI_UNWEIGHTED, out.n,
                             out.peer, weighted ? out.weight : MPI_UNWEIGHTED);
    if (!is_same(in, side_of(v, n, 0), weighted) ||
        !is_same(out, side_of(v, n, 1), weighted))
        return "other neighbours";
    MPI_Neighbor_allgather(&v, 1, MPI_INT, numbers, 1, MPI_INT, graph);
    if (memcmp(numbers, in.peer, (size_t)in.n * sizeof(int)) != 0)
        return "a neighbour's message came from another";
    return NULL;
}

/* Bytes from v to other nodes, or neighbours there; node: of each vertex. */
static int off_node(const int *node, int v, int n, int weighted)
{
    struct side out = side_of(v, n, 1);
    int bytes = 0;

    for (int i = 0; i < out.n; i++)
        bytes +=
            node[v] != node[out.peer[i]] ? weighted ? out.weight[i] : 1 : 0;
    return bytes;
}

/* The line is of the first rank alone, which may be any of the world's. */
static void look(char *said,
                 size_t size,
                 MPI_Comm comm,
                 int is_adjacent,
                 int weighted)
{
    const char *name = getenv("SLURMD_NODENAME"), *wrong;
    int r, v, n, mine, sums[3] = {0}, all[3], *node;
    char worst[80] = "", line[80] = "";
    MPI_Comm graph;

    MPI_Comm_rank(comm, &r);
    MPI_Comm_size(comm, &n);
    graph = create(comm, is_adjacent, weighted, r, n);
    MPI_Comm_rank(graph, &v);
    wrong = check(graph, v, n, weighted);
    if (wrong)
        snprintf(line, sizeof(line), "%s", wrong);
    MPI_Allreduce(line, worst, sizeof(line), MPI_CHAR, MPI_MAX, graph);
    node = malloc((size_t)n * sizeof(*node));
    mine = name ? atoi(name + strcspn(name, "0123456789")) : 0;
    MPI_Allgather(&mine, 1, MPI_INT, node, 1, MPI_INT, graph);
    sums[0] = v != r;
    sums[1] = off_node(node, v, n, weighted);
    MPI_Reduce(sums, all, 2, MPI_INT, MPI_SUM, 0, graph);
    if (v == 0 && worst[0] != '\0')
        snprintf(said, size, "%s", worst);
    else if (v == 0)
        snprintf(said, size, "%s off %d", all[0] > 0 ? "moved" : "stayed",
                 all[1]);
    free(node);
    MPI_Comm_free(&graph);
}

int main(int argc, char **argv)
{
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 1; i + 2 < argc; i += 4) {
        int even = strcmp(argv[i + 2], "even") == 0;
        char line[80] = "", all[80] = "";
        MPI_Comm comm;

        MPI_Comm_split(
            MPI_COMM_WORLD, even ? rank % 2 : 0,
            strcmp(argv[i + 2], "reversed") == 0 ? size - rank : rank, &comm);
        if (strcmp(argv[i], "wrong") == 0)
            snprintf(line, sizeof(line), "%s", create_wrong(comm));
        else if (!even || rank % 2 == 0)
            look(line, sizeof(line), comm, strcmp(argv[i], "adjacent") == 0,
                 strcmp(argv[i + 1], "bytes") == 0);
        MPI_Comm_free(&comm);
        MPI_Reduce(line, all, sizeof(line), MPI_BYTE, MPI_BOR, 0,
                   MPI_COMM_WORLD);
        if (rank == 0)
            puts(all);
    }
    MPI_Finalize();
    return 0;
}
