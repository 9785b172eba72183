/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* step_end.c - what srun does when a step is over */
#include "config.h"

#include "plugin/srun/step_end.h"

#include "base/buffer.h"
#include "launch/wire.h"
#include "plugin/say.h"
#include "plugin/srun/child.h"
#include "plugin/srun/lookup.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* srun ends then, and with it what it holds: the next command that collects
 * files what is left. */
#define COLLECT_SECONDS 8
/* srun waits no longer for a file that storage keeps. */
#define REMOVE_SECONDS  1
#define HISTORY_SECONDS 1

void step_end_outcome(struct step_note *note,
                      const char *outcome,
                      const char *why)
{
    snprintf(note->outcome, sizeof(note->outcome), "%s", outcome);
    snprintf(note->why, sizeof(note->why), "%s", why);
}

/* What has come of the recording, in lines `outcome WORD`, `program NAME` and
 * lines for a user who asked, and for the history where nothing else
 * is known. */
static void collect(struct step_note *note,
                    const char *spool,
                    const char *program)
{
    static const char word[] = "outcome ", program_is[] = "program ";
    const char *const argv[] = {program,  "profile",     "collect", spool,
                                "--name", note->program, NULL};
    const struct child_question question = {.argv = argv,
                                            .seconds = COLLECT_SECONDS};
    const bool is_open = strcmp(note->outcome, "recorded") == 0;
    char *answer = NULL, *outcome = NULL, *why = NULL;
    struct mapcore_error err;
    size_t n;

    if (child_ask(&answer, &n, &question, &err) < 0) {
        say_user(MESSAGE_LEFT, err.text);
        if (is_open)
            step_end_outcome(note, "failed", err.text);
    }
    for (char *line = answer, *end; line && (end = strchr(line, '\n'));
         line = end + 1) {
        *end = '\0';
        if (strncmp(line, word, strlen(word)) == 0) {
            outcome = line + strlen(word);
        } else if (strncmp(line, program_is, strlen(program_is)) == 0) {
            snprintf(note->program, sizeof(note->program), "%s",
                     line + strlen(program_is));
        } else {
            say_user(MESSAGE_REMARK, line);
            why = why ? why : line;
        }
    }
    if (outcome && is_open)
        step_end_outcome(note, outcome, why ? why : "");
    free(answer);
}

/* A line, if value is one. */
static void add_line(struct buffer *text, const char *word, const char *value)
{
    if (value && !strchr(value, '\n'))
        buffer_printf(text, "%s %s\n", word, value);
}

/* Whether the history has it, and the files are removed whose names are a line.
 */
static bool report(const struct step_files *files,
                   const struct plugstack *plugstack,
                   double seconds)
{
    const struct step_note *note = &files->note;
    const char *argv[9] = {plugstack->program, "history", "--ended", "-"};
    struct child_question question = {
        .argv = argv, .seconds = HISTORY_SECONDS, .stays = true};
    const uint64_t ms = (uint64_t)(1000 * seconds);
    const char **word = argv + 4;
    struct buffer text = {0};
    char *answer = NULL;
    bool is_removed;
    size_t n;

    if (plugstack->config) {
        *word++ = "--config";
        *word++ = plugstack->config;
    }
    if (plugstack->log) {
        *word++ = "--log";
        *word = plugstack->log;
    }
    /* Not %f: the user's locale may write a comma. */
    buffer_printf(&text,
                  "step %u.%u\nseconds %" PRIu64
                  ".%03u\nasked %s\nntasks %u\nnnodes %u\n",
                  note->job, note->step, ms / 1000, (unsigned)(ms % 1000),
                  note->by_site ? "site" : "user", note->ntasks, note->nhosts);
    add_line(&text, "times", files->times);
    add_line(&text, "remove", files->handoff);
    add_line(&text, "remove", files->ranks);
    buffer_printf(&text, "outcome %s\nwhy %s\nprogram %s\n", note->outcome,
                  note->why, note->program);
    question.input = text.bytes;
    is_removed = text.error == 0 &&
                 child_ask(&answer, &n, &question, NULL) == 0 &&
                 strcmp(answer, STEP_END_REMOVED) == 0;
    free(answer);
    buffer_clear(&text);
    return is_removed;
}

void step_end_run(struct step_files *files, const struct plugstack *plugstack)
{
    const double seconds = child_clock() - files->note.launched;
    char **const owned[] = {&files->handoff, &files->ranks, &files->spool,
                            &files->times};
    const char *left[2];
    bool is_removed;
    size_t n = 0;

    if (files->spool)
        collect(&files->note, files->spool, plugstack->program);
    is_removed = files->note.looked_at && report(files, plugstack, seconds);
    for (size_t i = 0; i < 2; i++)
        if (*owned[i] && (!is_removed || strchr(*owned[i], '\n')))
            left[n++] = *owned[i];
    if (n > 0)
        lookup_remove(left, n, REMOVE_SECONDS);
    for (size_t i = 0; i < sizeof(owned) / sizeof(owned[0]); i++) {
        free(*owned[i]);
        *owned[i] = NULL;
    }
}
