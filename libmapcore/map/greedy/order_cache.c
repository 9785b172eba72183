/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* order_cache.c - task lists, made once */
#include "config.h"

#include "map/greedy/order_cache.h"

#include "base/array.h"
#include "graph/csr.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct order_list {
    uint32_t *task; /* [ntasks] */
    struct order_key key;
    bool is_cached; /* belongs to the cache, not to who holds it */
    uint32_t nheld; /* where it is cached: by so many */
};

struct order_cache {
    /* One lock a kind, so that who wants a cheap list need not wait for
     * METIS. */
    pthread_mutex_t lock[ORDER_KINDS];
    struct order_list *list[ORDER_KINDS];
};

int order_cache_create(struct order_cache **out, struct mapcore_error *err)
{
    struct order_cache *cache = array_alloc(1, sizeof(*cache), err);

    if (!cache)
        return MAPCORE_ENOMEM;
    for (int kind = 0; kind < ORDER_KINDS; kind++)
        pthread_mutex_init(&cache->lock[kind], NULL);
    *out = cache;
    return 0;
}

static void destroy(struct order_list *list)
{
    if (list)
        free(list->task);
    free(list);
}

void order_cache_destroy(struct order_cache *cache)
{
    if (!cache)
        return;
    for (int kind = 0; kind < ORDER_KINDS; kind++) {
        pthread_mutex_destroy(&cache->lock[kind]);
        destroy(cache->list[kind]);
    }
    free(cache);
}

static bool is_same(const struct order_key *a, const struct order_key *b)
{
    return a->seed == b->seed && a->pass == b->pass &&
           (a->path == b->path ||
            (a->path && b->path && strcmp(a->path, b->path) == 0));
}

/* *out: NULL when time was up. */
static int make(struct order_list **out,
                const struct map_problem *problem,
                const struct order_key *key,
                struct mapcore_error *err)
{
    struct order_list *list = array_alloc(1, sizeof(*list), err);
    bool timed_out = false;
    int error = MAPCORE_ENOMEM;

    *out = NULL;
    if (!list)
        return error;
    list->key = *key;
    list->nheld = 1;
    list->task = array_alloc(problem->graph->ntasks, sizeof(*list->task), err);
    if (list->task && key->kind == ORDER_CUSTOM)
        error = order_read(list->task, problem->graph->ntasks, key->path, err);
    else if (list->task)
        error = order_make(list->task, &timed_out, problem, key, err);
    if (error < 0 || timed_out)
        destroy(list);
    else
        *out = list;
    return error;
}

int order_cache_get(struct order_list **out,
                    const struct map_problem *problem,
                    const struct order_key *asked,
                    struct mapcore_error *err)
{
    struct order_cache *cache = problem->orders;
    const enum order_kind kind = asked->kind;
    struct order_key key = {.kind = kind};
    struct order_list **cached;
    int error = 0;

    if (kind == ORDER_CUSTOM)
        key.path = asked->path;
    if (order_depends_on_pass(kind)) {
        key.seed = asked->seed;
        key.pass = asked->pass;
    }
    if (!cache)
        return make(out, problem, &key, err);
    pthread_mutex_lock(&cache->lock[kind]);
    cached = &cache->list[kind];
    if (*cached && is_same(&(*cached)->key, &key)) {
        (*cached)->nheld++;
        *out = *cached;
    } else if (*cached && (*cached)->nheld > 0) {
        pthread_mutex_unlock(&cache->lock[kind]);
        return make(out, problem, &key, err);
    } else {
        destroy(*cached);
        *cached = NULL;
        error = make(cached, problem, &key, err);
        if (*cached)
            (*cached)->is_cached = true;
        *out = *cached;
    }
    pthread_mutex_unlock(&cache->lock[kind]);
    return error;
}

void order_cache_put(const struct map_problem *problem, struct order_list *list)
{
    pthread_mutex_t *lock;

    if (!list)
        return;
    if (!list->is_cached) {
        destroy(list);
        return;
    }
    lock = &problem->orders->lock[list->key.kind];
    pthread_mutex_lock(lock);
    list->nheld--;
    pthread_mutex_unlock(lock);
}

const uint32_t *order_list_tasks(const struct order_list *list)
{
    return list->task;
}
