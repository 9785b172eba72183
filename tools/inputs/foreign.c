/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* foreign.c - runs graph-readers.py, network-readers.py and mapping-readers.py,
 * and reads what they write */
#include "config.h"

#include "tools/inputs/foreign.h"

#include "alloc/mapping_lines.h"
#include "base/file_read.h"
#include "graph/file/file.h"
#include "tools/common/script.h"
#include "topo/file/readers.h"
#include "topo/spec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_MOST ((size_t)1 << 30)

/* "! CODE MESSAGE" */
static int take_error(char *answer, struct mapcore_error *err)
{
    static const struct {
        const char *word;
        enum mapcore_status status;
    } codes[] = {
        {"parse ", MAPCORE_EPARSE},        {"range ", MAPCORE_ERANGE},
        {"none ", MAPCORE_ENOENT},         {"invalid ", MAPCORE_EINVAL},
        {"unsupported ", MAPCORE_ENOTSUP}, {"io ", MAPCORE_EIO}};

    answer[strcspn(answer, "\n")] = '\0';
    answer += 2;
    for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++) {
        const size_t n = strlen(codes[i].word);

        if (strncmp(answer, codes[i].word, n) == 0)
            return error_set(err, codes[i].status, "%s", answer + n);
    }
    return error_set(err, MAPCORE_EPARSE, "%s", answer);
}

/* What a program writes of a file, whose name, words[1], is for messages. */
static int ask(struct buffer *answer,
               const char *program,
               const char *const *words,
               FILE *in,
               struct mapcore_error *err)
{
    struct mapcore_error why;

    if (script_filter(answer, program, words, in, &why) < 0)
        return error_set(err, MAPCORE_EIO, "%s: %.800s", words[1], why.text);
    return answer->n > 2 && memcmp(answer->bytes, "! ", 2) == 0
               ? take_error(answer->bytes, err)
               : 0;
}

int foreign_graph_read(struct mapcore_graph **out,
                       const char *format,
                       const char *path,
                       struct mapcore_error *err)
{
    const struct mapcore_graph_reading how = {.format = MAPCORE_GRAPH_METIS};
    struct buffer name = {.err = err}, answer = {0};
    FILE *in = fopen(path, "re");
    struct stat st;
    int error = 0;

    if (!in || fstat(fileno(in), &st) != 0)
        error = error_set(err, MAPCORE_EIO, "%s: %s", path, strerror(errno));
    else
        error =
            buffer_printf(&name, "%s%s", path, S_ISDIR(st.st_mode) ? "/" : "");
    /* Python does not begin with a folder as stdin. */
    if (error == 0)
        error = ask(&answer, "graph-readers.py",
                    (const char *const[]){format, name.bytes, NULL},
                    S_ISDIR(st.st_mode) ? NULL : in, err);
    if (error == 0)
        error = mapcore_graph_parse(out, name.bytes, answer.bytes, answer.n,
                                    &how, err);
    if (in)
        fclose(in);
    buffer_clear(&name);
    buffer_clear(&answer);
    return error;
}

/* ask for what is in memory. */
static int ask_memory(struct buffer *answer,
                      const char *program,
                      const char *path,
                      const struct buffer *bytes,
                      struct mapcore_error *err)
{
    FILE *in = script_memory(err);
    int error = in ? 0 : MAPCORE_ENOMEM;

    if (in && bytes->n > 0 && fwrite(bytes->bytes, bytes->n, 1, in) != 1)
        error = error_set(err, MAPCORE_EIO, "%s: no file in memory", path);
    if (error == 0)
        error = ask(answer, program, (const char *const[]){"any", path, NULL},
                    in, err);
    if (in)
        fclose(in);
    return error;
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
    error = topo_read(out, text);
    text_close(text);
    return error;
}

/* By topomap itself, else by network-readers.py, whose lines replace them. */
static int read_network(struct mapcore_topo **out,
                        struct buffer *lines,
                        const char *path,
                        struct mapcore_error *err)
{
    struct buffer answer = {0};
    struct mapcore_error why;
    int error = read_lines(out, lines, path, err);

    if (error != MAPCORE_ENOTSUP)
        return error;
    error = ask_memory(&answer, "network-readers.py", path, lines, &why);
    if (error == 0)
        error = read_lines(out, &answer, path, &why);
    if (error == 0) {
        buffer_clear(lines);
        *lines = answer;
        answer = (struct buffer){0};
    } else if (error == MAPCORE_ENOENT) {
        error = MAPCORE_ENOTSUP; /* what was said before */
    } else {
        error_set(err, error, "%s", why.text);
    }
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

/* Numbers alone in the first line that is no comment, or no such line. */
static bool is_plain(const struct buffer *bytes)
{
    const char *line = bytes->bytes ? bytes->bytes : "";

    line += strspn(line, " \t\r\v\f\n");
    while (*line == '#') {
        line += strcspn(line, "\n");
        line += strspn(line, " \t\r\v\f\n");
    }
    line += strspn(line, "0123456789 \t\r\v\f");
    return *line == '\0' || *line == '\n' || *line == '#';
}

/* What mapping-readers.py begins with, the allocation's hosts, by names where
 * all have one; and the file. */
static int put_hosts(struct buffer *out,
                     const struct mapcore_alloc *alloc,
                     const struct buffer *file)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(alloc);
    const uint32_t n = mapcore_alloc_nhosts(alloc);
    bool named = n > 0;

    for (uint32_t h = 0; named && h < n; h++)
        named = mapcore_topo_host_name(topo, mapcore_alloc_host(alloc, h));
    buffer_printf(out, "%u %d\n", n, named);
    for (uint32_t h = 0; h < n; h++)
        buffer_printf(
            out, "%u %s\n", mapcore_alloc_slots(alloc, h),
            named ? mapcore_topo_host_name(topo, mapcore_alloc_host(alloc, h))
                  : "");
    return buffer_append(out, file->bytes, file->n);
}

int foreign_mapping_open(struct mapcore_mapping **out,
                         const char *path,
                         const struct mapcore_alloc *alloc,
                         struct mapcore_error *err)
{
    struct buffer file = {0}, question = {.err = err};
    struct text *text = NULL;
    int error = file_read_all(&file, path, FILE_ANY, FILE_MOST, err);

    if (error == 0 && !is_plain(&file) &&
        (error = put_hosts(&question, alloc, &file)) == 0) {
        buffer_clear(&file);
        error = ask_memory(&file, "mapping-readers.py", path, &question, err);
    }
    if (error == 0)
        error = text_open_memory(&text, path, file.bytes ? file.bytes : "",
                                 file.n, err);
    if (error == 0)
        error = mapping_lines_read(out, alloc, text);
    text_close(text);
    buffer_clear(&file);
    buffer_clear(&question);
    return error;
}

int foreign_mapping_convert(struct buffer *out,
                            const char *const words[static 6],
                            struct mapcore_error *err)
{
    FILE *in = fopen(words[1], "re");
    int error =
        in ? ask(out, "mapping-readers.py", words, in, err)
           : error_set(err, MAPCORE_EIO, "%s: %s", words[1], strerror(errno));

    if (in)
        fclose(in);
    return error;
}
