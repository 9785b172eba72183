/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sacct.c - Slurm's accounting asked for the seconds of steps whose srun was
 * killed before it could note their end */
#include "config.h"

#include "tools/history/sacct.h"

#include "base/array.h"
#include "base/buffer.h"
#include "launch/defaults.h"
#include "tools/common/subprocess.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A plan may take so long between the start of the step and its note; clocks
 * differ by less than the second. */
#define PLANNED_S (DEFAULTS_SECONDS_MOST + 60.0)
#define CLOCKS_S  60.0
/* Of one question: a database is not to be kept busy, nor a command line to be
 * too long. */
#define JOBS_MOST 500

static bool lacks(const struct history_line *step, double since)
{
    return step->at_s >= since && step->seconds < 0 &&
           strcmp(step->event, HISTORY_LAUNCH) == 0;
}

/* "4711.0|1795000000|61|COMPLETED"; lines of anything else, and of steps that
 * still run, are passed over. */
static void take_line(struct history *history, double since, const char *line)
{
    unsigned job, number;
    double start, elapsed;
    char state[32], end;

    if (sscanf(line, "%u.%u|%lf|%lf|%31[A-Z_]%c", &job, &number, &start,
               &elapsed, state, &end) < 5 ||
        strcmp(state, "RUNNING") == 0 || strcmp(state, "PENDING") == 0)
        return;
    for (size_t i = 0; i < history->n; i++) {
        struct history_line *step = &history->step[i];

        if (lacks(step, since) && step->job == job && step->step == number &&
            start <= step->at_s + CLOCKS_S && start >= step->at_s - PLANNED_S &&
            (step->state = strdup(state))) {
            step->seconds = elapsed;
            return;
        }
    }
}

static int run(struct history *history,
               double since,
               char *jobs,
               struct mapcore_error *err)
{
    char sacct[] = "sacct", noheader[] = "--noheader", plain[] = "--parsable2",
         duplicates[] = "--duplicates", of[] = "--jobs",
         format[] = "--format=JobIDRaw,Start,ElapsedRaw,State";
    char *const argv[] = {sacct, noheader, plain,  duplicates,
                          of,    jobs,     format, NULL};
    struct mapcore_error why;
    char *text = NULL, *rest = NULL;
    size_t size;
    int error = subprocess_read(&text, &size, argv, CHILD_SECONDS, &why);

    if (error == MAPCORE_ENOMEM)
        return error_set(err, error, "no memory");
    if (error < 0)
        return error_set(err, error,
                         "no wall times by --sacct: %s; without slurmdbd "
                         "(AccountingStorageType) Slurm keeps none",
                         why.text);
    for (char *line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest))
        take_line(history, since, line);
    free(text);
    return 0;
}

static int by_job(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

int sacct_ask(struct history *history,
              double since,
              uint32_t job,
              struct mapcore_error *err)
{
    uint32_t *jobs = array_alloc(history->n, sizeof(*jobs), err);
    size_t n = 0, i = 0;
    int error = jobs ? 0 : MAPCORE_ENOMEM;

    for (size_t k = 0; error == 0 && k < history->n; k++)
        if (lacks(&history->step[k], since) &&
            (job == 0 || history->step[k].job == job))
            jobs[n++] = history->step[k].job;
    if (n > 0)
        qsort(jobs, n, sizeof(*jobs), by_job);
    setenv("SLURM_TIME_FORMAT", "%s", 1);
    while (error == 0 && i < n) {
        struct buffer list = {0};

        for (size_t k = 0; error == 0 && k < JOBS_MOST && i < n; i++)
            if (i == 0 || jobs[i] != jobs[i - 1])
                error = buffer_printf(&list, err, "%s%" PRIu32,
                                      k++ > 0 ? "," : "", jobs[i]);
        if (error == 0 && list.n > 0)
            error = run(history, since, list.bytes, err);
        buffer_clear(&list);
    }
    free(jobs);
    return error;
}
