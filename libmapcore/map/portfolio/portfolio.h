/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* portfolio.h - a search under way: what search.c sets up and reads off, and
 * portfolio.c runs */
#ifndef MAPCORE_MAP_PORTFOLIO_H
#define MAPCORE_MAP_PORTFOLIO_H

#include "map/portfolio/candidates.h"
#include "map/portfolio/choose.h"

#include <string.h>

/* What remains of a unit that counts. */
struct settled {
    size_t candidate;
    bool refined;   /* what it gave was refined */
    uint32_t *host; /* owned; NULL once it cannot win any more */
};

struct search {
    const struct mapcore_search *options;
    struct map_problem problem;
    bool refines; /* the best are refined after the list */
    bool lumps;   /* that begins with lumps: not on a tree */
    struct choose_rule rule;
    uint64_t seed;
    size_t limit;           /* units, or SIZE_MAX */
    struct candidate *list; /* [nlist] */
    size_t nlist;
    size_t nhead;  /* candidates below always count */
    size_t nsolo;  /* so many behind them run one by one, each on all threads */
    size_t npass;  /* candidates below are in every pass, the others follow all
                      passes, once */
    bool *repeats; /* [nlist] other seeds may give other results */
    uint32_t *baseline; /* [ntasks] */
    struct mapcore_metrics baseline_metrics;

    struct settled *settled;         /* [n] */
    struct mapcore_metrics *metrics; /* [n] */
    size_t n, settled_room, metrics_room;
    size_t best;   /* index, or SIZE_MAX */
    uint64_t work; /* units so far: n, and epochs of refinement */
    struct mapcore_schedule schedule;
    bool cut;
};

/* Whether one mapper was asked for by name; ParMapper is a whole list. */
static inline bool search_is_single(const struct search *search)
{
    return search->options->mapper &&
           strcmp(search->options->mapper, MAPCORE_PARMAPPER) != 0;
}

/* The share of the time that is used up; 0 where there is no bound. */
static inline double search_spent(const struct search *search)
{
    const struct mapcore_search *options = search->options;

    return options->spent ? options->spent(options->expired_arg) : 0;
}

/* Makes room for so many more results. Errors: ENOMEM. */
int portfolio_reserve(struct search *search,
                      size_t n,
                      struct mapcore_error *err);
/* Takes a result into account, for which there is room; host: [ntasks], now
 * owned by the search. */
void portfolio_settle(struct search *search,
                      const struct settled *result,
                      const struct mapcore_metrics *metrics);
/* Counts units of work and tells whoever wants to know. */
void portfolio_count(struct search *search, uint64_t units);

/* Runs the rounds of the list until it is through or cut, and settles every
 * unit that counts. search->best is set on success. Errors: ENOMEM, and
 * whatever METIS gives (partition.h). */
int portfolio_run(struct search *search, struct mapcore_error *err);

#endif
