/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* results.h - the mappings that count in a search, and the best of them */
#ifndef MAPCORE_MAP_RESULTS_H
#define MAPCORE_MAP_RESULTS_H

#include "map/choose.h"

struct result {
    size_t candidate; /* index in the list */
    bool is_refined;  /* what that gave was refined */
    bool is_kept;     /* its hosts stay even if it cannot win any more */
    bool has_seconds; /* by all types: see last_choice.h */
    double seconds;
    uint32_t *host; /* [ntasks], owned; NULL once it cannot win any more */
};

/* All 0 but rule and best: empty. */
struct results {
    struct choose_rule rule;
    struct result *result;           /* [n] */
    struct mapcore_metrics *metrics; /* [n] */
    size_t n, result_capacity, metrics_capacity;
    size_t best; /* index, or SIZE_MAX */
    /* So many of the best, of different metrics, keep their hosts even if they
     * cannot win by the rule: the last choice goes by more than metrics. */
    size_t finalists;
    uint64_t work; /* units so far */
    /* Told of each count, as map/map.h says; NULL: nobody. */
    void (*progress)(void *arg,
                     uint64_t work,
                     const struct mapcore_metrics *best);
    void *progress_arg;
    /* Told of each that is added. NULL: nobody. */
    void (*came)(void *arg,
                 const struct result *result,
                 const struct mapcore_metrics *metrics);
    void *came_arg;
};

/* Reserves memory for so many more. Errors: ENOMEM. */
int results_reserve(struct results *results,
                    size_t n,
                    struct mapcore_error *err);
/* Adds a result, for which memory was reserved, and takes over its hosts. Hosts
 * of what cannot win any more, is not kept and no finalist are freed: only
 * results on the front of the choice and these stay in memory. */
void results_add(struct results *results,
                 const struct result *result,
                 const struct mapcore_metrics *metrics);
/* Where there are more than `most`, takes out those whose hosts are gone:
 * others get other indices. The best stays the best. */
void results_forget(struct results *results, size_t most);
/* Results from number first on are not kept any more, but for `kept`; hosts of
 * what cannot win are freed. */
void results_release(struct results *results, size_t first, size_t kept);
/* Counts units of work and tells whoever wants to know. */
void results_count(struct results *results, uint64_t units);
/* The least average of the results whose hosts are still there, or SIZE_MAX. */
size_t results_least_average(const struct results *results);
/* Whether nothing can be better: all traffic stays inside hosts. */
bool results_are_perfect(const struct results *results);
/* Frees what results owns. */
void results_clear(struct results *results);

#endif
