/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* evaluation_table.c - what topomap tune measured, for people: a row a graph,
 * and what --topomap=auto makes of it */
#include "config.h"

#include "tools/common/evaluation_table.h"

#include "base/array.h"
#include "tools/common/tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int median(double *out,
                  const double *values,
                  size_t n,
                  struct mapcore_error *err)
{
    *out = -1;
    return n == 0 ? 0 : evaluation_median(out, values, n, err);
}

/* A name for the best alone, and only when it was measured well enough. */
static const char *mark(const struct evaluation *evaluation,
                        size_t i,
                        double seconds,
                        double plain)
{
    const struct evaluation_graph *graph = &evaluation->graphs[i];
    bool is_best =
        evaluation->unmapped_is_best
            ? i == 0
            : evaluation->best && strcmp(evaluation->best, graph->name) == 0;

    if (!evaluation_decides(evaluation))
        return "";
    if (i > 0 && plain > 0 &&
        fabs(seconds - plain) <= evaluation->noise_seconds)
        return "  within noise";
    return is_best ? "  best" : "";
}

static int print_row(const struct evaluation *evaluation,
                     size_t i,
                     double plain,
                     struct mapcore_error *err)
{
    const struct evaluation_graph *graph = &evaluation->graphs[i];
    char hops[48] = "-", against[16] = "-";
    double seconds, mpi;

    if (median(&seconds, graph->seconds, graph->nruns, err) < 0 ||
        median(&mpi, graph->mpi_seconds, graph->nruns, err) < 0)
        return MAPCORE_ENOMEM;
    if (graph->hops_per_byte >= 0)
        snprintf(hops, sizeof(hops), "%.4g -> %.4g", graph->before,
                 graph->hops_per_byte);
    if (i > 0 && plain > 0 && seconds >= 0)
        snprintf(against, sizeof(against), "%+.1f%%",
                 100 * (seconds / plain - 1));
    tool_print("%-20s%20s%6zu", graph->name, hops, graph->nruns);
    if (graph->nruns > 0)
        printf("%14.4f%14.4f%12s%s\n", seconds, mpi, against,
               mark(evaluation, i, seconds, plain));
    else
        printf("%14s%14s%12s\n", "-", "-", "-");
    return 0;
}

/* The median of what the runs say at that place of struct evaluation_tasks. */
static int tasks_median(double *out,
                        const struct evaluation_graph *graph,
                        size_t offset,
                        struct mapcore_error *err)
{
    double *values = array_alloc(graph->nruns, sizeof(*values), err);
    int error;

    if (!values)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < graph->nruns; i++)
        memcpy(&values[i], (const char *)&graph->tasks[i] + offset,
               sizeof(*values));
    error = median(out, values, graph->nruns, err);
    free(values);
    return error;
}

static void print_amount(double amount)
{
    if (amount >= 0)
        printf("%12.4g", amount);
    else
        printf("%12s", "-");
}

/* Table 1 of the paper that the manual names: whether the mean and the largest
 * hop-bytes of a task say how long tasks are in MPI on average and at most. */
static int print_tasks(const struct evaluation_graph *graph,
                       struct mapcore_error *err)
{
    double p2p, most_p2p, mpi, most_mpi;
    int error;

    if ((error = tasks_median(
             &p2p, graph, offsetof(struct evaluation_tasks, p2p), err)) < 0 ||
        (error = tasks_median(&most_p2p, graph,
                              offsetof(struct evaluation_tasks, most_p2p),
                              err)) < 0 ||
        (error = tasks_median(&most_mpi, graph,
                              offsetof(struct evaluation_tasks, most_mpi),
                              err)) < 0 ||
        (error = median(&mpi, graph->mpi_seconds, graph->nruns, err)) < 0)
        return error;
    tool_print("%-20s", graph->name);
    print_amount(graph->hops_per_byte);
    print_amount(graph->max_hops_per_byte);
    print_amount(p2p);
    print_amount(most_p2p);
    print_amount(mpi);
    print_amount(most_mpi);
    putchar('\n');
    return 0;
}

static int print_all_tasks(const struct evaluation *evaluation,
                           struct mapcore_error *err)
{
    bool has_head = false;
    int error = 0;

    for (size_t i = 0; error == 0 && i < evaluation->ngraphs; i++) {
        if (!evaluation_knows_tasks(&evaluation->graphs[i]))
            continue;
        if (!has_head)
            printf("\n%-20s%24s%24s%24s\n%-20s%12s%12s%12s%12s%12s%12s\n", "",
                   "HOPS PER BYTE", "P2P SECONDS", "MPI SECONDS", "BY TASK",
                   "MEAN", "MOST", "MEAN", "MOST", "MEAN", "MOST");
        has_head = true;
        error = print_tasks(&evaluation->graphs[i], err);
    }
    return error;
}

static double phase_median(const struct evaluation_graph *graph,
                           const char *name)
{
    const struct evaluation_phase *phase =
        evaluation_phases_find(&graph->phases, graph->nruns, name);
    double seconds;

    return phase && evaluation_median(&seconds, phase->seconds, graph->nruns,
                                      NULL) == 0
               ? seconds
               : -1;
}

/* Each phase in Slurm's own layout, and with the graph that is fastest for it:
 * a phase may want another layout than the rest. */
static void print_phases(const struct evaluation *evaluation)
{
    const struct evaluation_graph *unmapped = &evaluation->graphs[0];
    bool has_head = false;

    for (size_t p = 0; p < unmapped->phases.n; p++) {
        const char *name = unmapped->phases.phase[p].name, *with = NULL;
        const double plain = phase_median(unmapped, name);
        double least = -1;

        for (size_t i = 1; i < evaluation->ngraphs; i++) {
            const double seconds = phase_median(&evaluation->graphs[i], name);

            if (seconds >= 0 && (least < 0 || seconds < least)) {
                least = seconds;
                with = evaluation->graphs[i].name;
            }
        }
        if (plain < 0)
            continue;
        if (!has_head)
            printf("\n%-24s%14s%14s%12s  %s\n", "MPI SECONDS BY PHASE", "SLURM",
                   "LEAST", "vs SLURM", "WITH GRAPH");
        has_head = true;
        tool_print("%-24s%14.4f", name, plain);
        if (with && plain > 0)
            tool_print("%14.4f%+11.1f%%  %s\n", least,
                       100 * (least / plain - 1), with);
        else
            printf("%14s%12s\n", "-", "-");
    }
}

static void print_verdict(const struct evaluation *evaluation)
{
    putchar('\n');
    if (!evaluation->best)
        puts("no graph was run yet: --topomap=auto uses weighted-sum");
    else if (!evaluation_decides(evaluation))
        printf("fewer than %d runs decide nothing: --topomap=auto uses "
               "weighted-sum\n",
               EVALUATION_FEW_RUNS);
    else if (evaluation->unmapped_is_best)
        printf("--topomap=auto will leave this program alone: Slurm's own "
               "layout is faster\nthan with any graph, by more than the noise "
               "of %.3g s\n",
               evaluation->noise_seconds);
    else
        tool_print("--topomap=auto will use the graph %s (%snoise %.3g s)\n",
                   evaluation->best,
                   evaluation_is_sure(evaluation)
                       ? ""
                       : "no faster than Slurm's own layout beyond the ",
                   evaluation->noise_seconds);
    if (!evaluation_is_complete(evaluation))
        puts("not all runs were made: the same command goes on");
}

int evaluation_table_print(const struct evaluation *evaluation,
                           struct mapcore_error *err)
{
    double plain;
    int error = median(&plain, evaluation->graphs[0].seconds,
                       evaluation->graphs[0].nruns, err);

    printf("%-20s%20s%6s%14s%14s%12s\n", "GRAPH", "HOPS PER BYTE", "RUNS",
           "SECONDS", "MPI SECONDS", "vs SLURM");
    for (size_t i = 0; error == 0 && i < evaluation->ngraphs; i++)
        error = print_row(evaluation, i, plain, err);
    if (error == 0)
        error = print_all_tasks(evaluation, err);
    if (error == 0)
        print_phases(evaluation);
    if (error == 0)
        print_verdict(evaluation);
    return error;
}
