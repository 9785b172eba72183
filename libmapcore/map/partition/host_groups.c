/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* host_groups.c - the tasks cut into one group a host */
#include "config.h"

#include "map/partition/host_groups.h"

#include "alloc/distances.h"
#include "base/array.h"
#include "base/rng.h"
#include "graph/csr.h"
#include "map/partition/partition.h"
#include "map/rng_streams.h"

#include <stdlib.h>
#include <string.h>

static int take_places(struct host_groups *groups,
                       uint32_t **size,
                       const struct mapcore_alloc *alloc,
                       const struct host_groups_how *how,
                       struct mapcore_error *err)
{
    uint32_t nhosts = mapcore_alloc_nhosts(alloc), n = 0;

    for (uint32_t i = 0; i < nhosts; i++)
        n += mapcore_alloc_slots(alloc, i) > 0;
    if (n > how->limit)
        return error_set(err, MAPCORE_EINVAL,
                         "%s: %u nodes are too many: it takes at most %u",
                         how->mapper, n, how->limit);
    groups->host = array_alloc(n, sizeof(*groups->host), err);
    *size = array_alloc(n, sizeof(**size), err);
    if (!groups->host || !*size)
        return MAPCORE_ENOMEM;
    for (uint32_t i = 0; i < nhosts; i++)
        if (mapcore_alloc_slots(alloc, i) > 0) {
            (*size)[groups->n] = mapcore_alloc_slots(alloc, i);
            groups->host[groups->n++] = i;
        }
    return 0;
}

/* Classes in the order of their sizes. */
static int classify(struct host_groups *groups,
                    const uint32_t *size,
                    struct mapcore_error *err)
{
    uint32_t n = groups->n;
    uint64_t *key = array_alloc(n, sizeof(*key), err);

    groups->first = array_alloc((size_t)n + 1, sizeof(*groups->first), err);
    groups->member = array_alloc(n, sizeof(*groups->member), err);
    groups->size_class = array_alloc(n, sizeof(*groups->size_class), err);
    groups->rank = array_alloc(n, sizeof(*groups->rank), err);
    if (!key || !groups->first || !groups->member || !groups->size_class ||
        !groups->rank) {
        free(key);
        return MAPCORE_ENOMEM;
    }
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
    free(key);
    return 0;
}

/* The graph of the groups: every edge between two of them, added up. */
static int join(struct host_groups *groups,
                const struct mapcore_graph *graph,
                struct mapcore_error *err)
{
    struct mapcore_edge *edge;
    size_t n = 0;
    int error;

    for (uint32_t t = 0; t < graph->ntasks; t++)
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++)
            n += graph->task[k] > t &&
                 groups->group[t] != groups->group[graph->task[k]];
    edge = array_alloc(n, sizeof(*edge), err);
    if (!edge)
        return MAPCORE_ENOMEM;
    n = 0;
    for (uint32_t t = 0; t < graph->ntasks; t++)
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++)
            if (graph->task[k] > t &&
                groups->group[t] != groups->group[graph->task[k]])
                edge[n++] = (struct mapcore_edge){groups->group[t],
                                                  groups->group[graph->task[k]],
                                                  graph->bytes[k]};
    error = mapcore_graph_create(&groups->graph, groups->n, edge, n, err);
    free(edge);
    return error;
}

static int measure(struct host_groups *groups,
                   const struct map_problem *problem,
                   struct mapcore_error *err)
{
    uint32_t nhosts = mapcore_alloc_nhosts(problem->alloc), n = groups->n;
    uint16_t *scratch = array_alloc(nhosts, sizeof(*scratch), err);

    groups->distance =
        array_alloc((size_t)n * n, sizeof(*groups->distance), err);
    for (uint32_t i = 0; scratch && groups->distance && i < n; i++) {
        const uint16_t *row = distances_row(alloc_distances(problem->alloc),
                                            groups->host[i], scratch);

        for (uint32_t k = 0; k < n; k++)
            groups->distance[(size_t)i * n + k] = row[groups->host[k]];
    }
    free(scratch);
    return scratch && groups->distance ? 0 : MAPCORE_ENOMEM;
}

int host_groups_create(struct host_groups *out,
                       bool *timed_out,
                       const struct map_problem *problem,
                       const struct mapper_call *call,
                       const struct host_groups_how *how,
                       struct mapcore_error *err)
{
    const struct mapcore_graph *graph = problem->graph;
    struct host_groups groups = {0};
    struct partition_problem cut;
    uint32_t *size = NULL;
    struct rng rng;
    int error;

    *timed_out = false;
    rng_init(&rng, call->seed, RNG_STREAM_GROUPS, call->pass);
    error = take_places(&groups, &size, problem->alloc, how, err);
    if (error < 0)
        goto out;
    groups.group = array_alloc(graph->ntasks, sizeof(*groups.group), err);
    cut = (struct partition_problem){.graph = graph,
                                     .nparts = groups.n,
                                     .size = size,
                                     .load = graph->load,
                                     .seed = (uint32_t)(rng_next(&rng) >> 33),
                                     .deadline = &problem->deadline};
    error = groups.group ? (how->kway ? partition_kway : partition_graph)(
                               groups.group, timed_out, &cut, err)
                         : MAPCORE_ENOMEM;
    if (error < 0 || *timed_out || (error = classify(&groups, size, err)) < 0 ||
        (error = join(&groups, graph, err)) < 0 ||
        (error = measure(&groups, problem, err)) < 0)
        goto out;
    *out = groups;
    groups = (struct host_groups){0};
out:
    free(size);
    host_groups_clear(&groups);
    return error;
}

void host_groups_clear(struct host_groups *groups)
{
    free(groups->host);
    free(groups->group);
    mapcore_graph_destroy(groups->graph);
    free(groups->distance);
    free(groups->first);
    free(groups->member);
    free(groups->size_class);
    free(groups->rank);
    *groups = (struct host_groups){0};
}

void host_groups_place(uint32_t *host,
                       const struct host_groups *groups,
                       uint32_t ntasks,
                       const uint32_t *place)
{
    for (uint32_t t = 0; t < ntasks; t++)
        host[t] = groups->host[place[groups->group[t]]];
}
