/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* order.c - task lists: the orders of ICS'17 section 4.5 and a user's own */
#include "config.h"

#include "map/greedy/order.h"

#include "base/array.h"
#include "base/bucket.h"
#include "base/rng.h"
#include "base/text.h"
#include "graph/csr.h"
#include "grid/find/grid_find.h"
#include "map/partition/partition.h"
#include "map/rng_streams.h"

#include <stdlib.h>

/* A list under construction: order[0 .. n-1] is what it has. */
struct order_walk {
    const struct mapcore_graph *graph;
    uint32_t *list;
    uint32_t n;
    bool *listed;    /* [ntasks] */
    uint32_t lowest; /* all tasks below are listed */
};

static void append(struct order_walk *walk, uint32_t task)
{
    walk->listed[task] = true;
    walk->list[walk->n++] = task;
}

/* The lowest task that is not listed; there must be one. */
static uint32_t lowest_unlisted(struct order_walk *walk)
{
    while (walk->listed[walk->lowest])
        walk->lowest++;
    return walk->lowest;
}

static int begin(struct order_walk *walk,
                 uint32_t *list,
                 const struct mapcore_graph *graph,
                 uint32_t start,
                 struct mapcore_error *err)
{
    *walk = (struct order_walk){.graph = graph, .list = list};
    walk->listed = array_alloc(graph->ntasks, sizeof(*walk->listed), err);
    if (!walk->listed)
        return MAPCORE_ENOMEM;
    append(walk, start);
    return 0;
}

int order_bfs(uint32_t *list,
              const struct mapcore_graph *graph,
              uint32_t start,
              struct mapcore_error *err)
{
    struct order_walk walk;

    if (begin(&walk, list, graph, start, err) < 0)
        return MAPCORE_ENOMEM;
    for (uint32_t head = 0; head < graph->ntasks; head++) {
        uint32_t t;

        if (head == walk.n)
            append(&walk, lowest_unlisted(&walk));
        t = list[head];
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++)
            if (!walk.listed[graph->task[k]])
                append(&walk, graph->task[k]);
    }
    free(walk.listed);
    return 0;
}

/* The unlisted neighbour with the most bytes, or MAPCORE_NONE. */
static uint32_t deeper(const struct order_walk *walk, uint32_t t)
{
    const struct mapcore_graph *graph = walk->graph;
    uint32_t best = MAPCORE_NONE;
    uint64_t bytes = 0;

    for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++)
        if (!walk->listed[graph->task[k]] && graph->bytes[k] > bytes) {
            best = graph->task[k];
            bytes = graph->bytes[k];
        }
    return best;
}

/* The next task breadth first: *head is the earliest task in the list that may
 * have unlisted neighbours, *edge how far its row was looked through. */
static uint32_t wider(struct order_walk *walk, uint32_t *head, size_t *edge)
{
    const struct mapcore_graph *graph = walk->graph;

    for (; *head < walk->n; ++*head, *edge = 0) {
        uint32_t t = walk->list[*head];

        for (; graph->row[t] + *edge < graph->row[t + 1]; ++*edge)
            if (!walk->listed[graph->task[graph->row[t] + *edge]])
                return graph->task[graph->row[t] + *edge];
    }
    return lowest_unlisted(walk);
}

int order_bfs_dfs(uint32_t *list,
                  const struct mapcore_graph *graph,
                  uint32_t start,
                  struct mapcore_error *err)
{
    struct order_walk walk;
    uint32_t head = 0;
    size_t edge = 0;

    if (begin(&walk, list, graph, start, err) < 0)
        return MAPCORE_ENOMEM;
    while (walk.n < graph->ntasks) {
        uint32_t next = deeper(&walk, list[walk.n - 1]);

        if (next == MAPCORE_NONE)
            next = wider(&walk, &head, &edge);
        append(&walk, next);
    }
    free(walk.listed);
    return 0;
}

/* Groups the tasks by part. */
static int group(uint32_t *list,
                 const uint32_t *part,
                 uint32_t ntasks,
                 uint32_t nparts,
                 struct mapcore_error *err)
{
    uint32_t *first = array_alloc((size_t)nparts + 1, sizeof(*first), err);

    if (!first)
        return MAPCORE_ENOMEM;
    bucket_items(first, list, part, ntasks, nparts);
    free(first);
    return 0;
}

int order_gpart(uint32_t *list,
                bool *timed_out,
                const struct map_problem *problem,
                uint32_t seed,
                struct mapcore_error *err)
{
    const struct mapcore_graph *graph = problem->graph;
    const struct mapcore_alloc *alloc = problem->alloc;
    uint32_t nhosts = mapcore_alloc_nhosts(alloc);
    uint32_t *part = array_alloc(graph->ntasks, sizeof(*part), err);
    uint32_t *size = array_alloc(nhosts, sizeof(*size), err);
    uint32_t nparts = 0;
    int error = MAPCORE_ENOMEM;

    if (!part || !size)
        goto out;
    for (uint32_t i = 0; i < nhosts; i++)
        if (mapcore_alloc_slots(alloc, i) > 0)
            size[nparts++] = mapcore_alloc_slots(alloc, i);
    error =
        partition_graph(part, timed_out,
                        &(struct partition_problem){graph, nparts, size, NULL,
                                                    seed, &problem->deadline},
                        err);
    if (error < 0 || *timed_out)
        goto out;
    error = group(list, part, graph->ntasks, nparts, err);
out:
    free(part);
    free(size);
    return error;
}

int order_has_grid(bool *out,
                   const struct mapcore_graph *graph,
                   struct mapcore_error *err)
{
    struct mapcore_grid *grid = NULL;
    int error = mapcore_grid_find_by_rank(&grid, graph, err);

    *out = error == 0 && grid->ndims > 1;
    mapcore_grid_destroy(grid);
    return error == MAPCORE_ENOENT ? 0 : error;
}

/* Dimension by dimension, the one that is drawn first the fastest; without a
 * random stream the last one is. */
static int order_grid(uint32_t *list,
                      const struct mapcore_graph *graph,
                      struct rng *rng,
                      struct mapcore_error *err)
{
    struct mapcore_grid *grid = NULL;
    uint32_t ntasks = graph->ntasks, left[MAPCORE_GRID_MAX_DIMS];
    uint64_t *key = array_alloc(ntasks, sizeof(*key), err), places = 1;
    int error =
        key ? mapcore_grid_find_by_rank(&grid, graph, err) : MAPCORE_ENOMEM;

    for (uint32_t d = 0; grid && d < grid->ndims; d++)
        left[d] = d;
    for (uint32_t n = grid ? grid->ndims : 0; n > 0; n--) {
        uint32_t lot = rng ? rng_below(rng, n) : n - 1, d = left[lot];

        left[lot] = left[n - 1];
        for (uint32_t t = 0; t < ntasks; t++)
            key[t] += places * grid->coordinates[(size_t)t * grid->ndims + d]
                      << 32;
        places *= grid->dims[d];
    }
    for (uint32_t t = 0; key && t < ntasks; t++)
        key[t] += t;
    if (grid)
        array_sort_u64(key, ntasks);
    for (uint32_t t = 0; key && t < ntasks; t++)
        list[t] = (uint32_t)key[t];
    mapcore_grid_destroy(grid);
    free(key);
    return error == MAPCORE_ENOENT ? 0 : error;
}

/* Reads the lines of an order file; listed: [ntasks], all false. */
static int read_lines(uint32_t *list,
                      uint32_t ntasks,
                      struct text *text,
                      bool *listed,
                      struct mapcore_error *err)
{
    uint32_t n = 0, task;
    char *line;
    int error;

    while ((error = text_line(text, &line, err)) == 0 && line) {
        char *cursor = line, *rest;

        for (char *c = line; *c; c++)
            if (*c == '#') {
                *c = '\0';
                break;
            }
        if (!text_take_u32(&cursor, &task, NULL)) {
            if (!text_take_word(&cursor))
                continue;
            return text_error(text, err, MAPCORE_EPARSE,
                              "expected one task number a line");
        }
        if ((rest = text_take_word(&cursor)))
            return text_error(text, err, MAPCORE_EPARSE,
                              "\"%.40s\" after the task number: one a line",
                              rest);
        if (task >= ntasks)
            return text_error(text, err, MAPCORE_EPARSE,
                              "task %u, but there are only tasks 0 to %u", task,
                              ntasks - 1);
        if (listed[task])
            return text_error(text, err, MAPCORE_EPARSE,
                              "task %u stands in the list twice", task);
        listed[task] = true;
        list[n++] = task;
    }
    if (error < 0)
        return error;
    for (task = 0; n < ntasks && listed[task]; task++)
        ;
    if (n < ntasks)
        return text_error(text, err, MAPCORE_EPARSE,
                          "the list ends after %u of %u tasks; task %u is "
                          "missing",
                          n, ntasks, task);
    return 0;
}

int order_read(uint32_t *list,
               uint32_t ntasks,
               const char *path,
               struct mapcore_error *err)
{
    struct text *text = NULL;
    bool *listed = NULL;
    int error;

    if ((error = text_open(&text, path, err)) < 0)
        goto out;
    if (!(listed = array_alloc(ntasks, sizeof(*listed), err))) {
        error = MAPCORE_ENOMEM;
        goto out;
    }
    error = read_lines(list, ntasks, text, listed, err);
out:
    text_close(text);
    free(listed);
    return error;
}

bool order_depends_on_pass(enum order_kind kind)
{
    return kind == ORDER_BFS || kind == ORDER_BFS_DFS || kind == ORDER_GPART ||
           kind == ORDER_GRID;
}

int order_make(uint32_t *list,
               bool *timed_out,
               const struct map_problem *problem,
               const struct order_key *key,
               struct mapcore_error *err)
{
    const struct mapcore_graph *graph = problem->graph;
    struct rng rng;
    uint32_t start = 0;

    *timed_out = false;
    rng_init(&rng, key->seed, RNG_STREAM_ORDER + (uint64_t)key->kind,
             key->pass);
    if (key->pass > 0)
        start = rng_below(&rng, graph->ntasks);
    switch (key->kind) {
    case ORDER_BFS:
        return order_bfs(list, graph, start, err);
    case ORDER_BFS_DFS:
        return order_bfs_dfs(list, graph, start, err);
    case ORDER_GPART:
        return order_gpart(list, timed_out, problem,
                           (uint32_t)(rng_next(&rng) >> 32), err);
    case ORDER_GRID:
        return order_grid(list, graph, key->pass > 0 ? &rng : NULL, err);
    case ORDER_OO:
    case ORDER_CUSTOM:
        break;
    }
    for (uint32_t t = 0; t < graph->ntasks; t++)
        list[t] = t;
    return 0;
}
