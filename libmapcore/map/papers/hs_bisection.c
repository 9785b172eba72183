/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hs_bisection.c - Hoefler and Snir's recursive bisection: network and task
 * graph cut in halves together */
#include "config.h"

#include "map/mappers.h"

#include "alloc/distances.h"
#include "base/array.h"
#include "base/rng.h"
#include "graph/csr.h"
#include "map/papers/network_graph.h"
#include "map/partition/partition.h"
#include "map/rng_streams.h"

#include <stdlib.h>
#include <string.h>

/* Vertices of a graph in some order; halves stand next to each other. */
struct set {
    const struct mapcore_graph *graph;
    uint32_t *list;  /* [n] */
    uint32_t *place; /* [n], where each stands */
    uint32_t *spare; /* [n] */
};

struct hs_cut {
    const struct map_problem *problem;
    struct mapcore_error *err;
    struct set tasks, vertices;
    uint32_t *host_at; /* of a vertex, or MAPCORE_NONE */
    uint32_t *host;    /* [ntasks], the caller's */
    uint8_t *side;     /* of the piece at hand */
    uint32_t *weight;  /* slots at its vertices */
    uint32_t *part;    /* sides of its tasks */
    struct rng rng;
    bool timed_out;
};

static int begin_set(struct set *set,
                     const struct mapcore_graph *graph,
                     struct mapcore_error *err)
{
    set->graph = graph;
    set->list = array_alloc(graph->ntasks, sizeof(*set->list), err);
    set->place = array_alloc(graph->ntasks, sizeof(*set->place), err);
    set->spare = array_alloc(graph->ntasks, sizeof(*set->spare), err);
    if (!set->list || !set->place || !set->spare)
        return MAPCORE_ENOMEM;
    for (uint32_t i = 0; i < graph->ntasks; i++)
        set->list[i] = set->place[i] = i;
    return 0;
}

static void end_set(struct set *set)
{
    free(set->list);
    free(set->place);
    free(set->spare);
}

/* The edges inside list[begin .. begin + n - 1], vertex i being the i-th of
 * them. */
static int induce(struct mapcore_graph **out,
                  const struct set *set,
                  uint32_t begin,
                  uint32_t n,
                  struct mapcore_error *err)
{
    const struct mapcore_graph *graph = set->graph;
    struct mapcore_edge *edge;
    size_t nedges = 0, capacity = 0;
    int error;

    for (uint32_t i = begin; i < begin + n; i++)
        capacity += graph->row[set->list[i] + 1] - graph->row[set->list[i]];
    edge = array_alloc(capacity, sizeof(*edge), err);
    if (!edge)
        return MAPCORE_ENOMEM;
    for (uint32_t i = begin; i < begin + n; i++) {
        uint32_t v = set->list[i];

        for (size_t k = graph->row[v]; k < graph->row[v + 1]; k++) {
            uint32_t at = set->place[graph->task[k]];

            if (at > i && at - begin < n)
                edge[nedges++] = (struct mapcore_edge){i - begin, at - begin,
                                                       graph->bytes[k]};
        }
    }
    error = mapcore_graph_create(out, n, edge, nedges, err);
    free(edge);
    return error;
}

/* Puts side 0 of a piece in front of side 1, both in the order they had. */
static void sort_sides(struct set *set,
                       uint32_t begin,
                       uint32_t n,
                       const uint8_t *side)
{
    uint32_t next[2] = {begin, begin};

    for (uint32_t i = 0; i < n; i++)
        next[1] += side[i] == 0;
    memcpy(set->spare, set->list + begin, n * sizeof(*set->spare));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = next[side[i]]++;

        set->list[at] = set->spare[i];
        set->place[set->spare[i]] = at;
    }
}

static uint32_t draw_seed(struct hs_cut *b)
{
    return (uint32_t)(rng_next(&b->rng) >> 33);
}

/* A piece of the network and the tasks on it. */
struct hs_piece {
    uint32_t vertex, nvertices; /* of list */
    uint32_t task, ntasks;
};

/* Halves the vertices of a piece that have slots where they stand. */
static void halve_in_order(struct hs_cut *b, uint32_t n, uint64_t total)
{
    uint64_t before = 0;

    for (uint32_t i = 0; i < n; i++) {
        /* A vertex is on side 0 when its middle is, the first one always. */
        b->side[i] = before > 0 && 2 * before + b->weight[i] >= total;
        before += b->weight[i];
    }
}

/* Halves the vertices by slots, both halves with some: by METIS, and where it
 * leaves one without, in their order. *first: slots on side 0. */
static int halve_network(struct hs_cut *b,
                         uint64_t *first,
                         const struct hs_piece *piece,
                         uint64_t total)
{
    struct mapcore_graph *graph = NULL;
    uint32_t n = piece->nvertices;
    int error = induce(&graph, &b->vertices, piece->vertex, n, b->err);

    if (error < 0)
        return error;
    memset(b->side, 0, n);
    if (graph->total > 0)
        error = partition_halve(
            b->side, &b->timed_out,
            &(struct partition_problem){.graph = graph,
                                        .load = b->weight,
                                        .seed = draw_seed(b),
                                        .deadline = &b->problem->deadline},
            b->err);
    mapcore_graph_destroy(graph);
    if (error < 0 || b->timed_out)
        return error;
    for (int attempt = 0; attempt < 2; attempt++) {
        *first = 0;
        for (uint32_t i = 0; i < n; i++)
            *first += b->side[i] == 0 ? b->weight[i] : 0;
        if (*first > 0 && *first < total)
            break;
        halve_in_order(b, n, total);
    }
    sort_sides(&b->vertices, piece->vertex, n, b->side);
    return 0;
}

/* Cuts the tasks of a piece in the proportion of the slots; *first: how many
 * are on side 0. */
static int halve_tasks(struct hs_cut *b,
                       uint32_t *first,
                       const struct hs_piece *piece,
                       const uint32_t *slots)
{
    struct mapcore_graph *graph = NULL;
    uint32_t n = piece->ntasks;
    int error = induce(&graph, &b->tasks, piece->task, n, b->err);

    if (error < 0)
        return error;
    error = partition_graph(b->part, &b->timed_out,
                            &(struct partition_problem){graph, 2, slots, NULL,
                                                        draw_seed(b),
                                                        &b->problem->deadline},
                            b->err);
    mapcore_graph_destroy(graph);
    if (error < 0 || b->timed_out)
        return error;
    *first = 0;
    for (uint32_t i = 0; i < n; i++) {
        b->side[i] = (uint8_t)b->part[i];
        *first += b->part[i] == 0;
    }
    sort_sides(&b->tasks, piece->task, n, b->side);
    return 0;
}

/* Reads off the slots of a piece's vertices; *last: a host of it. */
static uint64_t weigh(struct hs_cut *b,
                      uint32_t *last,
                      uint32_t *nhosts,
                      const struct hs_piece *piece)
{
    const struct mapcore_alloc *alloc = b->problem->alloc;
    uint64_t total = 0;

    *nhosts = 0;
    for (uint32_t i = 0; i < piece->nvertices; i++) {
        uint32_t h = b->host_at[b->vertices.list[piece->vertex + i]];

        b->weight[i] = h == MAPCORE_NONE ? 0 : mapcore_alloc_slots(alloc, h);
        total += b->weight[i];
        if (b->weight[i] > 0) {
            *last = h;
            ++*nhosts;
        }
    }
    return total;
}

/* Depth: each half has fewer hosts, and unless METIS is far off about half the
 * slots. */
static int bisect(struct hs_cut *b, const struct hs_piece *piece)
{
    uint32_t last = 0, nhosts, tasks, slots[2], count = 0;
    struct hs_piece half[2];
    uint64_t total, first;
    int error = 0;

    if (piece->ntasks == 0)
        return 0;
    total = weigh(b, &last, &nhosts, piece);
    if (nhosts == 1) {
        for (uint32_t i = 0; i < piece->ntasks; i++)
            b->host[b->tasks.list[piece->task + i]] = last;
        return 0;
    }
    if ((error = halve_network(b, &first, piece, total)) < 0 || b->timed_out)
        return error;
    /* b->side is used again for the tasks. */
    for (uint32_t i = 0; i < piece->nvertices; i++)
        count += b->side[i] == 0;
    slots[0] = (uint32_t)first;
    slots[1] = (uint32_t)(total - first);
    if ((error = halve_tasks(b, &tasks, piece, slots)) < 0 || b->timed_out)
        return error;
    half[0] = (struct hs_piece){piece->vertex, count, piece->task, tasks};
    half[1] = (struct hs_piece){piece->vertex + count, piece->nvertices - count,
                                piece->task + tasks, piece->ntasks - tasks};
    for (int i = 0; i < 2 && error == 0 && !b->timed_out; i++)
        error = bisect(b, &half[i]);
    return error;
}

static int begin(struct hs_cut *b, const struct network_graph *network)
{
    uint32_t nvertices = network->graph->ntasks;
    uint32_t ntasks = b->problem->graph->ntasks;
    uint32_t more = nvertices > ntasks ? nvertices : ntasks;

    b->host_at = array_alloc(nvertices, sizeof(*b->host_at), b->err);
    b->side = array_alloc(more, sizeof(*b->side), b->err);
    b->weight = array_alloc(nvertices, sizeof(*b->weight), b->err);
    b->part = array_alloc(ntasks, sizeof(*b->part), b->err);
    if (!b->host_at || !b->side || !b->weight || !b->part ||
        begin_set(&b->tasks, b->problem->graph, b->err) < 0 ||
        begin_set(&b->vertices, network->graph, b->err) < 0)
        return MAPCORE_ENOMEM;
    for (uint32_t v = 0; v < nvertices; v++)
        b->host_at[v] = MAPCORE_NONE;
    for (uint32_t h = 0; h < mapcore_alloc_nhosts(b->problem->alloc); h++)
        b->host_at[network->vertex[h]] = h;
    return 0;
}

static int run(uint32_t *host,
               struct mapper_end *end,
               const struct map_problem *problem,
               const struct mapper_call *call,
               struct mapcore_error *err)
{
    struct hs_cut b = {.problem = problem, .err = err, .host = host};
    struct network_graph network = {0};
    int error = network_graph_create(&network, problem->alloc,
                                     alloc_distances(problem->alloc), err);

    if (error < 0 || (error = begin(&b, &network)) < 0)
        goto out;
    rng_init(&b.rng, call->seed, RNG_STREAM_HS_RB, call->pass);
    error = bisect(&b, &(struct hs_piece){0, network.graph->ntasks, 0,
                                          problem->graph->ntasks});
    end->timed_out = b.timed_out;
    end->is_random = true;
out:
    end_set(&b.tasks);
    end_set(&b.vertices);
    free(b.host_at);
    free(b.side);
    free(b.weight);
    free(b.part);
    network_graph_clear(&network);
    return error;
}

const struct mapper mapper_hs_rb = {
    .name = "hs-rb",
    .summary = "recursive bisection of tasks and network together by METIS",
    .source = "Hoefler, Snir, ICS 2011, recursive bisection",
    .run = run,
};
