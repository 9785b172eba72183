/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* list.c - list mappings: the tasks in some order along the hosts in another */
#include "config.h"

#include "map/mapper.h"

#include "base/array.h"
#include "base/rng.h"
#include "cart/curve.h"
#include "graph/csr.h"
#include "map/greedy/order.h"
#include "map/partition/partition.h"
#include "map/rng_streams.h"
#include "topo/shape.h"

/* Where each cell of the torus stands on the curve. */
static const uint32_t *rank_cells(const struct topo_shape *shape,
                                  enum curve_kind kind,
                                  struct arena *arena)
{
    size_t ncells =
        (size_t)shape->stride[shape->ndims - 1] * shape->dims[shape->ndims - 1];
    uint32_t *cell = arena_alloc(arena, ncells, sizeof(*cell));
    uint32_t *place = arena_alloc(arena, ncells, sizeof(*place));

    if (!place)
        return NULL;
    curve_cells(cell, shape->ndims, shape->dims, kind);
    for (size_t i = 0; i < ncells; i++)
        place[cell[i]] = (uint32_t)i;
    return place;
}

/* The hosts along the curve, those of one router as the allocation has them;
 * without coordinates all are as the allocation has them. */
static int order_hosts(uint32_t **list,
                       const struct mapcore_alloc *alloc,
                       enum curve_kind kind,
                       struct arena *arena)
{
    uint32_t nhosts = mapcore_alloc_nhosts(alloc);
    uint64_t *key = arena_alloc(arena, nhosts, sizeof(*key));
    const uint32_t *place = NULL;
    struct topo_shape shape;

    *list = arena_alloc(arena, nhosts, sizeof(**list));
    topo_shape(&shape, mapcore_alloc_topo(alloc));
    if (shape.kind == TOPO_TORUS)
        place = rank_cells(&shape, kind, arena);
    if (arena->error)
        return MAPCORE_ENOMEM;
    for (uint32_t i = 0; i < nhosts; i++) {
        uint32_t cell = 0;

        for (uint32_t k = 0; place && k < shape.ndims; k++)
            cell += map_coordinate(alloc, &shape, i, k) * shape.stride[k];
        key[i] = (uint64_t)(place ? place[cell] : 0) << 32 | i;
    }
    array_sort_u64(key, nhosts);
    for (uint32_t i = 0; i < nhosts; i++)
        (*list)[i] = (uint32_t)key[i];
    return 0;
}

/* GPART: a part for each host, cut in the order of the curve, so that parts
 * that belong together lie along it. */
static int place_parts(const struct mapper_call *call, const uint32_t *along)
{
    const struct map_problem *problem = call->problem;
    uint32_t *host = call->host;
    uint32_t nhosts = mapcore_alloc_nhosts(problem->alloc);
    uint32_t *size = arena_alloc(call->arena, nhosts, sizeof(*size));
    uint32_t *home = arena_alloc(call->arena, nhosts, sizeof(*home));
    struct partition_problem parts = {
        .graph = problem->graph, .size = size, .deadline = &problem->deadline};
    struct rng rng;
    int error = call->arena->error;

    if (error < 0)
        return error;
    for (uint32_t i = 0; i < nhosts; i++)
        if (mapcore_alloc_slots(problem->alloc, along[i]) > 0) {
            home[parts.nparts] = along[i];
            size[parts.nparts++] =
                mapcore_alloc_slots(problem->alloc, along[i]);
        }
    rng_init(&rng, call->seed, RNG_STREAM_LIST, call->pass);
    parts.seed = (uint32_t)(rng_next(&rng) >> 32);
    error =
        partition_graph(host, &call->end->timed_out, &parts, call->arena->err);
    for (uint32_t t = 0;
         error == 0 && !call->end->timed_out && t < problem->graph->ntasks; t++)
        host[t] = home[host[t]];
    return error;
}

/* Task i of the list to slot i of the hosts. */
static int place_list(const struct mapper_call *call, const uint32_t *along)
{
    const struct map_problem *problem = call->problem;
    uint32_t ntasks = problem->graph->ntasks;
    uint32_t *task = arena_alloc(call->arena, ntasks, sizeof(*task));
    const struct order_key key = {(enum order_kind)call->value[0], NULL,
                                  call->seed, call->pass};
    int error = task ? order_make(task, &call->end->timed_out, problem, &key,
                                  call->arena->err)
                     : MAPCORE_ENOMEM;

    if (error < 0 || call->end->timed_out)
        return error;
    for (uint32_t i = 0, t = 0; t < ntasks; i++)
        for (uint32_t n = mapcore_alloc_slots(problem->alloc, along[i]);
             n > 0 && t < ntasks; n--)
            call->host[task[t++]] = along[i];
    return 0;
}

static int run(const struct mapper_call *call)
{
    uint32_t *along;
    int error = order_hosts(&along, call->problem->alloc,
                            (enum curve_kind)call->value[1], call->arena);

    call->end->is_random = call->value[0] != ORDER_OO;
    if (error < 0)
        return error;
    return (call->value[0] == ORDER_GPART ? place_parts : place_list)(call,
                                                                      along);
}

const struct mapper mapper_list_curve = {
    .name = "list",
    .summary = "the tasks in an order along the nodes in another; "
               ":order=OO|BFS|BFS-DFS|GPART,curve=planar|hilbert|snake",
    .source = "Galvez, Jain, Kale, ICS 2017, sections 4.5 and 5.1",
    /* As enum order_kind and enum curve_kind have them. */
    .parameters = "order=OO|BFS|BFS-DFS|GPART,curve=planar|hilbert|snake",
    .run = run,
};
