/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* history_ended.c - the end of a step, as srun tells it: its seconds, and,
 * where `topomap plan` was not asked or did not answer, what it was */
#include "config.h"

#include "tools/history/history_tool.h"

#include "base/file_read.h"
#include "base/text.h"
#include "launch/wire.h"
#include "profiles/detached.h"
#include "profiles/history/history_write.h"
#include "tools/plan/plan_history.h"
#include "tools/site/site.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MOST ((size_t)65536)

/* What srun says. */
struct ended {
    struct history_line line;
    char *times;    /* the folder of tasks' times in MPI, or NULL */
    char *files[2]; /* of the step, not read any more */
};

static const struct {
    const char *word;
    enum { TEXT, NAME, COUNT, SECONDS } kind; /* NAME: a path's last part */
    size_t offset;
} words[] = {
    {"outcome", TEXT, offsetof(struct ended, line.outcome)},
    {"why", TEXT, offsetof(struct ended, line.why)},
    {"asked", TEXT, offsetof(struct ended, line.asked)},
    {"program", NAME, offsetof(struct ended, line.program)},
    {"times", TEXT, offsetof(struct ended, times)},
    {"remove", TEXT, offsetof(struct ended, files[0])},
    {"remove", TEXT, offsetof(struct ended, files[1])},
    {"ntasks", COUNT, offsetof(struct ended, line.ntasks)},
    {"nnodes", COUNT, offsetof(struct ended, line.nnodes)},
    {"seconds", SECONDS, offsetof(struct ended, line.seconds)},
};

/* The first text of a word counts. */
static int take_value(struct ended *out,
                      size_t i,
                      const struct text *text,
                      char *value)
{
    void *at = (char *)out + words[i].offset;
    char *cursor = value, **word = at;
    int error;

    if (words[i].kind == SECONDS &&
        (!text_parse_double(value, at) || *(double *)at < 0))
        return text_error(text, MAPCORE_EPARSE, "seconds %.40s", value);
    if (words[i].kind == COUNT &&
        ((error = text_read_u32(at, text, &cursor, "a number")) < 0 ||
         !text_at_end(cursor)))
        return error < 0
                   ? error
                   : text_error(text, MAPCORE_EPARSE, "more than a number");
    return words[i].kind > NAME
               ? 0
               : text_copy(word,
                           words[i].kind == NAME ? text_last_part(value)
                                                 : value,
                           text_err(text));
}

/* A line `word value`. */
static int take_line(struct ended *out, const struct text *text, char *line)
{
    char *value = line + strcspn(line, " ");

    if (*value != '\0')
        *value++ = '\0';
    if (strcmp(line, "step") == 0)
        return plan_history_parse_step(&out->line.job, &out->line.step, value,
                                       text_err(text));
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(line, words[i].word) == 0 &&
            (words[i].kind > NAME ||
             !*(char **)(void *)((char *)out + words[i].offset)))
            return take_value(out, i, text, value);
    return text_error(text, MAPCORE_EPARSE,
                      "\"%.40s\" is not known, or said before", line);
}

static int read_end(struct ended *out,
                    const char *path,
                    struct mapcore_error *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    struct buffer bytes = {0};
    struct text *text = NULL;
    char *line = NULL;
    int error =
        is_stdin ? file_read_rest(&bytes, STDIN_FILENO, "stdin", TEXT_MOST, err)
                 : file_read_all(&bytes, path, FILE_ANY, TEXT_MOST, err);
    bool named = false;

    if (error == 0)
        error = text_open_memory(&text, is_stdin ? "stdin" : path, bytes.bytes,
                                 bytes.n, err);
    while (error == 0 && (error = text_line(text, &line)) == 0 && line) {
        named = named || text_after(line, "step ");
        error = take_line(out, text, line);
    }
    if (error == 0 && !named)
        error = error_set(err, MAPCORE_EPARSE, "%s: no step is named", path);
    text_close(text);
    buffer_clear(&bytes);
    return error;
}

/* srun gets that answer, and removes them otherwise. */
static void remove_files(const struct ended *told)
{
    for (size_t i = 0; i < sizeof(told->files) / sizeof(told->files[0]); i++)
        if (told->files[i])
            (void)unlink(told->files[i]);
    if (told->files[0]) {
        fputs(STEP_END_REMOVED, stdout);
        fflush(stdout);
    }
}

int history_note_end(const struct history_options *options,
                     struct mapcore_error *err)
{
    struct ended ended = {.times = NULL};
    struct history_line *line = &ended.line;
    struct history_writing writing = {.line = line, .log = options->log};
    struct site_file *site = NULL;
    struct mapcore_error ignored;
    int error;

    /* srun waits for a second; the line is written all the same. */
    if (strcmp(options->ended, "-") == 0)
        (void)detached_leave();
    alarm(HISTORY_ALONE_S);
    history_line_begin(line);
    error = read_end(&ended, options->ended, err);
    if (error == 0)
        remove_files(&ended);
    if (error == 0)
        error = text_copy(&line->event, HISTORY_END, err);
    if (error == 0)
        error = history_line_stamp(line, err);
    /* What is wrong with the site file the launch has said. */
    if (error == 0 && site_read(&site, options->config, &ignored) == 0) {
        site_root_export(site);
        writing.log = writing.log ? writing.log : site->log;
    }
    if (error == 0 && ended.times)
        (void)mpi_time_take(&line->mpi_seconds, ended.times, NULL);
    if (error == 0)
        history_write_here(&writing);
    /* The plan had the rest. */
    if (error == 0 && site && site->job_comment && line->outcome &&
        strcmp(line->outcome, HISTORY_FAILED) == 0)
        job_comment_leave(line);
    history_line_clear(line);
    free(ended.times);
    for (size_t i = 0; i < sizeof(ended.files) / sizeof(ended.files[0]); i++)
        free(ended.files[i]);
    site_close(site);
    return error;
}
