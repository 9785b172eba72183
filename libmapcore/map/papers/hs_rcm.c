/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hs_rcm.c - Hoefler and Snir's graph similarity: both graphs in the order of
 * reverse Cuthill and McKee, one laid along the other */
#include "config.h"

#include "map/mapper.h"

#include "base/array.h"
#include "graph/csr.h"
#include "map/papers/network_graph.h"

struct rcm {
    const struct mapcore_graph *graph;
    uint32_t *list;  /* [n], its first entries are what is ordered */
    bool *listed;    /* [n] */
    uint32_t *probe; /* [n], a walk that is thrown away */
    uint32_t *seen;  /* [n], number of the last such walk */
    uint32_t walk;
    uint64_t *key; /* [n], neighbours to be sorted */
};

static uint32_t degree(const struct mapcore_graph *graph, uint32_t v)
{
    return (uint32_t)(graph->row[v + 1] - graph->row[v]);
}

/* Walks breadth first from v: how many levels, and in *last the vertex of
 * least degree (ties: the first) of the last one. */
static uint32_t depth(struct rcm *rcm, uint32_t v, uint32_t *last)
{
    const struct mapcore_graph *graph = rcm->graph;
    uint32_t n = 0, begin = 0, levels = 0;

    rcm->seen[v] = ++rcm->walk;
    rcm->probe[n++] = v;
    while (begin < n) {
        uint32_t end = n;

        *last = rcm->probe[begin];
        for (uint32_t i = begin; i < end; i++) {
            uint32_t u = rcm->probe[i];

            if (degree(graph, u) < degree(graph, *last))
                *last = u;
            for (size_t k = graph->row[u]; k < graph->row[u + 1]; k++)
                if (rcm->seen[graph->task[k]] != rcm->walk) {
                    rcm->seen[graph->task[k]] = rcm->walk;
                    rcm->probe[n++] = graph->task[k];
                }
        }
        begin = end;
        levels++;
    }
    return levels;
}

/* An end of the component of v: George and Liu's pseudo-peripheral vertex. */
static uint32_t find_end(struct rcm *rcm, uint32_t v)
{
    uint32_t other, levels = depth(rcm, v, &other);

    for (;;) {
        uint32_t next, further = depth(rcm, other, &next);

        if (further <= levels)
            return v;
        v = other;
        levels = further;
        other = next;
    }
}

/* Appends the unlisted neighbours of v by degree, ties by number. */
static uint32_t append(struct rcm *rcm, uint32_t n, uint32_t v)
{
    const struct mapcore_graph *graph = rcm->graph;
    uint32_t count = 0;

    for (size_t k = graph->row[v]; k < graph->row[v + 1]; k++) {
        uint32_t u = graph->task[k];

        if (rcm->listed[u])
            continue;
        rcm->listed[u] = true;
        rcm->key[count++] = (uint64_t)degree(graph, u) << 32 | u;
    }
    array_sort_u64(rcm->key, count);
    for (uint32_t i = 0; i < count; i++)
        rcm->list[n++] = (uint32_t)rcm->key[i];
    return n;
}

static void order(struct rcm *rcm)
{
    uint32_t n = rcm->graph->ntasks, count = 0, lowest = 0;

    for (uint32_t head = 0; head < n; head++) {
        if (head == count) {
            uint32_t start;

            while (rcm->listed[lowest])
                lowest++;
            start = find_end(rcm, lowest);
            rcm->listed[start] = true;
            rcm->list[count++] = start;
        }
        count = append(rcm, count, rcm->list[head]);
    }
    for (uint32_t i = 0; i < n / 2; i++) {
        uint32_t swapped = rcm->list[i];

        rcm->list[i] = rcm->list[n - 1 - i];
        rcm->list[n - 1 - i] = swapped;
    }
}

/* [vertices], the arena's, or NULL without memory. O(E log d) and a few walks.
 */
static uint32_t *make_order(const struct mapcore_graph *graph,
                            struct arena *arena)
{
    uint32_t n = graph->ntasks;
    struct rcm rcm = {
        .graph = graph,
        .list = arena_alloc(arena, n, sizeof(*rcm.list)),
        .listed = arena_alloc(arena, n, sizeof(*rcm.listed)),
        .probe = arena_alloc(arena, n, sizeof(*rcm.probe)),
        .seen = arena_alloc(arena, n, sizeof(*rcm.seen)),
        .key = arena_alloc(arena, n, sizeof(*rcm.key)),
    };

    if (arena->error)
        return NULL;
    order(&rcm);
    return rcm.list;
}

/* Lays the tasks along the hosts that stand in the order of the network. */
static void lay(uint32_t *host,
                const struct map_problem *problem,
                const uint32_t *tasks,
                const uint32_t *vertices,
                const uint32_t *host_at)
{
    uint32_t n = problem->graph->ntasks, t = 0;

    for (uint32_t i = 0; t < n; i++) {
        uint32_t h = host_at[vertices[i]], vacant;

        if (h == MAPCORE_NONE)
            continue;
        for (vacant = mapcore_alloc_slots(problem->alloc, h);
             vacant > 0 && t < n; vacant--)
            host[tasks[t++]] = h;
    }
}

static int run(const struct mapper_call *call)
{
    const struct map_problem *problem = call->problem;
    struct network_graph network = {0};
    uint32_t *tasks = make_order(problem->graph, call->arena);
    uint32_t *vertices = NULL;
    int error;

    call->end->timed_out = map_deadline_passed(&problem->deadline);
    if (!tasks || call->end->timed_out)
        return call->arena->error;
    error = network_graph_create(&network, problem->alloc, call->arena);
    if (error == 0) {
        vertices = make_order(network.graph, call->arena);
        error = call->arena->error;
    }
    if (error == 0)
        lay(call->host, problem, tasks, vertices, network.host);
    mapcore_graph_destroy(network.graph);
    return error;
}

const struct mapper mapper_hs_rcm = {
    .name = "hs-rcm",
    .summary = "graph similarity: tasks and network both in the order of "
               "reverse Cuthill and McKee",
    .source = "Hoefler, Snir, ICS 2011, graph similarity; Cuthill, McKee, 1969",
    .run = run,
};
