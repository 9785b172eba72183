/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* order_cache.h - the task lists of a search, each made when first asked for,
 * then shared by all mappers and threads */
#ifndef MAPCORE_MAP_ORDER_CACHE_H
#define MAPCORE_MAP_ORDER_CACHE_H

#include "map/greedy/order.h"
#include "map/problem.h"

/* One list of every kind; may be used by several threads at once. */
struct order_cache;

/* Errors: ENOMEM. */
int order_cache_create(struct order_cache **out, struct mapcore_error *err);
void order_cache_destroy(struct order_cache *cache);

/* A list that is held until it is put back. */
struct order_list;

/* The list as order_make has it; CUSTOM is read from its file. *out: NULL when
 * time was up before it was made. Waits for another thread that is making one
 * of that kind. A list of other numbers replaces that in the cache, or, while
 * that one is held, is one beside it. Errors: ENOMEM, those of order_read. */
int order_cache_get(struct order_list **out,
                    const struct map_problem *problem,
                    const struct order_key *key,
                    struct mapcore_error *err);
/* Takes NULL. */
void order_cache_put(const struct map_problem *problem,
                     struct order_list *list);

/* [ntasks], borrowed from list. */
const uint32_t *order_list_tasks(const struct order_list *list);

#endif
