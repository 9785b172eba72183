/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* portfolio.h - a search under way: what search.c sets up and reads off, and
 * portfolio.c runs */
#ifndef MAPCORE_MAP_PORTFOLIO_H
#define MAPCORE_MAP_PORTFOLIO_H

#include "map/candidates.h"
#include "map/choose.h"

#include <string.h>

/* What remains of a unit that counts. */
struct settled {
    size_t candidate;
    uint32_t *host; /* owned; NULL once it cannot win any more */
};

struct search {
    const struct mapcore_search *options;
    struct map_problem problem;
    struct choose_rule rule;
    uint64_t seed;
    size_t limit;           /* units, or SIZE_MAX */
    struct candidate *list; /* [nlist] */
    size_t nlist;
    size_t nhead;  /* candidates below always count */
    size_t npass;  /* candidates below are in every pass, the others follow all
                      passes, once */
    bool *repeats; /* [nlist] other seeds may give other results */
    uint32_t *baseline; /* [ntasks] */
    struct mapcore_metrics baseline_metrics;
    uint32_t *custom; /* [ntasks], or NULL */

    struct settled *settled;         /* [n] */
    struct mapcore_metrics *metrics; /* [n] */
    size_t n, settled_room, metrics_room;
    size_t best; /* index, or SIZE_MAX */
    bool cut;
};

/* Whether one mapper was asked for by name; ParMapper is a whole list. */
static inline bool search_is_single(const struct search *search)
{
    return search->options->mapper &&
           strcmp(search->options->mapper, CANDIDATES_PARMAPPER) != 0;
}

/* Runs the rounds of the list until it is through or cut, and settles every
 * unit that counts. search->best is set on success. Errors: ENOMEM, and
 * whatever METIS gives (partition.h). */
int portfolio_run(struct search *search, struct mapcore_error *err);

#endif
