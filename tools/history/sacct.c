/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sacct.c - Slurm's accounting asked for the seconds of steps whose srun was
 * killed before it could note their end */
#include "config.h"

#include "tools/history/sacct.h"

#include "base/buffer.h"
#include "base/text.h"
#include "launch/defaults.h"
#include "tools/common/subprocess.h"

#include <inttypes.h>
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

struct accounted {
    uint32_t job, step;
    uint64_t start, elapsed;
    char *state;
};

/* "4711.0|1795000000|61|COMPLETED"; false: anything else. */
static bool parse(struct accounted *out, char *line)
{
    char *word[4], *point;
    uint64_t job, step;

    for (size_t i = 0; i < 4; i++) {
        if (!line)
            return false;
        word[i] = line;
        if ((line = strchr(line, '|')))
            *line++ = '\0';
    }
    if (line || !(point = strchr(word[0], '.')))
        return false;
    *point++ = '\0';
    if (!text_parse_u64(word[0], &job) || job > UINT32_MAX ||
        !text_parse_u64(point, &step) || step > UINT32_MAX ||
        !text_parse_u64(word[1], &out->start) ||
        !text_parse_u64(word[2], &out->elapsed))
        return false;
    /* "CANCELLED by 1000" */
    word[3][strcspn(word[3], " ")] = '\0';
    out->job = (uint32_t)job;
    out->step = (uint32_t)step;
    out->state = word[3];
    return *out->state != '\0' && strcmp(out->state, "RUNNING") != 0 &&
           strcmp(out->state, "PENDING") != 0;
}

static bool is_of(const struct accounted *told, const struct history_line *step)
{
    double start = (double)told->start;

    return step->job == told->job && step->step == told->step &&
           start <= step->at_s + CLOCKS_S && start >= step->at_s - PLANNED_S;
}

size_t sacct_take(struct history *history, double since, char *text)
{
    char *rest = NULL;
    struct accounted told;
    size_t n = 0;

    for (char *line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        if (!parse(&told, line))
            continue;
        for (size_t i = 0; i < history->n; i++) {
            struct history_line *step = &history->step[i];

            if (!lacks(step, since) || !is_of(&told, step) ||
                !(step->state = strdup(told.state)))
                continue;
            step->seconds = (double)told.elapsed;
            n++;
            break;
        }
    }
    return n;
}

static int run(size_t *n,
               struct history *history,
               double since,
               char *jobs,
               struct mapcore_error *err)
{
    char sacct[] = "sacct", noheader[] = "--noheader", plain[] = "--parsable2",
         duplicates[] = "--duplicates", of[] = "--jobs",
         format[] = "--format=" SACCT_COLUMNS;
    char *const argv[] = {sacct, noheader, plain,  duplicates,
                          of,    jobs,     format, NULL};
    struct mapcore_error why;
    char *text = NULL;
    size_t size;
    int error = subprocess_read(&text, &size, argv, CHILD_SECONDS, &why);

    if (error == MAPCORE_ENOMEM)
        return error_set(err, error, "no memory");
    if (error < 0)
        return error_set(err, error,
                         "no wall times by --sacct: %s; without slurmdbd "
                         "(AccountingStorageType) Slurm keeps none",
                         why.text);
    *n += sacct_take(history, since, text);
    free(text);
    return 0;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Jobs [n] that are asked for, ascending, each once. */
static int find_jobs(uint32_t **out,
                     size_t *n,
                     const struct history *history,
                     double since,
                     uint32_t job,
                     struct mapcore_error *err)
{
    uint32_t *found = calloc(history->n + 1, sizeof(*found));
    size_t nfound = 0;

    *n = 0;
    if (!(*out = found))
        return error_set(err, MAPCORE_ENOMEM, "no memory");
    for (size_t i = 0; i < history->n; i++)
        if (lacks(&history->step[i], since) &&
            (job == 0 || history->step[i].job == job))
            found[nfound++] = history->step[i].job;
    qsort(found, nfound, sizeof(*found), by_number);
    for (size_t i = 0; i < nfound; i++)
        if (*n == 0 || found[i] != found[*n - 1])
            found[(*n)++] = found[i];
    return 0;
}

int sacct_ask(size_t *n,
              struct history *history,
              double since,
              uint32_t job,
              struct mapcore_error *err)
{
    uint32_t *jobs;
    size_t njobs, i = 0;
    int error = find_jobs(&jobs, &njobs, history, since, job, err);

    *n = 0;
    setenv("SLURM_TIME_FORMAT", "%s", 1);
    while (error == 0 && i < njobs) {
        struct buffer list = {0};

        for (size_t k = 0; error == 0 && k < JOBS_MOST && i < njobs; k++, i++)
            error = buffer_printf(&list, err, "%s%" PRIu32, k > 0 ? "," : "",
                                  jobs[i]);
        if (error == 0)
            error = run(n, history, since, list.bytes, err);
        buffer_clear(&list);
    }
    free(jobs);
    return error;
}
