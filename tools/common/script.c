/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* script.c - Python programs, run or become */
#include "config.h"

#include "tools/common/script.h"

#include "base/array.h"
#include "base/process.h"
#include "tools/common/installed.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* "--name=argument" of each option into word[]; all in one text, owned. */
static int format_options(char **text,
                          const char **word,
                          const struct tool_list *options,
                          struct mapcore_error *err)
{
    struct buffer all = {.err = err};
    size_t at = 0;

    for (size_t i = 0; i < options->n; i += 2) {
        const char *argument = options->item[i + 1];

        buffer_printf(&all, "--%s%s%s", options->item[i], argument ? "=" : "",
                      argument ? argument : "");
        buffer_append(&all, "", 1);
    }
    for (size_t i = 0; all.error == 0 && i < options->n / 2; i++) {
        word[i] = all.bytes + at;
        at += strlen(word[i]) + 1;
    }
    return buffer_finish(text, &all, 0);
}

/* Appends the path of an installed program, or of the folder that it is. */
static int script_path(struct buffer *out,
                       const char *script,
                       struct mapcore_error *err)
{
    int error = installed_path(out, TOPOMAP_PROBEDIR, script, err);

    if (error == 0 && access(out->bytes, R_OK) != 0)
        error = error_set(err, MAPCORE_ENOTSUP,
                          "%s, which does this, cannot be read: %s", out->bytes,
                          strerror(errno));
    return error;
}

FILE *script_memory(struct mapcore_error *err)
{
    const int fd = memfd_create("topomap", MFD_CLOEXEC);
    FILE *file = fd >= 0 ? fdopen(fd, "w+") : NULL;

    if (!file)
        error_set(err, MAPCORE_ENOMEM, "no memory for a file: %s",
                  strerror(errno));
    if (!file && fd >= 0)
        close(fd);
    return file;
}

enum { ARGUMENTS_MOST = 5 };

/* python3 and its words; path has the program's. */
static int prepare(const char *words[3 + ARGUMENTS_MOST + 1],
                   struct buffer *path,
                   const char *script,
                   const char *const *arguments,
                   FILE *in,
                   struct mapcore_error *err)
{
    int error = script_path(path, script, err);

    /* A FIFO is read from where it is. */
    if (error == 0 && in &&
        (fflush(in) != 0 ||
         (lseek(fileno(in), 0, SEEK_SET) < 0 && errno != ESPIPE)))
        error = error_set(err, MAPCORE_EIO, "%s", strerror(errno));
    words[0] = "python3";
    words[1] = "-IS";
    words[2] = path->bytes;
    for (size_t i = 0; i < ARGUMENTS_MOST && arguments[i]; i++)
        words[3 + i] = arguments[i];
    return error;
}

int script_filter(struct buffer *out,
                  const char *script,
                  const char *const *arguments,
                  FILE *in,
                  struct mapcore_error *err)
{
    const struct process_listener listener = {.most = (size_t)8 << 30};
    struct process_output output = {0};
    struct buffer path = {0};
    const char *words[3 + ARGUMENTS_MOST + 1] = {NULL};
    const struct process process = {
        .words = words,
        .in = in ? fileno(in) : -1,
    };
    int error = prepare(words, &path, script, arguments, in, err);

    if (error == 0 && process_listen(&output, &process, &listener, err) < 0)
        error = error_set(err, MAPCORE_ENOTSUP,
                          "python3, which runs %s, does not run here", script);
    else if (error == 0 && output.status != 0)
        error = error_set(err, MAPCORE_EIO, "%s failed", path.bytes);
    out->err = err;
    if (error == 0 && output.out.n > 0)
        error = buffer_append(out, output.out.bytes, output.out.n);
    process_output_clear(&output);
    buffer_clear(&path);
    return error;
}

int script_print(const char *script,
                 const char *const *arguments,
                 FILE *in,
                 struct mapcore_error *err)
{
    struct buffer path = {0};
    const char *words[3 + ARGUMENTS_MOST + 1] = {NULL};
    const struct process process = {.words = words,
                                    .in = fileno(in),
                                    .out = STDOUT_FILENO,
                                    .err = STDERR_FILENO};
    int error = prepare(words, &path, script, arguments, in, err);
    int status = 0;
    pid_t pid;

    fflush(stdout);
    if (error == 0 && process_start(&pid, &process, err) < 0)
        error = error_set(err, MAPCORE_ENOTSUP,
                          "python3, which runs %s, does not run here", script);
    else if (error == 0)
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
    /* Its reader has enough. */
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE)
        raise(SIGPIPE);
    /* It has said why. */
    if (WIFEXITED(status) && WEXITSTATUS(status) == TOOL_FAILED)
        exit(TOOL_FAILED);
    if (error == 0 && status != 0)
        error = error_set(err, MAPCORE_EIO, "%s failed", path.bytes);
    buffer_clear(&path);
    return error;
}

struct json_writer *script_document_begin(struct script_document *out)
{
    out->file = script_memory(NULL);
    json_writer_start_lines(&out->writer, out->file);
    return &out->writer;
}

int script_document_end(struct script_document *document,
                        struct buffer *out,
                        const char *script,
                        const char *const *arguments,
                        int error,
                        struct mapcore_error *err)
{
    if (error == 0)
        error = json_writer_end(&document->writer, err);
    if (error == 0)
        error = script_filter(out, script, arguments, document->file, err);
    if (document->file)
        fclose(document->file);
    return error;
}

int script_add(struct tool_list *options,
               const char *name,
               const char *value,
               struct mapcore_error *err)
{
    int error = tool_list_add(options, name, err);

    return error < 0 ? error : tool_list_add(options, value, err);
}

int script_become(const char *script,
                  const char *verb,
                  const struct tool_list *options,
                  char *const *command,
                  struct mapcore_error *err)
{
    char *self = realpath("/proc/self/exe", NULL), *text = NULL;
    const char **word = NULL;
    struct buffer path = {0};
    size_t n = 0, words = 0;
    int error = script_path(&path, script, err);

    while (command[words])
        words++;
    if (error == 0)
        word = array_alloc(words + options->n / 2 + 7, sizeof(*word), err);
    if (word && self) {
        word[n++] = "python3";
        word[n++] = "-IS";
        word[n++] = path.bytes;
        word[n++] = verb;
        word[n++] = self;
        error = format_options(&text, word + n, options, err);
        n += options->n / 2;
        word[n++] = "--";
        memcpy(word + n, command, words * sizeof(*word));
        if (error == 0 && execvp(word[0], (char *const *)(uintptr_t)word) < 0)
            error = error_set(err, MAPCORE_ENOTSUP,
                              "python3, which runs %s, does not run here: %s",
                              script, strerror(errno));
    } else if (error == 0) {
        error = error_set(err, MAPCORE_ENOMEM, "out of memory");
    }
    free(text);
    free(word);
    free(self);
    buffer_clear(&path);
    return error;
}
