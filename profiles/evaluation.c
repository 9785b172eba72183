/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* evaluation.c - the runs of an evaluation, judged */
#include "config.h"

#include "profiles/evaluation.h"

#include "base/array.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Differences below this share of the time mean nothing; the larger share where
 * there are too few runs to tell the spread by. */
static const double LEAST_NOISE = 0.01, LEAST_NOISE_OF_FEW = 0.05;

static char *copy(const char *text, struct mapcore_error *err)
{
    return array_copy(text, strlen(text) + 1, 1, err);
}

void evaluation_destroy(struct evaluation *evaluation)
{
    int saved = errno;

    if (!evaluation)
        return;
    for (size_t i = 0; i < evaluation->ngraphs; i++) {
        free(evaluation->graphs[i].name);
        free(evaluation->graphs[i].seconds);
        free(evaluation->graphs[i].mpi_seconds);
        free(evaluation->graphs[i].tasks);
        evaluation_phases_clear(&evaluation->graphs[i].phases);
    }
    free(evaluation->graphs);
    free(evaluation->evaluated);
    free(evaluation->nodes);
    free(evaluation->best);
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
        struct evaluation_graph *graph = &made->graphs[i];

        graph->name = copy(i == 0 ? EVALUATION_UNMAPPED : names[i - 1], err);
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

int evaluation_add(struct evaluation *evaluation,
                   size_t graph,
                   double seconds,
                   double mpi_seconds,
                   struct mapcore_error *err)
{
    struct evaluation_graph *to = &evaluation->graphs[graph];
    size_t capacity = to->capacity;
    int error = array_reserve(&to->seconds, &capacity, to->nruns + 1,
                              sizeof(*to->seconds), err);

    if (error == 0)
        error = array_reserve(&to->mpi_seconds, &to->capacity, to->nruns + 1,
                              sizeof(*to->mpi_seconds), err);
    if (error < 0)
        return error;
    to->seconds[to->nruns] = seconds;
    to->mpi_seconds[to->nruns++] = mpi_seconds;
    return 0;
}

int evaluation_add_tasks(struct evaluation *evaluation,
                         size_t graph,
                         const struct evaluation_tasks *tasks,
                         struct mapcore_error *err)
{
    struct evaluation_graph *to = &evaluation->graphs[graph];
    struct evaluation_tasks *more;

    if (to->ntasks + 1 != to->nruns)
        return 0;
    more = array_alloc(to->nruns, sizeof(*more), err);
    if (!more)
        return MAPCORE_ENOMEM;
    if (to->ntasks > 0)
        memcpy(more, to->tasks, to->ntasks * sizeof(*more));
    more[to->ntasks++] = *tasks;
    free(to->tasks);
    to->tasks = more;
    return 0;
}

bool evaluation_knows_tasks(const struct evaluation_graph *graph)
{
    return graph->nruns > 0 && graph->ntasks == graph->nruns;
}

static const struct evaluation_graph *best_graph(
    const struct evaluation *evaluation)
{
    for (size_t i = 1; evaluation->best && i < evaluation->ngraphs; i++)
        if (strcmp(evaluation->graphs[i].name, evaluation->best) == 0)
            return &evaluation->graphs[i];
    return NULL;
}

bool evaluation_decides(const struct evaluation *evaluation)
{
    const struct evaluation_graph *best = best_graph(evaluation);

    return best && best->nruns >= EVALUATION_FEW_RUNS &&
           evaluation->graphs[0].nruns >= EVALUATION_FEW_RUNS;
}

bool evaluation_is_sure(const struct evaluation *evaluation)
{
    const struct evaluation_graph *best = best_graph(evaluation);
    const struct evaluation_graph *unmapped = &evaluation->graphs[0];
    double seconds, plain;

    return evaluation_decides(evaluation) &&
           evaluation_median(&seconds, best->seconds, best->nruns, NULL) == 0 &&
           evaluation_median(&plain, unmapped->seconds, unmapped->nruns,
                             NULL) == 0 &&
           fabs(seconds - plain) > evaluation->noise_seconds;
}

bool evaluation_is_complete(const struct evaluation *evaluation)
{
    for (size_t i = 0; i < evaluation->ngraphs; i++)
        if (evaluation->graphs[i].nruns < evaluation->repeat)
            return false;
    return true;
}

int evaluation_median(double *out,
                      const double *values,
                      size_t n,
                      struct mapcore_error *err)
{
    double *sorted = array_copy(values, n, sizeof(*values), err);

    if (!sorted)
        return MAPCORE_ENOMEM;
    array_sort_double(sorted, n);
    *out = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    free(sorted);
    return 0;
}

static double spread(const struct evaluation_graph *graph)
{
    double least = graph->seconds[0], most = least;

    for (size_t i = 1; i < graph->nruns; i++) {
        if (graph->seconds[i] < least)
            least = graph->seconds[i];
        if (graph->seconds[i] > most)
            most = graph->seconds[i];
    }
    return most - least;
}

/* *best stays NULL when no graph was run. */
static int find_best(const struct evaluation_graph **best,
                     double *seconds,
                     const struct evaluation *evaluation,
                     struct mapcore_error *err)
{
    for (size_t i = 1; i < evaluation->ngraphs; i++) {
        const struct evaluation_graph *graph = &evaluation->graphs[i];
        double median;

        if (graph->nruns == 0)
            continue;
        if (evaluation_median(&median, graph->seconds, graph->nruns, err) < 0)
            return MAPCORE_ENOMEM;
        if (!*best || median < *seconds) {
            *best = graph;
            *seconds = median;
        }
    }
    return 0;
}

int evaluation_judge(struct evaluation *evaluation, struct mapcore_error *err)
{
    const struct evaluation_graph *unmapped = &evaluation->graphs[0];
    const struct evaluation_graph *best = NULL;
    double seconds = 0, plain, noise = 0;
    char *name = NULL;
    bool better = false;

    if (find_best(&best, &seconds, evaluation, err) < 0 ||
        (best && !(name = copy(best->name, err))))
        return MAPCORE_ENOMEM;
    if (best && unmapped->nruns > 0) {
        if (evaluation_median(&plain, unmapped->seconds, unmapped->nruns, err) <
            0) {
            free(name);
            return MAPCORE_ENOMEM;
        }
        noise = plain * (unmapped->nruns < EVALUATION_FEW_RUNS ||
                                 best->nruns < EVALUATION_FEW_RUNS
                             ? LEAST_NOISE_OF_FEW
                             : LEAST_NOISE);
        if (spread(unmapped) > noise)
            noise = spread(unmapped);
        if (spread(best) > noise)
            noise = spread(best);
        better = evaluation_is_complete(evaluation) &&
                 unmapped->nruns >= EVALUATION_FEW_RUNS &&
                 seconds - plain > noise;
    }
    free(evaluation->best);
    evaluation->best = name;
    evaluation->noise_seconds = noise;
    evaluation->unmapped_is_best = better;
    return 0;
}
