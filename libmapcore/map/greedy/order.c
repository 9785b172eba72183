/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* order.c - task lists: the orders of ICS'17 section 4.5 and a user's own, each
 * made once a search */
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

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

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

static void walk_bfs(struct order_walk *walk)
{
    const struct mapcore_graph *graph = walk->graph;

    for (uint32_t head = 0; head < graph->ntasks; head++) {
        uint32_t t;

        if (head == walk->n)
            append(walk, lowest_unlisted(walk));
        t = walk->list[head];
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++)
            if (!walk->listed[graph->task[k]])
                append(walk, graph->task[k]);
    }
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

static void walk_bfs_dfs(struct order_walk *walk)
{
    uint32_t head = 0;
    size_t edge = 0;

    while (walk->n < walk->graph->ntasks) {
        uint32_t next = deeper(walk, walk->list[walk->n - 1]);

        if (next == MAPCORE_NONE)
            next = wider(walk, &head, &edge);
        append(walk, next);
    }
}

static int order_gpart(uint32_t *list,
                       bool *timed_out,
                       const struct map_problem *problem,
                       uint32_t seed,
                       struct mapcore_error *err)
{
    struct arena arena = {.err = err};
    const struct mapcore_alloc *alloc = problem->alloc;
    uint32_t nhosts = mapcore_alloc_nhosts(alloc), nparts = 0;
    uint32_t ntasks = problem->graph->ntasks;
    uint32_t *part = arena_alloc(&arena, ntasks, sizeof(*part));
    uint32_t *size = arena_alloc(&arena, nhosts, sizeof(*size));
    uint32_t *first = arena_alloc(&arena, (size_t)nhosts + 1, sizeof(*first));
    int error = arena.error;

    for (uint32_t i = 0; error == 0 && i < nhosts; i++)
        if (mapcore_alloc_slots(alloc, i) > 0)
            size[nparts++] = mapcore_alloc_slots(alloc, i);
    if (error == 0)
        error = partition_graph(
            part, timed_out,
            &(struct partition_problem){problem->graph, nparts, size, NULL,
                                        seed, &problem->deadline},
            err);
    if (error == 0 && !*timed_out)
        bucket_items(first, list, part, ntasks, nparts);
    arena_clear(&arena);
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
                      bool *listed)
{
    uint32_t n = 0, task;
    char *line;
    int error;

    while ((error = text_line(text, &line)) == 0 && line) {
        char *cursor = line, *rest;

        for (char *c = line; *c; c++)
            if (*c == '#') {
                *c = '\0';
                break;
            }
        if (!text_take_u32(&cursor, &task, NULL)) {
            if (!text_take_word(&cursor))
                continue;
            return text_error(text, MAPCORE_EPARSE,
                              "expected one task number a line");
        }
        if ((rest = text_take_word(&cursor)))
            return text_error(text, MAPCORE_EPARSE,
                              "\"%.40s\" after the task number: one a line",
                              rest);
        if (task >= ntasks)
            return text_error(text, MAPCORE_EPARSE,
                              "task %u, but there are only tasks 0 to %u", task,
                              ntasks - 1);
        if (listed[task])
            return text_error(text, MAPCORE_EPARSE,
                              "task %u stands in the list twice", task);
        listed[task] = true;
        list[n++] = task;
    }
    if (error < 0)
        return error;
    for (task = 0; n < ntasks && listed[task]; task++)
        ;
    if (n < ntasks)
        return text_error(text, MAPCORE_EPARSE,
                          "the list ends after %u of %u tasks; task %u is "
                          "missing",
                          n, ntasks, task);
    return 0;
}

static int order_read(uint32_t *list,
                      uint32_t ntasks,
                      const char *path,
                      bool *listed,
                      struct mapcore_error *err)
{
    struct text *text = NULL;
    int error = text_open(&text, path, err);

    if (error == 0)
        error = read_lines(list, ntasks, text, listed);
    text_close(text);
    return error;
}

bool order_depends_on_pass(enum order_kind kind)
{
    return kind == ORDER_BFS || kind == ORDER_BFS_DFS || kind == ORDER_GPART ||
           kind == ORDER_GRID;
}

static int make(uint32_t *list,
                bool *timed_out,
                const struct map_problem *problem,
                const struct order_key *key,
                struct mapcore_error *err)
{
    const struct mapcore_graph *graph = problem->graph;
    struct order_walk walk = {.graph = graph, .list = list};
    uint32_t start = 0;
    struct rng rng;
    int error = 0;

    rng_init(&rng, key->seed, RNG_STREAM_ORDER + (uint64_t)key->kind,
             key->pass);
    if (key->pass > 0)
        start = rng_below(&rng, graph->ntasks);
    walk.listed = array_alloc(graph->ntasks, sizeof(*walk.listed), err);
    if (!walk.listed)
        return MAPCORE_ENOMEM;
    switch (key->kind) {
    case ORDER_OO:
        for (uint32_t t = 0; t < graph->ntasks; t++)
            list[t] = t;
        break;
    case ORDER_BFS:
    case ORDER_BFS_DFS:
        append(&walk, start);
        (key->kind == ORDER_BFS ? walk_bfs : walk_bfs_dfs)(&walk);
        break;
    case ORDER_GPART:
        error = order_gpart(list, timed_out, problem,
                            (uint32_t)(rng_next(&rng) >> 32), err);
        break;
    case ORDER_GRID:
        error = order_grid(list, graph, key->pass > 0 ? &rng : NULL, err);
        break;
    case ORDER_CUSTOM:
        error = order_read(list, graph->ntasks, key->path, walk.listed, err);
        break;
    }
    free(walk.listed);
    return error;
}

struct order_cache {
    /* The last list of each kind; a lock each, so that who wants a cheap list
     * need not wait for METIS. */
    struct order_cached {
        pthread_mutex_t lock;
        uint32_t *task; /* [ntasks], or NULL */
        struct order_key key;
        bool is_made;
    } of[ORDER_CUSTOM + 1];
};

int order_cache_create(struct order_cache **out, struct mapcore_error *err)
{
    struct order_cache *cache = array_alloc(1, sizeof(*cache), err);

    if (!cache)
        return MAPCORE_ENOMEM;
    for (int kind = 0; kind <= ORDER_CUSTOM; kind++)
        pthread_mutex_init(&cache->of[kind].lock, NULL);
    *out = cache;
    return 0;
}

void order_cache_destroy(struct order_cache *cache)
{
    for (int kind = 0; cache && kind <= ORDER_CUSTOM; kind++) {
        pthread_mutex_destroy(&cache->of[kind].lock);
        free(cache->of[kind].task);
    }
    free(cache);
}

static bool is_same(const struct order_key *a, const struct order_key *b)
{
    if (a->kind == ORDER_CUSTOM)
        return strcmp(a->path, b->path) == 0;
    return !order_depends_on_pass(a->kind) ||
           (a->seed == b->seed && a->pass == b->pass);
}

int order_make(uint32_t *list,
               bool *timed_out,
               const struct map_problem *problem,
               const struct order_key *key,
               struct mapcore_error *err)
{
    uint32_t ntasks = problem->graph->ntasks;
    struct order_cached *cached;
    int error = 0;

    *timed_out = false;
    if (!problem->orders)
        return make(list, timed_out, problem, key, err);
    cached = &problem->orders->of[key->kind];
    pthread_mutex_lock(&cached->lock);
    if (!cached->is_made || !is_same(&cached->key, key)) {
        cached->is_made = false;
        cached->key = *key;
        if (!cached->task)
            cached->task = array_alloc(ntasks, sizeof(*list), err);
        error = cached->task ? make(cached->task, timed_out, problem, key, err)
                             : MAPCORE_ENOMEM;
        cached->is_made = error == 0 && !*timed_out;
    }
    if (cached->is_made)
        memcpy(list, cached->task, ntasks * sizeof(*list));
    pthread_mutex_unlock(&cached->lock);
    return error;
}
