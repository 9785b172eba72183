/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_cache.h - mappings that were found before, ROOT/.plans/<what was asked>
 * in the user's own catalogue: the same step again is not searched again */
#ifndef TOOLS_PLAN_CACHE_H
#define TOOLS_PLAN_CACHE_H

#include "map/map.h"

#include <stdbool.h>

#define PLAN_CACHE_FOLDER ".plans"
/* Files that are kept, and their bytes; the least recently used go first. */
#define PLAN_CACHE_FILES 64
#define PLAN_CACHE_BYTES ((uint64_t)64 << 20)
#define PLAN_CACHE_MOST  ((size_t)16 << 20) /* bytes of a file */

/* "2026-11-22T10:00:00Z" and the NUL. */
#define PLAN_CACHE_DATE 21
#define PLAN_CACHE_KEY  64

/* A search, as it is looked for. The first group is the caller's and borrowed;
 * counts: [nhosts] tasks of each host. */
struct plan_cache_query {
    const char *root; /* the user's own catalogue */
    const struct mapcore_graph *graph;
    const struct mapcore_alloc *alloc;
    const struct mapcore_search *search;
    uint32_t ntasks, nhosts;
    const uint32_t *counts;
    double time_s; /* that the search may take; 0: no bound */

    char key[PLAN_CACHE_KEY]; /* the name of its file */
};

/* Sets key, which version, graph, hosts, network, options and time determine.
 * Errors: ENOMEM. */
int plan_cache_key(struct plan_cache_query *query, struct mapcore_error *err);

/* The result of that search, found on made[PLAN_CACHE_DATE]. What lies there is
 * believed as a catalogue is, and checked: places are within counts, and
 * metrics are computed anew. Errors: ENOENT, ETRUST, EPARSE and others: there
 * is none to be had. */
int plan_cache_find(struct mapcore_result *out,
                    char *made,
                    const struct plan_cache_query *query,
                    struct mapcore_error *err);

/* Keeps a result, in a catalogue that there is, and lets go of those that were
 * used least recently. What is half written is nobody's. Errors: EIO, ETRUST,
 * ENOMEM, ERANGE (too large). */
int plan_cache_store(const struct plan_cache_query *query,
                     const struct mapcore_result *result,
                     struct mapcore_error *err);

#endif
