/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* results.c - what counts in a search */
#include "config.h"

#include "map/portfolio/search.h"

#include "base/array.h"

#include <stdlib.h>

/* Of a bound, which is summed in another order. */
#define ROUNDING 1e-12

int results_reserve(struct results *results,
                    size_t n,
                    struct mapcore_error *err)
{
    int error = array_reserve(&results->result, &results->result_capacity,
                              results->n + n, sizeof(*results->result), err);

    return error < 0
               ? error
               : array_reserve(&results->metrics, &results->metrics_capacity,
                               results->n + n, sizeof(*results->metrics), err);
}

/* Whether a result is among the finalists: of those whose hosts are there too
 * few others come before it. */
static bool is_finalist(const struct results *results, size_t i)
{
    const struct mapcore_metrics *metrics = results->metrics;
    size_t before = 0;

    if (results->finalists == 0 || choose_left_out(&results->rule, &metrics[i]))
        return false;
    for (size_t k = 0; k < results->n; k++) {
        bool is_before;

        if (k == i || !results->result[k].host || results->result[k].is_kept)
            continue;
        is_before = choose_is_before(&results->rule, &metrics[k], &metrics[i]);
        if (!is_before && k < i &&
            !choose_is_before(&results->rule, &metrics[i], &metrics[k]))
            return false; /* the same again */
        before += is_before;
    }
    return before < results->finalists;
}

/* Whose hosts are no longer needed. */
static void free_losers(struct results *results)
{
    for (size_t i = 0; i < results->n; i++) {
        struct result *old = &results->result[i];

        if (old->host && i != results->best && !old->is_kept &&
            !is_finalist(results, i) &&
            !choose_may_win(&results->rule, results->metrics, results->n, i)) {
            free(old->host);
            old->host = NULL;
        }
    }
}

void results_add(struct results *results,
                 const struct result *result,
                 const struct mapcore_metrics *metrics)
{
    results->metrics[results->n] = *metrics;
    results->result[results->n] = *result;
    results->n++;
    if (results->came)
        results->came(results->came_arg, result, metrics);
    results->best = choose_best(&results->rule, results->metrics, results->n);
    free_losers(results);
}

void results_forget(struct results *results, size_t most)
{
    size_t n = 0;

    for (size_t i = 0; results->n > most && i < results->n; i++) {
        if (!results->result[i].host)
            continue;
        results->result[n] = results->result[i];
        results->metrics[n] = results->metrics[i];
        if (results->best == i)
            results->best = n;
        n++;
    }
    if (results->n > most)
        results->n = n;
}

void results_release(struct results *results, size_t first, size_t kept)
{
    for (size_t i = first; i < results->n; i++)
        results->result[i].is_kept = i == kept;
    free_losers(results);
}

void results_count(struct results *results, uint64_t units)
{
    results->work += units;
    if (results->progress)
        results->progress(results->progress_arg, results->work,
                          results->best == SIZE_MAX
                              ? NULL
                              : &results->metrics[results->best]);
}

size_t results_least_average(const struct results *results)
{
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < results->n; i++)
        if (results->result[i].host &&
            (best == SIZE_MAX || results->metrics[i].avg_hop_bytes <
                                     results->metrics[best].avg_hop_bytes))
            best = i;
    return best;
}

bool results_are_perfect(const struct results *results)
{
    double least = results->rule.choice == MAPCORE_CHOOSE_HOP_BYTES
                       ? results->least_average * (1 + ROUNDING)
                       : 0;

    return results->best != SIZE_MAX &&
           results->metrics[results->best].avg_hop_bytes <= least;
}

void results_clear(struct results *results)
{
    for (size_t i = 0; i < results->n; i++)
        free(results->result[i].host);
    free(results->result);
    free(results->metrics);
    *results = (struct results){.best = SIZE_MAX};
}

void mapcore_result_clear(struct mapcore_result *result)
{
    if (!result)
        return;
    mapcore_mapping_destroy(result->mapping);
    *result = (struct mapcore_result){0};
}

bool mapcore_stop_expired(void *stop)
{
    const struct mapcore_stop *place = stop;

    return __atomic_load_n(&place->is_set, __ATOMIC_RELAXED) != 0;
}

double mapcore_stop_spent(void *stop)
{
    const struct mapcore_stop *place = stop;
    double spent;

    __atomic_load(&place->spent, &spent, __ATOMIC_RELAXED);
    return spent;
}
