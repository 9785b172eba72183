/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* host_groups.c - the tasks cut into one group a host */
#include "config.h"

#include "map/partition/partition.h"

#include "alloc/distances.h"
#include "base/array.h"
#include "base/rng.h"
#include "graph/csr.h"
#include "map/rng_streams.h"

#include <stdlib.h>

static int take_places(struct host_groups *groups,
                       uint32_t **size,
                       const struct mapcore_alloc *alloc,
                       const char *mapper,
                       uint32_t limit,
                       struct arena *arena)
{
    uint32_t nhosts = mapcore_alloc_nhosts(alloc);

    groups->host = arena_alloc(arena, nhosts, sizeof(*groups->host));
    *size = arena_alloc(arena, nhosts, sizeof(**size));
    for (uint32_t i = 0; !arena->error && i < nhosts; i++)
        if (mapcore_alloc_slots(alloc, i) > 0) {
            (*size)[groups->n] = mapcore_alloc_slots(alloc, i);
            groups->host[groups->n++] = i;
        }
    if (groups->n > limit)
        return error_set(arena->err, MAPCORE_EINVAL,
                         "%s: %u nodes are too many: it takes at most %u",
                         mapper, groups->n, limit);
    return arena->error;
}

/* Classes in the order of their sizes. */
static int classify(struct host_groups *groups,
                    const uint32_t *size,
                    struct arena *arena)
{
    uint32_t n = groups->n;
    uint64_t *key = arena_alloc(arena, n, sizeof(*key));

    groups->first = arena_alloc(arena, (size_t)n + 1, sizeof(*groups->first));
    groups->member = arena_alloc(arena, n, sizeof(*groups->member));
    groups->size_class = arena_alloc(arena, n, sizeof(*groups->size_class));
    groups->rank = arena_alloc(arena, n, sizeof(*groups->rank));
    if (arena->error)
        return MAPCORE_ENOMEM;
    for (uint32_t i = 0; i < n; i++)
        key[i] = (uint64_t)size[i] << 32 | i;
    array_sort_u64(key, n);
    for (uint32_t i = 0; i < n; i++) {
        groups->member[i] = (uint32_t)key[i];
        if (i > 0 && key[i] >> 32 != key[i - 1] >> 32)
            groups->first[++groups->nclasses] = i;
        groups->size_class[groups->member[i]] = groups->nclasses;
        groups->rank[groups->member[i]] = i - groups->first[groups->nclasses];
    }
    groups->first[++groups->nclasses] = n;
    return 0;
}

/* The graph of the groups: every edge between two of them, added up. */
static int join(struct host_groups *groups,
                const struct mapcore_graph *graph,
                struct mapcore_error *err)
{
    struct mapcore_edge *edge =
        array_alloc(graph->row[graph->ntasks] / 2, sizeof(*edge), err);
    size_t n = 0;
    int error = MAPCORE_ENOMEM;

    for (uint32_t t = 0; edge && t < graph->ntasks; t++)
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++)
            if (graph->task[k] > t &&
                groups->group[t] != groups->group[graph->task[k]])
                edge[n++] = (struct mapcore_edge){groups->group[t],
                                                  groups->group[graph->task[k]],
                                                  graph->bytes[k]};
    if (edge)
        error = mapcore_graph_create(&groups->graph, groups->n, edge, n, err);
    free(edge);
    return error;
}

static int measure(struct host_groups *groups,
                   const struct map_problem *problem,
                   struct arena *arena)
{
    uint32_t nhosts = mapcore_alloc_nhosts(problem->alloc), n = groups->n;
    uint16_t *scratch = arena_alloc(arena, nhosts, sizeof(*scratch));

    groups->distance =
        arena_alloc(arena, (size_t)n * n, sizeof(*groups->distance));
    for (uint32_t i = 0; !arena->error && i < n; i++) {
        const uint16_t *row = distances_row(alloc_distances(problem->alloc),
                                            groups->host[i], scratch);

        for (uint32_t k = 0; k < n; k++)
            groups->distance[(size_t)i * n + k] = row[groups->host[k]];
    }
    return arena->error;
}

int host_groups_create(struct host_groups *out,
                       const struct mapper_call *call,
                       const char *mapper,
                       uint32_t limit)
{
    const struct map_problem *problem = call->problem;
    const struct mapcore_graph *graph = problem->graph;
    bool *timed_out = &call->end->timed_out;
    struct partition_problem cut;
    struct arena *arena = call->arena;
    uint32_t *size;
    struct rng rng;
    int error;

    *out = (struct host_groups){0};
    rng_init(&rng, call->seed, RNG_STREAM_GROUPS, call->pass);
    out->group = arena_alloc(arena, graph->ntasks, sizeof(*out->group));
    error = take_places(out, &size, problem->alloc, mapper, limit, arena);
    if (error < 0)
        return error;
    cut = (struct partition_problem){.graph = graph,
                                     .nparts = out->n,
                                     .size = size,
                                     .load = graph->load,
                                     .seed = (uint32_t)(rng_next(&rng) >> 33),
                                     .deadline = &problem->deadline};
    error = partition_graph(out->group, timed_out, &cut, arena->err);
    if (error < 0 || *timed_out || (error = classify(out, size, arena)) < 0 ||
        (error = measure(out, problem, arena)) < 0)
        return error;
    return join(out, graph, arena->err);
}

void host_groups_clear(struct host_groups *groups)
{
    mapcore_graph_destroy(groups->graph);
}

void host_groups_place(uint32_t *host,
                       const struct host_groups *groups,
                       uint32_t ntasks,
                       const uint32_t *place)
{
    for (uint32_t t = 0; t < ntasks; t++)
        host[t] = groups->host[place[groups->group[t]]];
}
