/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* noted.c - what srun tells the history of a step that has ended */
#include "config.h"

#include "plugin/srun/noted.h"

#include "launch/wire.h"
#include "plugin/srun/child.h"

#include <stdlib.h>
#include <string.h>

void noted_outcome(struct noted *noted, const char *outcome, const char *why)
{
    snprintf(noted->outcome, sizeof(noted->outcome), "%s", outcome);
    snprintf(noted->why, sizeof(noted->why), "%s", why);
}

void noted_begin(struct noted_telling *out,
                 const struct noted *noted,
                 const char *times,
                 const struct plugstack *plugstack,
                 double seconds)
{
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
    const struct child_question question = {
        .argv = argv, .seconds = seconds, .stays = true};
    const char **word = argv + 4;

    out->child = NULL;
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
    snprintf(out->text, sizeof(out->text),
             "step %u.%u\nseconds %llu.%03u\nasked %s\n"
             "ntasks %u\nnnodes %u\n%s%s%s",
             noted->job, noted->step, (unsigned long long)(ms / 1000),
             (unsigned)(ms % 1000), noted->by_site ? "site" : "user",
             noted->ntasks, noted->nhosts, times ? "times " : "",
             times ? times : "", times ? "\n" : "");
    if (child_begin(&out->child, &question, NULL) < 0)
        out->child = NULL;
}

bool noted_remove(struct noted_telling *telling, const char *path)
{
    size_t n;

    if (!telling->child || strlen(path) >= PATH_MAX || strchr(path, '\n'))
        return false;
    n = strlen(telling->text);
    snprintf(telling->text + n, sizeof(telling->text) - n, "remove %s\n", path);
    return true;
}

bool noted_finish(struct noted_telling *telling, const struct noted *noted)
{
    char *answer = NULL;
    size_t n = telling->child ? strlen(telling->text) : 0;
    bool has_noted;

    if (telling->child)
        snprintf(telling->text + n, sizeof(telling->text) - n,
                 "outcome %s\nwhy %s\nprogram %s\n", noted->outcome, noted->why,
                 noted->program);
    has_noted =
        telling->child &&
        child_finish(&answer, &n, telling->child, telling->text, NULL) == 0 &&
        strcmp(answer, TOLD_END_REMOVED) == 0;

    free(answer);
    telling->child = NULL;
    return has_noted;
}
