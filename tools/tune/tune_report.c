/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tune_report.c - what topomap tune shows: where it is, and what came out */
#include "config.h"

#include "tools/tune/tune.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Seconds that the runs to come will take, T = P(n + 1) + nM (ICS'17, section
 * 4.3) for the rounds that are left: P from the runs so far, and M, the time of
 * planning, is in the runs with a graph once there was one. Negative: no
 * telling. */
static double time_left(const struct tune *tune)
{
    const struct evaluation *evaluation = tune->evaluation;
    double unmapped, mapped, left = 0;

    if (!evaluation || tune->nwall[0] == 0)
        return -1;
    unmapped = tune->wall[0] / tune->nwall[0];
    mapped = tune->nwall[1] > 0 ? tune->wall[1] / tune->nwall[1]
                                : unmapped + tune->budget_s;
    for (size_t i = 0; i < evaluation->ngraphs; i++)
        if (evaluation->graphs[i].nruns < evaluation->repeat)
            left += (double)(evaluation->repeat - evaluation->graphs[i].nruns) *
                    (i == 0 ? unmapped : mapped);
    return left;
}

void tune_progress(const struct tune *tune, const char *graph)
{
    double left = time_left(tune);

    if (isatty(STDERR_FILENO) != 1)
        return;
    if (tune->planned == 0)
        fprintf(stderr, "\r\033[Ktopomap: the first run, %s", graph);
    else
        fprintf(stderr, "\r\033[Ktopomap: run %u of %u, %s", tune->done + 1,
                tune->planned, graph);
    if (left >= 0)
        fprintf(stderr, "; about %.0f s left", left);
}

void tune_progress_end(void)
{
    if (isatty(STDERR_FILENO) == 1)
        fputs("\r\033[K", stderr);
}

static int median(double *out,
                  const double *values,
                  size_t n,
                  struct mapcore_error *err)
{
    *out = -1;
    return n == 0 ? 0 : evaluation_median(out, values, n, err);
}

static int print_row(const struct evaluation *evaluation,
                     size_t i,
                     double plain,
                     struct mapcore_error *err)
{
    const struct evaluation_graph *graph = &evaluation->graphs[i];
    bool best =
        evaluation->best && (evaluation->unmapped_is_best
                                 ? i == 0
                                 : strcmp(evaluation->best, graph->name) == 0);
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
               best ? "  best" : "");
    else
        printf("%14s%14s%12s\n", "-", "-", "-");
    return 0;
}

static void print_verdict(const struct tune *tune)
{
    const struct evaluation *evaluation = tune->evaluation;

    putchar('\n');
    if (!evaluation->best)
        puts("no graph was run yet: --topomap=auto uses weighted-sum");
    else if (evaluation->unmapped_is_best)
        printf("--topomap=auto will leave this program alone: Slurm's own "
               "layout is faster\nthan with any graph, by more than the noise "
               "of %.3g s\n",
               evaluation->noise_seconds);
    else
        tool_print("--topomap=auto will use the graph %s (noise %.3g s)\n",
                   evaluation->best, evaluation->noise_seconds);
    if (!evaluation_is_complete(evaluation))
        puts("not all runs were made: the same command goes on");
}

int tune_report(const struct tune *tune, struct mapcore_error *err)
{
    const struct evaluation *evaluation = tune->evaluation;
    double plain;
    int error = 0;

    if (tune->json)
        return evaluation_print(evaluation, stdout, err);
    error = median(&plain, evaluation->graphs[0].seconds,
                   evaluation->graphs[0].nruns, err);
    tool_print("%s, %" PRIu32 " tasks: %s\n\n", tune->profile->program,
               tune->profile->ntasks, tune->folder);
    printf("%-20s%20s%6s%14s%14s%12s\n", "GRAPH", "HOPS PER BYTE", "RUNS",
           "SECONDS", "MPI SECONDS", "UNMAPPED");
    for (size_t i = 0; error == 0 && i < evaluation->ngraphs; i++)
        error = print_row(evaluation, i, plain, err);
    if (error == 0)
        print_verdict(tune);
    return error;
}
