/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hs_bisection.c - Hoefler and Snir's recursive bisection: network and task
 * graph cut in halves together */
#include "config.h"

#include "map/mapper.h"

#include "base/array.h"
#include "base/rng.h"
#include "graph/csr.h"
#include "map/papers/network_graph.h"
#include "map/partition/partition.h"
#include "map/rng_streams.h"

#include <string.h>

struct hs_cut {
    const struct map_problem *problem;
    struct pieces tasks, vertices;
    const uint32_t *host_at; /* of a vertex, or MAPCORE_NONE */
    uint32_t *slots;         /* of a vertex */
    uint32_t *host;          /* [ntasks], the caller's */
    struct rng rng;
    bool timed_out;
};

/* A piece of the network and the tasks on it. */
struct hs_piece {
    uint32_t vertex, nvertices; /* of vertices.task */
    uint32_t task, ntasks;
};

static uint32_t draw_seed(struct hs_cut *b)
{
    b->timed_out = map_deadline_passed(&b->problem->deadline);
    return (uint32_t)(rng_next(&b->rng) >> 33);
}

/* Halves the vertices by slots, both halves with some: by METIS, and where it
 * leaves one without, in their order. *first: slots on side 0. */
static int halve_network(struct hs_cut *b,
                         uint64_t *first,
                         uint32_t *count,
                         const struct hs_piece *piece,
                         uint64_t total)
{
    struct pieces *vertices = &b->vertices;
    const uint32_t *vertex = vertices->task + piece->vertex;
    uint32_t n = piece->nvertices;
    uint64_t links = pieces_bytes(vertices, piece->vertex, n);
    int error;

    memset(vertices->side, 0, n);
    if (links > 0 && ((error = pieces_cut(vertices, piece->vertex, n, 0, links,
                                          draw_seed(b))) < 0 ||
                      b->timed_out))
        return error;
    for (int attempt = 0; attempt < 2; attempt++) {
        uint64_t before = 0;

        *first = 0;
        for (uint32_t i = 0; i < n; i++)
            *first += vertices->side[i] == 0 ? b->slots[vertex[i]] : 0;
        if (*first > 0 && *first < total)
            break;
        /* A vertex is on side 0 when its middle is, the first one always. */
        for (uint32_t i = 0; i < n; before += b->slots[vertex[i++]])
            vertices->side[i] =
                before > 0 && 2 * before + b->slots[vertex[i]] >= total;
    }
    *count = pieces_sort(vertices, piece->vertex, n);
    return 0;
}
/* Cuts the tasks of a piece in the proportion of the slots, as partition_graph
 * does for two parts; *first: how many are on side 0. */
static int halve_tasks(struct hs_cut *b,
                       uint32_t *first,
                       const struct hs_piece *piece,
                       uint64_t slots,
                       uint64_t total)
{
    struct pieces *tasks = &b->tasks;
    uint32_t n = piece->ntasks;
    struct rng rng;
    int error = 0;

    *first = (uint32_t)(slots * n / total);
    rng_init(&rng, draw_seed(b), RNG_STREAM_PARTITION, 2);
    if (b->timed_out || *first == 0 || *first == n)
        return 0;
    error = pieces_cut(tasks, piece->task, n, *first,
                       pieces_bytes(tasks, piece->task, n),
                       (uint32_t)(rng_next(&rng) >> 33));
    if (error == 0)
        pieces_sort(tasks, piece->task, n);
    return error;
}

/* Depth: each half has fewer hosts, and unless METIS is far off about half the
 * slots. */
static int bisect(struct hs_cut *b, const struct hs_piece *piece)
{
    uint32_t last = 0, nhosts = 0, tasks, count;
    struct hs_piece half[2];
    uint64_t total = 0, first;
    int error;

    if (piece->ntasks == 0)
        return 0;
    for (uint32_t i = 0; i < piece->nvertices; i++) {
        uint32_t v = b->vertices.task[piece->vertex + i];

        total += b->slots[v];
        if (b->slots[v] > 0) {
            last = b->host_at[v];
            nhosts++;
        }
    }
    if (nhosts == 1) {
        for (uint32_t i = 0; i < piece->ntasks; i++)
            b->host[b->tasks.task[piece->task + i]] = last;
        return 0;
    }
    if ((error = halve_network(b, &first, &count, piece, total)) < 0 ||
        b->timed_out ||
        (error = halve_tasks(b, &tasks, piece, first, total)) < 0 ||
        b->timed_out)
        return error;
    half[0] = (struct hs_piece){piece->vertex, count, piece->task, tasks};
    half[1] = (struct hs_piece){piece->vertex + count, piece->nvertices - count,
                                piece->task + tasks, piece->ntasks - tasks};
    for (int i = 0; i < 2 && error == 0 && !b->timed_out; i++)
        error = bisect(b, &half[i]);
    return error;
}

static int run(const struct mapper_call *call)
{
    const struct map_problem *problem = call->problem;
    struct network_graph network = {0};
    struct hs_cut b = {.problem = problem, .host = call->host};
    uint32_t n;
    int error;

    if ((error = network_graph_create(&network, problem->alloc, call->arena)) <
        0)
        return error;
    n = network.graph->ntasks;
    b.host_at = network.host;
    b.slots = arena_alloc(call->arena, n, sizeof(*b.slots));
    for (uint32_t v = 0; b.slots && v < n; v++)
        if (network.host[v] != MAPCORE_NONE)
            b.slots[v] = mapcore_alloc_slots(problem->alloc, network.host[v]);
    if ((error = pieces_make(&b.tasks, problem->graph, NULL, false,
                             call->arena)) < 0 ||
        (error = pieces_make(&b.vertices, network.graph, b.slots, false,
                             call->arena)) < 0)
        goto out;
    rng_init(&b.rng, call->seed, RNG_STREAM_HS_RB, call->pass);
    error = bisect(&b, &(struct hs_piece){0, n, 0, problem->graph->ntasks});
    call->end->timed_out = b.timed_out;
    call->end->is_random = true;
out:
    mapcore_graph_destroy(network.graph);
    return error;
}

const struct mapper mapper_hs_rb = {
    .name = "hs-rb",
    .summary = "recursive bisection of tasks and network together by METIS",
    .source = "Hoefler, Snir, ICS 2011, recursive bisection",
    .run = run,
};
