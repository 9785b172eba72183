/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tune_graphs.c - which graphs topomap tune tries, and their files */
#include "config.h"

#include "tools/tune/tune.h"

#include "base/buffer.h"
#include "tools/common/graphs.h"

#include <stdlib.h>

static int write_graph(const struct tune *tune,
                       const char *name,
                       struct mapcore_error *err)
{
    char *path = tune_below(tune, name, ".graph", err);
    struct mapcore_graph *graph = NULL;
    int error =
        path ? taskgraphs_make(&graph, &tune->graphs, tune->folder, name, err)
             : MAPCORE_ENOMEM;

    if (error == 0)
        error = graphs_write(graph, path, err);
    mapcore_graph_destroy(graph);
    free(path);
    return error;
}

/* Seconds of what has a graph in each phase; how many have one. */
static size_t phase_seconds(double *seconds,
                            bool *is_out,
                            const struct profile *profile)
{
    size_t n = 0;

    for (size_t i = 0; i < profile->nphases; i++) {
        const struct profile_phase *phase = &profile->phases[i];

        is_out[i] = true;
        for (size_t k = 0; k < phase->ntypes; k++)
            if (phase->types[k].graph) {
                is_out[i] = false;
                seconds[i] += phase->types[k].seconds;
            }
        n += !is_out[i];
    }
    return n;
}

/* The heaviest critical phase that is not listed yet, or nphases. */
static size_t next_phase(const double *seconds,
                         const bool *critical,
                         const bool *is_listed,
                         size_t n)
{
    size_t best = n;

    for (size_t i = 0; i < n; i++)
        if (critical[i] && !is_listed[i] &&
            (best == n || seconds[i] > seconds[best]))
            best = i;
    return best;
}

/* The graphs of the phases that are worth a run: of those that make up the
 * share of the time in phases the heaviest. None where the program has not
 * named two: one phase is all there is. */
static int list_phases(struct tool_list *names,
                       struct tune *tune,
                       struct mapcore_error *err)
{
    const struct profile *profile = tune->profile;
    const size_t n = profile->nphases;
    double seconds[PROFILE_PHASES_MOST] = {0};
    bool is_out[PROFILE_PHASES_MOST], critical[PROFILE_PHASES_MOST];
    bool is_listed[PROFILE_PHASES_MOST] = {false};
    char word[PROFILE_PHASE_WORD];
    int error = 0;

    if (phase_seconds(seconds, is_out, profile) < 2)
        return 0;
    error = mapcore_critical_select(critical, seconds, is_out, n,
                                    tune->graphs.share, err);
    for (size_t i = 0; error == 0 && i < TUNE_PHASES; i++) {
        const size_t next = next_phase(seconds, critical, is_listed, n);
        struct buffer name = {0};

        if (next == n)
            break;
        is_listed[next] = true;
        error = buffer_printf(&name, err, "all@%s",
                              profile_phase_word(word, &profile->phases[next]));
        tune->phase_graph[i] = buffer_steal(&name);
        if (error == 0)
            error = tool_list_add(names, tune->phase_graph[i], err);
    }
    return error;
}

/* One graph for each critical type, and their sums where there are several; no
 * critical type fails with the reason, which making their sum knows. */
int tune_list_graphs(struct tool_list *names,
                     struct tune *tune,
                     struct mapcore_error *err)
{
    int error = 0;

    for (size_t i = 0; error == 0 && i < tune->profile->ntypes; i++)
        if (tune->graphs.role[i] == TASKGRAPHS_CRITICAL)
            error = tool_list_add(names, tune->profile->types[i].name, err);
    if (error == 0 && tune->graphs.ncritical != 1)
        error = tool_list_add(names, "sum", err);
    if (error == 0 && tune->graphs.ncritical > 1)
        error = tool_list_add(names, "weighted-sum", err);
    if (error == 0)
        error = list_phases(names, tune, err);
    for (size_t i = 0; error == 0 && i < names->n; i++)
        error = write_graph(tune, names->item[i], err);
    return error;
}
