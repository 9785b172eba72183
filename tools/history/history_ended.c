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
#include "tools/common/tool.h"
#include "tools/history/mpi_time.h"
#include "tools/plan/job_comment.h"
#include "tools/plan/plan_history.h"
#include "tools/site/site.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MOST ((size_t)65536)

/* What srun tells beside the line. */
struct ended {
    char *times;    /* the folder of tasks' times in MPI, or NULL */
    char *files[2]; /* of the step, which nobody reads any more */
};

static int take_text(char **out, const char *value, struct mapcore_error *err)
{
    free(*out);
    return (*out = strdup(value)) ? 0
                                  : error_set(err, MAPCORE_ENOMEM, "no memory");
}

static int take_count(uint32_t *out,
                      const struct text *text,
                      char *value,
                      struct mapcore_error *err)
{
    char *cursor = value;
    bool overflow = false;

    if (!text_take_u32(&cursor, out, &overflow) || !text_at_end(cursor))
        return text_number_error(text, err, cursor, overflow, "a number");
    return 0;
}

static int take_seconds(double *out,
                        const struct text *text,
                        const char *value,
                        struct mapcore_error *err)
{
    if (!text_parse_double(value, out) || *out < 0)
        return text_error(text, err, MAPCORE_EPARSE, "seconds %.40s", value);
    return 0;
}

static int take_file(struct ended *out,
                     const struct text *text,
                     const char *value,
                     struct mapcore_error *err)
{
    for (size_t i = 0; i < sizeof(out->files) / sizeof(out->files[0]); i++)
        if (!out->files[i])
            return take_text(&out->files[i], value, err);
    return text_error(text, err, MAPCORE_EPARSE, "one file too many");
}

/* A line `word value`. */
static int take_line(struct history_line *out,
                     struct ended *told,
                     const struct text *text,
                     char *line,
                     struct mapcore_error *err)
{
    const struct {
        const char *word;
        char **out;
    } texts[] = {
        {"outcome", &out->outcome}, {"why", &out->why}, {"asked", &out->asked}};
    char *value = line + strcspn(line, " ");

    if (*value != '\0')
        *value++ = '\0';
    if (strcmp(line, "step") == 0)
        return plan_history_parse_step(&out->job, &out->step, value, err);
    if (strcmp(line, "seconds") == 0)
        return take_seconds(&out->seconds, text, value, err);
    if (strcmp(line, "ntasks") == 0)
        return take_count(&out->ntasks, text, value, err);
    if (strcmp(line, "nnodes") == 0)
        return take_count(&out->nnodes, text, value, err);
    if (strcmp(line, "program") == 0)
        return take_text(&out->program, text_last_part(value), err);
    if (strcmp(line, "times") == 0)
        return take_text(&told->times, value, err);
    if (strcmp(line, "remove") == 0)
        return take_file(told, text, value, err);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (strcmp(line, texts[i].word) == 0)
            return take_text(texts[i].out, value, err);
    return text_error(text, err, MAPCORE_EPARSE, "\"%.40s\" is not known",
                      line);
}

static int read_end(struct history_line *out,
                    struct ended *told,
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
        error = text_open_memory(&text, is_stdin ? "stdin" : path,
                                 bytes.bytes ? bytes.bytes : "", bytes.n, err);
    while (error == 0 && (error = text_line(text, &line, err)) == 0 && line) {
        named = named || strncmp(line, "step ", 5) == 0;
        error = take_line(out, told, text, line, err);
    }
    if (error == 0 && !named)
        error = error_set(err, MAPCORE_EPARSE, "%s: no step is named", path);
    text_close(text);
    buffer_clear(&bytes);
    return error;
}

/* srun is told so, which removes them otherwise. */
static void remove_files(const struct ended *told)
{
    for (size_t i = 0; i < sizeof(told->files) / sizeof(told->files[0]); i++)
        if (told->files[i])
            (void)unlink(told->files[i]);
    if (told->files[0]) {
        fputs(TOLD_END_REMOVED, stdout);
        fflush(stdout);
    }
}

int history_note_end(const struct history_options *options)
{
    struct history_line line;
    struct history_writing writing = {.line = &line, .log = options->log};
    struct site_file *site = NULL;
    struct mapcore_error err, ignored;
    struct ended told = {.times = NULL};
    int error;

    /* srun waits for a second; the line is written all the same. */
    if (strcmp(options->ended, "-") == 0)
        (void)detached_leave();
    alarm(HISTORY_ALONE_S);
    history_line_begin(&line);
    error = read_end(&line, &told, options->ended, &err);
    if (error == 0)
        remove_files(&told);
    if (error == 0)
        error = take_text(&line.event, HISTORY_END, &err);
    if (error == 0)
        error = history_line_stamp(&line, &err);
    /* What is wrong with the site file the launch has said. */
    if (error == 0 && site_read(&site, options->config, &ignored) == 0 &&
        !writing.log)
        writing.log = site_log(site);
    if (error == 0 && told.times)
        (void)mpi_time_take(&line.mpi_seconds, told.times, NULL);
    if (error == 0)
        history_write_here(&writing);
    /* The rest was told by the plan. */
    if (error == 0 && site && site_job_comment(site) && line.outcome &&
        strcmp(line.outcome, HISTORY_FAILED) == 0)
        job_comment_leave(&line);
    history_line_clear(&line);
    free(told.times);
    for (size_t i = 0; i < sizeof(told.files) / sizeof(told.files[0]); i++)
        free(told.files[i]);
    site_close(site);
    return error < 0 ? tool_fail("%s", err.text) : TOOL_OK;
}
