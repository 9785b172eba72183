/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* trial.c - srun, run and listened to on both its streams: what it says of a
 * launch that fails is what a person must read */
#include "config.h"

#include "tools/doctor/trial.h"

#include "tools/common/tool.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>

#define MOST ((size_t)1 << 20)

enum { WORDS_MOST = 30 };

/* srun: job 12 queued and waiting for resources */
static void show_waiting(const struct buffer *said, size_t from)
{
    const char *line = said->n > from
                           ? strstr(said->bytes + from, "queued and waiting")
                           : NULL;

    if (!line)
        return;
    while (line > said->bytes && line[-1] != '\n')
        line--;
    tool_note("%.*s", (int)strcspn(line, "\n"), line);
}

int trial_run(struct process_output *out,
              double seconds,
              char *const words[],
              struct mapcore_error *err)
{
    const struct process process = {.words = words, .in = -1};
    const struct process_listener listener = {.seconds = seconds,
                                              .most = MOST,
                                              .hears_err = true,
                                              .heard = show_waiting};

    return process_listen(out, &process, &listener, err);
}

int trial_words(struct process_output *out,
                double seconds,
                struct mapcore_error *err,
                const char *command,
                ...)
{
    char *words[WORDS_MOST + 1];
    const char *word = command;
    va_list args;
    size_t n = 0;

    va_start(args, command);
    /* posix_spawn() changes none of them. */
    for (; word && n < WORDS_MOST; word = va_arg(args, const char *))
        words[n++] = (char *)(uintptr_t)word;
    va_end(args);
    words[n] = NULL;
    return trial_run(out, seconds, words, err);
}

bool trial_is_good(const struct process_output *run)
{
    return WIFEXITED(run->status) && WEXITSTATUS(run->status) == 0;
}

const char *trial_last_line(size_t *n, const struct process_output *run)
{
    static const char own[] = "topomap: ";
    const struct buffer *text = run->said.n > 0 ? &run->said : &run->out;
    size_t end = text->n, start;

    while (end > 0 && text->bytes[end - 1] == '\n')
        end--;
    for (start = end; start > 0 && text->bytes[start - 1] != '\n';)
        start--;
    if (end - start > sizeof(own) - 1 &&
        strncmp(text->bytes + start, own, sizeof(own) - 1) == 0)
        start += sizeof(own) - 1;
    *n = end - start;
    return text->bytes ? text->bytes + start : "";
}
