/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* foreign.c - runs graph-readers.py and network-readers.py, and reads what they
 * write */
#include "config.h"

#include "tools/inputs/foreign.h"

#include "base/file_read.h"
#include "base/process.h"
#include "graph/file/file.h"
#include "tools/common/script.h"
#include "topo/file/readers.h"
#include "topo/spec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define ANSWER_MOST ((size_t)8 << 30)
#define FILE_MOST   ((size_t)1 << 30)

/* "! CODE MESSAGE" */
static int take_error(char *answer, struct mapcore_error *err)
{
    static const struct {
        const char *word;
        enum mapcore_status status;
    } codes[] = {{"parse ", MAPCORE_EPARSE},
                 {"range ", MAPCORE_ERANGE},
                 {"none ", MAPCORE_ENOENT},
                 {"unsupported ", MAPCORE_ENOTSUP},
                 {"io ", MAPCORE_EIO}};

    answer[strcspn(answer, "\n")] = '\0';
    answer += 2;
    for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++) {
        const size_t n = strlen(codes[i].word);

        if (strncmp(answer, codes[i].word, n) == 0)
            return error_set(err, codes[i].status, "%s", answer + n);
    }
    return error_set(err, MAPCORE_EPARSE, "%s", answer);
}

/* What a program writes of a file, whose name is for messages. */
static int ask(struct buffer *answer,
               const char *program,
               const char *format,
               struct buffer *name,
               int in,
               struct mapcore_error *err)
{
    char python[] = "python3", isolated[] = "-I";
    struct buffer script = {0}, word = {0};
    struct process_output output = {0};
    const struct process_listener listener = {.most = ANSWER_MOST};
    int error = script_path(&script, program, err);

    if (error == 0)
        error = buffer_printf(&word, err, "%s", format);
    if (error == 0) {
        char *const argv[] = {python,     isolated,    script.bytes,
                              word.bytes, name->bytes, NULL};
        const struct process process = {.words = argv, .in = in};

        error = process_listen(&output, &process, &listener, err);
        if (error < 0 || output.status != 0 || !output.out.bytes)
            error = error_set(err, MAPCORE_EIO,
                              "%s: python3, which reads files of other tools, "
                              "does not run here",
                              name->bytes);
        else if (strncmp(output.out.bytes, "! ", 2) == 0)
            error = take_error(output.out.bytes, err);
    }
    if (error == 0) {
        *answer = output.out;
        output.out = (struct buffer){0};
    }
    process_output_clear(&output);
    buffer_clear(&script);
    buffer_clear(&word);
    return error;
}

int foreign_graph_read(struct mapcore_graph **out,
                       const char *format,
                       const char *path,
                       struct mapcore_error *err)
{
    const struct mapcore_graph_reading how = {.format = MAPCORE_GRAPH_METIS};
    struct buffer name = {0}, answer = {0};
    struct stat st;
    int in = open(path, O_RDONLY | O_CLOEXEC);
    int error = 0;

    if (in < 0 || fstat(in, &st) != 0)
        error = error_set(err, MAPCORE_EIO, "%s: %s", path, strerror(errno));
    if (error == 0)
        error = buffer_printf(&name, err, "%s%s", path,
                              S_ISDIR(st.st_mode) ? "/" : "");
    /* Python does not begin with a folder as stdin. */
    if (error == 0)
        error = ask(&answer, "graph-readers.py", format, &name,
                    S_ISDIR(st.st_mode) ? -1 : in, err);
    if (error == 0)
        error = mapcore_graph_parse(out, name.bytes, answer.bytes, answer.n,
                                    &how, err);
    if (in >= 0)
        close(in);
    buffer_clear(&name);
    buffer_clear(&answer);
    return error;
}

/* A file in memory, at its beginning, or -1. */
static int open_memory(const struct buffer *bytes)
{
    int fd = memfd_create("network", MFD_CLOEXEC);
    size_t at = 0;

    while (fd >= 0 && at < bytes->n) {
        ssize_t n = write(fd, bytes->bytes + at, bytes->n - at);

        if (n <= 0)
            break;
        at += (size_t)n;
    }
    if (fd >= 0 && at == bytes->n && lseek(fd, 0, SEEK_SET) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static int read_lines(struct mapcore_topo **out,
                      const struct buffer *lines,
                      const char *name,
                      struct mapcore_error *err)
{
    struct text *text;
    int error = text_open_memory(&text, name, lines->bytes ? lines->bytes : "",
                                 lines->n, err);

    if (error < 0)
        return error;
    error = topo_read(out, text, err);
    text_close(text);
    return error;
}

/* By topomap itself, else by network-readers.py, whose lines replace them. */
static int read_network(struct mapcore_topo **out,
                        struct buffer *lines,
                        const char *path,
                        struct mapcore_error *err)
{
    struct buffer name = {0}, answer = {0};
    struct mapcore_error why;
    int error = read_lines(out, lines, path, err), in;

    if (error != MAPCORE_ENOTSUP)
        return error;
    in = open_memory(lines);
    error = in < 0 ? error_set(&why, MAPCORE_EIO, "%s: no file in memory", path)
                   : buffer_printf(&name, &why, "%s", path);
    if (error == 0)
        error = ask(&answer, "network-readers.py", "any", &name, in, &why);
    if (error == 0)
        error = read_lines(out, &answer, path, &why);
    if (in >= 0)
        close(in);
    if (error == 0) {
        buffer_clear(lines);
        *lines = answer;
        answer = (struct buffer){0};
    } else if (error == MAPCORE_ENOENT) {
        error = MAPCORE_ENOTSUP; /* what was said before */
    } else {
        error_set(err, error, "%s", why.text);
    }
    buffer_clear(&name);
    buffer_clear(&answer);
    return error;
}

int foreign_network_open(struct mapcore_topo **out,
                         const char *spec,
                         struct mapcore_error *err)
{
    struct buffer lines = {0};
    struct stat st;
    int error;

    if (topo_spec_begins(spec) || stat(spec, &st) != 0)
        return mapcore_topo_open(out, spec, err);
    error = file_read_all(&lines, spec, FILE_ANY, FILE_MOST, err);
    if (error == 0)
        error = read_network(out, &lines, spec, err);
    buffer_clear(&lines);
    return error;
}

int foreign_network_read(struct mapcore_topo **out,
                         char **lines,
                         const char *name,
                         struct mapcore_error *err)
{
    const size_t n = strlen(*lines);
    struct buffer buffer = {.bytes = *lines, .n = n, .capacity = n + 1};
    int error =
        (*lines)[strspn(*lines, " \t\r\n")] == '\0'
            ? error_set(err, MAPCORE_ENOTSUP, "%s: no switches in it", name)
            : read_network(out, &buffer, name, err);

    *lines = buffer.bytes;
    return error;
}
