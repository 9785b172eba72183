/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* noted.c - what srun tells the history of a step that has ended */
#include "config.h"

#include "plugin/srun/noted.h"

#include "plugin/srun/child.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

void noted_outcome(struct noted *noted, const char *outcome, const char *why)
{
    noted->outcome = outcome;
    snprintf(noted->why, sizeof(noted->why), "%s", why);
}

void noted_tell(const struct noted *noted,
                const char *times,
                const struct plugstack *plugstack,
                double seconds)
{
    char text[1024 + PATH_MAX];
    uint64_t ms = (uint64_t)(1000 * (child_clock() - noted->launched));
    const char *argv[] = {plugstack->program,
                          "history",
                          "--ended",
                          "-",
                          NULL,
                          NULL,
                          NULL,
                          NULL,
                          NULL};
    struct child_question question = {
        .argv = argv, .input = text, .seconds = seconds};
    const char **word = argv + 4;
    char *answer = NULL;
    size_t n;

    if (!noted->looked_at)
        return;
    if (plugstack->config) {
        *word++ = "--config";
        *word++ = plugstack->config;
    }
    if (plugstack->log) {
        *word++ = "--log";
        *word = plugstack->log;
    }
    /* Not %f: the user's locale may write a comma. */
    snprintf(text, sizeof(text),
             "step %u.%u\nseconds %llu.%03u\noutcome %s\nasked %s\n"
             "program %s\nntasks %u\nnnodes %u\nwhy %s\n%s%s%s",
             noted->job, noted->step, (unsigned long long)(ms / 1000),
             (unsigned)(ms % 1000), noted->outcome,
             noted->by_site ? "site" : "user", noted->program, noted->ntasks,
             noted->nhosts, noted->why, times ? "times " : "",
             times ? times : "", times ? "\n" : "");
    question.ninput = strlen(text);
    child_ask(&answer, &n, &question, NULL);
    free(answer);
}
