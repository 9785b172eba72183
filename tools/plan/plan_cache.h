/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_cache.h - mappings that were found before, in profiles/cache.h by what
 * was asked: the same step again is not searched again; and the last one of
 * each graph, graph-<digest>, for other nodes */
#ifndef TOOLS_PLAN_CACHE_H
#define TOOLS_PLAN_CACHE_H

#include "launch/facts.h"
#include "map/map.h"

#include <stdbool.h>

/* "2026-11-22T10:00:00Z" and the NUL. */
#define FOUND_DATE 21

/* A search; all borrowed. counts: [nhosts] tasks of each host. */
struct found_query {
    const struct mapcore_graph *graph;
    const struct mapcore_alloc *alloc;
    const struct mapcore_search *search;
    uint32_t ntasks, nhosts;
    const uint32_t *counts;
};

/* The result of that search, found now; *out owned. Errors: ENOMEM, EIO (no
 * clock). */
int found_format(char **out,
                 const struct found_query *query,
                 const struct mapcore_result *result,
                 struct mapcore_error *err);

/* Back again from text of n bytes; made[FOUND_DATE] is when. Nothing is
 * believed: places are within counts, and metrics are computed anew. Errors:
 * EPARSE, EVERSION, ERANGE, EINVAL (not as the search asks), ENOMEM. */
int found_parse(struct mapcore_result *out,
                char *made,
                const struct found_query *query,
                const char *text,
                size_t n,
                struct mapcore_error *err);

#define PLAN_CACHE_KEY 64

/* A search, as it is looked for. The first group is the caller's and borrowed.
 */
struct plan_cache_query {
    const char *root; /* the user's own catalogue */
    const struct mapcore_facts *facts;
    struct found_query of;
    double time_s;   /* that the search may take; 0: no bound */
    bool for_others; /* it is no worse than what is kept for other nodes */

    char key[PLAN_CACHE_KEY]; /* the name of its file */
};

/* Sets key, which version, graph, hosts, network, options and time determine.
 * Errors: ENOMEM. */
int plan_cache_key(struct plan_cache_query *query, struct mapcore_error *err);

/* The result of that search, found on made[FOUND_DATE]. What lies there is
 * believed as a catalogue is, and checked: places are within counts, and
 * metrics are computed anew. Errors: ENOENT, ETRUST, EPARSE and others: there
 * is none to be had. */
int plan_cache_find(struct mapcore_result *out,
                    char *made,
                    const struct plan_cache_query *query,
                    struct mapcore_error *err);

/* The plan that was kept last for this graph, for any nodes, as a
 * result of this search: its ranks take the slots of these nodes in the same
 * order, node by node. from[PLAN_CACHE_FROM]: those nodes, shortened. Errors:
 * as above. */
#define PLAN_CACHE_FROM 48
int plan_cache_find_warm(struct mapcore_result *out,
                         char *from,
                         const struct plan_cache_query *query,
                         struct mapcore_error *err);

/* Lets go of what was used least recently, and keeps a result, for other nodes
 * where for_others says so, in a catalogue that there is. What is half written
 * is not used. Errors: EIO, ETRUST, ENOMEM, ERANGE (too large). */
int plan_cache_store(const struct plan_cache_query *query,
                     const struct mapcore_result *result,
                     struct mapcore_error *err);

#endif
