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

/* Differences below this share of the time mean nothing; the larger share where
 * there are too few runs to tell the spread by. */
static const double LEAST_NOISE = 0.01, LEAST_NOISE_OF_FEW = 0.05;

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

int evaluation_create(struct evaluation **out,
                      const char *const *names,
                      size_t nnames,
                      uint32_t repeat,
                      struct mapcore_error *err)
{
    struct evaluation *made = array_alloc(1, sizeof(*made), err);

    if (!made)
        return MAPCORE_ENOMEM;
    made->repeat = repeat;
    made->graphs = array_alloc(nnames + 1, sizeof(*made->graphs), err);
    for (size_t i = 0; made->graphs && i <= nnames; i++) {
        const char *name = i == 0 ? EVALUATION_UNMAPPED : names[i - 1];
        struct evaluation_graph *graph = &made->graphs[i];

        graph->name = array_copy(name, strlen(name) + 1, 1, err);
        graph->hops_per_byte = graph->before = -1;
        graph->max_hops_per_byte = graph->max_before = -1;
        made->ngraphs = i + 1;
        if (!graph->name)
            break;
    }
    if (!made->graphs || !made->graphs[made->ngraphs - 1].name) {
        evaluation_destroy(made);
        return MAPCORE_ENOMEM;
    }
    *out = made;
    return 0;
}

static int add_seconds(struct evaluation_series *series,
                       size_t nruns,
                       double seconds,
                       struct mapcore_error *err)
{
    size_t capacity = series->n;
    int error = 0;

    if (series->n != nruns || seconds < 0)
        return 0;
    error = array_reserve(&series->seconds, &capacity, nruns + 1,
                          sizeof(*series->seconds), err);
    if (error == 0)
        series->seconds[series->n++] = seconds;
    return error;
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

int evaluation_add(struct evaluation *evaluation,
                   size_t graph,
                   const struct evaluation_run *run,
                   struct mapcore_error *err)
{
    struct evaluation_graph *to = &evaluation->graphs[graph];
    int error = 0;

    if (to->nruns == EVALUATION_RUNS_MOST)
        return error_set(err, MAPCORE_ERANGE, "more than %d runs of %.80s",
                         EVALUATION_RUNS_MOST, to->name);
    for (size_t i = 0; error == 0 && i < EVALUATION_KINDS; i++)
        error = add_seconds(&to->series[i], to->nruns, run->seconds[i], err);
    for (size_t i = 0; error == 0 && i < run->nphases; i++) {
        struct evaluation_series *phase =
            evaluation_phase(to, run->phase[i].name);

        if (!phase && to->nphases < PROFILE_PHASES_MOST)
            error = evaluation_add_phase(&phase, to, run->phase[i].name, err);
        if (phase)
            error = add_seconds(phase, to->nruns, run->phase[i].seconds, err);
    }
    to->nruns += error == 0;
    return error;
}

void evaluation_cut(struct evaluation_graph *graph, size_t nruns)
{
    graph->nruns = nruns;
    for (size_t i = 0; i < EVALUATION_KINDS; i++)
        if (graph->series[i].n > nruns)
            graph->series[i].n = nruns;
    for (size_t i = 0; i < graph->nphases; i++)
        if (graph->phase[i].n > nruns)
            graph->phase[i].n = nruns;
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

static double spread(const struct evaluation_graph *graph)
{
    const double *seconds = graph->series[EVALUATION_SECONDS].seconds;

    return select_value(seconds, graph->nruns, graph->nruns - 1) -
           select_value(seconds, graph->nruns, 0);
}

void evaluation_judge(struct evaluation *evaluation)
{
    const struct evaluation_graph *unmapped = &evaluation->graphs[0], *best;
    double plain = median_seconds(unmapped), least = -1, noise;

    evaluation->best = NULL;
    evaluation->noise_seconds = 0;
    evaluation->unmapped_is_best = false;
    for (size_t i = 1; i < evaluation->ngraphs; i++) {
        const double seconds = median_seconds(&evaluation->graphs[i]);

        if (seconds >= 0 && (!evaluation->best || seconds < least)) {
            evaluation->best = evaluation->graphs[i].name;
            least = seconds;
        }
    }
    if (!(best = best_graph(evaluation)) || unmapped->nruns == 0)
        return;
    noise = plain * (unmapped->nruns < EVALUATION_FEW_RUNS ||
                             best->nruns < EVALUATION_FEW_RUNS
                         ? LEAST_NOISE_OF_FEW
                         : LEAST_NOISE);
    noise = fmax(noise, fmax(spread(unmapped), spread(best)));
    evaluation->noise_seconds = noise;
    evaluation->unmapped_is_best = evaluation_is_complete(evaluation) &&
                                   unmapped->nruns >= EVALUATION_FEW_RUNS &&
                                   least - plain > noise;
}
