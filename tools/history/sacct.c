/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sacct.c - Slurm's accounting asked for the seconds of steps whose srun was
 * killed before it could note their end, by sacct.py */
#include "config.h"

#include "tools/history/history_tool.h"

#include "tools/common/script.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool lacks(const struct history_line *step, double since)
{
    return step->at_s >= since && step->seconds < 0 &&
           strcmp(step->event, HISTORY_LAUNCH) == 0;
}

/* Lines "INDEX SECONDS STATE", perhaps "! WHY" behind them. */
static int take_answer(struct history *history,
                       char *answer,
                       struct mapcore_error *err)
{
    char *rest = NULL, state[32];
    double seconds;
    size_t i;

    for (char *line = strtok_r(answer, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        if (line[0] == '!')
            return error_set(err, MAPCORE_EIO,
                             "no wall times by --sacct: %s; without slurmdbd "
                             "(AccountingStorageType) Slurm keeps none",
                             line + 2);
        if (sscanf(line, "%zu %lf %31[A-Z_]", &i, &seconds, state) == 3 &&
            i < history->n && !history->step[i].state &&
            (history->step[i].state = strdup(state)))
            history->step[i].seconds = seconds;
    }
    return 0;
}

int sacct_ask(struct history *history,
              double since,
              uint32_t job,
              struct mapcore_error *err)
{
    FILE *file = script_memory(err);
    struct buffer answer = {0};
    size_t n = 0;
    int error = file ? 0 : MAPCORE_ENOMEM;

    for (size_t i = 0; error == 0 && i < history->n; i++) {
        const struct history_line *step = &history->step[i];

        if (lacks(step, since) && (job == 0 || step->job == job))
            n += fprintf(file, "%zu %" PRIu32 " %" PRIu32 " %.17g\n", i,
                         step->job, step->step, step->at_s) > 0;
    }
    if (error == 0 && n > 0)
        error = script_filter(&answer, "sacct.py", (const char *const[]){NULL},
                              file, err);
    if (error == 0 && answer.n > 0)
        error = take_answer(history, answer.bytes, err);
    buffer_clear(&answer);
    if (file)
        fclose(file);
    return error;
}
