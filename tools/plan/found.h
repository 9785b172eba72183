/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* found.h - what a search has found, as text: a plan whose line `found` says
 * how and when */
#ifndef TOOLS_FOUND_H
#define TOOLS_FOUND_H

#include "map/map.h"

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

#endif
