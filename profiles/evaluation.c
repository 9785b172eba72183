/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* evaluation.c - the runs of an evaluation, judged */
#include "config.h"

#include "profiles/evaluation.h"

#include "base/array.h"
#include "base/error_set.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void evaluation_destroy(struct evaluation *evaluation)
{
    int saved = errno;

    for (size_t i = 0; evaluation && i < evaluation->ngraphs; i++) {
        struct evaluation_graph *graph = &evaluation->graphs[i];

        for (size_t k = 0; k < EVALUATION_KINDS; k++)
            free(graph->series[k].seconds);
        for (size_t k = 0; k < graph->nphases; k++) {
            free(graph->phase[k].name);
            free(graph->phase[k].seconds);
        }
        free(graph->phase);
        free(graph->name);
    }
    if (evaluation) {
        free(evaluation->graphs);
        free(evaluation->evaluated);
        free(evaluation->nodes);
    }
    free(evaluation);
    errno = saved;
}

struct evaluation_series *evaluation_phase(const struct evaluation_graph *graph,
                                           const char *name)
{
    for (size_t i = 0; i < graph->nphases; i++)
        if (strcmp(graph->phase[i].name, name) == 0)
            return &graph->phase[i];
    return NULL;
}

int evaluation_add_phase(struct evaluation_series **out,
                         struct evaluation_graph *graph,
                         const char *name,
                         struct mapcore_error *err)
{
    struct evaluation_series *phase;
    size_t capacity = graph->nphases;
    int error = array_reserve(&graph->phase, &capacity, graph->nphases + 1,
                              sizeof(*phase), err);

    if (error < 0)
        return error;
    phase = &graph->phase[graph->nphases];
    *phase = (struct evaluation_series){
        .name = array_copy(name, strlen(name) + 1, 1, err)};
    if (!phase->name)
        return MAPCORE_ENOMEM;
    graph->nphases++;
    *out = phase;
    return 0;
}

static const struct evaluation_graph *best_graph(
    const struct evaluation *evaluation)
{
    for (size_t i = 1; i < evaluation->ngraphs; i++)
        if (evaluation->graphs[i].name == evaluation->best)
            return &evaluation->graphs[i];
    return NULL;
}

bool evaluation_decides(const struct evaluation *evaluation)
{
    const struct evaluation_graph *best = best_graph(evaluation);

    return best && best->nruns >= EVALUATION_FEW_RUNS &&
           evaluation->graphs[0].nruns >= EVALUATION_FEW_RUNS;
}

static double median_seconds(const struct evaluation_graph *graph)
{
    return evaluation_median(graph, &graph->series[EVALUATION_SECONDS]);
}

bool evaluation_is_sure(const struct evaluation *evaluation)
{
    return evaluation_decides(evaluation) &&
           fabs(median_seconds(best_graph(evaluation)) -
                median_seconds(&evaluation->graphs[0])) >
               evaluation->noise_seconds;
}

bool evaluation_is_complete(const struct evaluation *evaluation)
{
    for (size_t i = 0; i < evaluation->ngraphs; i++)
        if (evaluation->graphs[i].nruns < evaluation->repeat)
            return false;
    return true;
}

/* The one that would stand at k if they were sorted. */
static double select_value(const double *values, size_t n, size_t k)
{
    for (size_t i = 0; i < n; i++) {
        size_t below = 0, equal = 0;

        for (size_t j = 0; j < n; j++) {
            below += values[j] < values[i];
            equal += values[j] <= values[i] && values[j] >= values[i];
        }
        if (below <= k && k < below + equal)
            return values[i];
    }
    return -1;
}

double evaluation_median(const struct evaluation_graph *graph,
                         const struct evaluation_series *series)
{
    const size_t n = graph->nruns;

    if (n == 0 || series->n < n)
        return -1;
    return (select_value(series->seconds, n, (n - 1) / 2) +
            select_value(series->seconds, n, n / 2)) /
           2;
}
