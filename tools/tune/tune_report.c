/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tune_report.c - what topomap tune shows: where it is, and what came out */
#include "config.h"

#include "tools/tune/tune.h"

#include "tools/common/evaluation_table.h"
#include "tools/common/told.h"

#include <inttypes.h>
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

int tune_report(const struct tune *tune, struct mapcore_error *err)
{
    struct told_answer told;

    if (tune->json)
        return evaluation_print(tune->evaluation, stdout, err);
    if (tune->csv)
        return !told_begin(&told, stdout, "graphs", err)
                   ? MAPCORE_ENOMEM
                   : told_end(&told,
                              evaluation_print(tune->evaluation,
                                               told.writer.file, err),
                              err);
    tool_print("%s, %" PRIu32 " tasks: %s\n\n", tune->profile->program,
               tune->profile->ntasks, tune->folder);
    evaluation_table_print(tune->evaluation);
    return 0;
}
