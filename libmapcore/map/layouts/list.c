/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* list.c - list mappings: the tasks in some order along the hosts in another */
#include "config.h"

#include "map/mappers.h"

#include "base/array.h"
#include "base/rng.h"
#include "cart/curve.h"
#include "graph/csr.h"
#include "map/greedy/order_cache.h"
#include "map/partition/partition.h"
#include "map/rng_streams.h"
#include "topo/shape.h"

#include <stdlib.h>

/* As enum order_kind and enum curve_kind have them. */
static const char *const orders[] = {"OO", "BFS", "BFS-DFS", "GPART", NULL};
static const char *const curves[] = {"planar", "hilbert", "snake", NULL};
static const struct mapper_parameter parameters[] = {
    {"order", orders, MAPPER_WORD},
    {"curve", curves, MAPPER_WORD},
    {NULL, NULL, MAPPER_WORD}};

/* place[cell]: where a cell of the torus stands on the curve. */
static int rank_cells(uint32_t **place,
                      const struct topo_shape *shape,
                      enum curve_kind kind,
                      struct mapcore_error *err)
{
    size_t ncells =
        (size_t)shape->stride[shape->ndims - 1] * shape->dims[shape->ndims - 1];
    uint32_t *cell = array_alloc(ncells, sizeof(*cell), err);

    *place = array_alloc(ncells, sizeof(**place), err);
    if (cell && *place) {
        curve_cells(cell, shape->ndims, shape->dims, kind);
        for (size_t i = 0; i < ncells; i++)
            (*place)[cell[i]] = (uint32_t)i;
    }
    free(cell);
    return cell && *place ? 0 : MAPCORE_ENOMEM;
}

/* The hosts along the curve, those of one router as the allocation has them;
 * without coordinates all are as the allocation has them. */
static int order_hosts(uint32_t *list,
                       const struct mapcore_alloc *alloc,
                       enum curve_kind kind,
                       struct mapcore_error *err)
{
    uint32_t nhosts = mapcore_alloc_nhosts(alloc), *place = NULL;
    uint64_t *key = array_alloc(nhosts, sizeof(*key), err);
    struct topo_shape shape;
    int error = key ? 0 : MAPCORE_ENOMEM;

    topo_shape(&shape, mapcore_alloc_topo(alloc));
    if (error == 0 && shape.kind == TOPO_TORUS)
        error = rank_cells(&place, &shape, kind, err);
    if (error < 0)
        goto out;
    for (uint32_t i = 0; i < nhosts; i++) {
        const uint32_t *x = NULL;
        uint32_t cell = 0;

        if (place)
            x = shape.coordinates +
                (size_t)mapcore_alloc_host(alloc, i) * shape.ndims;
        for (uint32_t k = 0; x && k < shape.ndims; k++)
            cell += x[k] * shape.stride[k];
        key[i] = (uint64_t)(place ? place[cell] : 0) << 32 | i;
    }
    array_sort_u64(key, nhosts);
    for (uint32_t i = 0; i < nhosts; i++)
        list[i] = (uint32_t)key[i];
out:
    free(key);
    free(place);
    return error;
}

/* GPART: a part for each host, cut in the order of the curve, so that parts
 * that belong together lie along it. */
static int place_parts(uint32_t *host,
                       bool *timed_out,
                       const struct map_problem *problem,
                       const uint32_t *along,
                       uint32_t seed,
                       struct mapcore_error *err)
{
    uint32_t nhosts = mapcore_alloc_nhosts(problem->alloc), n = 0;
    uint32_t *size = array_alloc(nhosts, sizeof(*size), err);
    uint32_t *home = array_alloc(nhosts, sizeof(*home), err);
    int error = MAPCORE_ENOMEM;

    if (!size || !home)
        goto out;
    for (uint32_t i = 0; i < nhosts; i++)
        if (mapcore_alloc_slots(problem->alloc, along[i]) > 0) {
            home[n] = along[i];
            size[n++] = mapcore_alloc_slots(problem->alloc, along[i]);
        }
    error = partition_graph(host, timed_out,
                            &(struct partition_problem){problem->graph, n, size,
                                                        NULL, seed,
                                                        &problem->deadline},
                            err);
    for (uint32_t t = 0;
         error == 0 && !*timed_out && t < problem->graph->ntasks; t++)
        host[t] = home[host[t]];
out:
    free(size);
    free(home);
    return error;
}

/* Task i of the list to slot i of the hosts. */
static int place_list(uint32_t *host,
                      bool *timed_out,
                      const struct map_problem *problem,
                      const uint32_t *along,
                      const struct mapper_call *call,
                      struct mapcore_error *err)
{
    struct order_list *list = NULL;
    const uint32_t *task;
    const struct order_key key = {(enum order_kind)call->value[0], NULL,
                                  call->seed, call->pass};
    int error = order_cache_get(&list, problem, &key, err);

    *timed_out = !list;
    if (error < 0 || !list)
        return error;
    task = order_list_tasks(list);
    for (uint32_t i = 0, t = 0; t < problem->graph->ntasks; i++)
        for (uint32_t n = mapcore_alloc_slots(problem->alloc, along[i]);
             n > 0 && t < problem->graph->ntasks; n--)
            host[task[t++]] = along[i];
    order_cache_put(problem, list);
    return 0;
}

static int run(uint32_t *host,
               struct mapper_end *end,
               const struct map_problem *problem,
               const struct mapper_call *call,
               struct mapcore_error *err)
{
    uint32_t nhosts = mapcore_alloc_nhosts(problem->alloc);
    uint32_t *along = array_alloc(nhosts, sizeof(*along), err);
    struct rng rng;
    int error = MAPCORE_ENOMEM;

    if (!along)
        return error;
    end->is_random = call->value[0] != ORDER_OO;
    error = order_hosts(along, problem->alloc, (enum curve_kind)call->value[1],
                        err);
    if (error == 0 && call->value[0] == ORDER_GPART) {
        rng_init(&rng, call->seed, RNG_STREAM_LIST, call->pass);
        error = place_parts(host, &end->timed_out, problem, along,
                            (uint32_t)(rng_next(&rng) >> 32), err);
    } else if (error == 0) {
        error = place_list(host, &end->timed_out, problem, along, call, err);
    }
    free(along);
    return error;
}

const struct mapper mapper_list_curve = {
    .name = "list",
    .summary = "the tasks in an order along the nodes in another; "
               ":order=OO|BFS|BFS-DFS|GPART,curve=planar|hilbert|snake",
    .source = "Galvez, Jain, Kale, ICS 2017, sections 4.5 and 5.1",
    .parameters = parameters,
    .run = run,
};
