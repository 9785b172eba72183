/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* foreign.c - runs graph-readers.py, network-readers.py and mapping-readers.py,
 * and reads what they write */
#include "config.h"

#include "tools/inputs/foreign.h"

#include "base/array.h"
#include "base/file_read.h"
#include "graph/file/file.h"
#include "tools/common/script.h"
#include "topo/file/readers.h"
#include "topo/spec.h"
#include "topo/topo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* What a program writes of a file, whose name is for messages. */
static int ask(struct buffer *answer,
               const char *program,
               const char *format,
               struct buffer *name,
               int in,
               struct mapcore_error *err)
{
    struct buffer word = {0};
    struct mapcore_error why;
    int error = buffer_printf(&word, err, "%s", format);

    if (error == 0) {
        char *const words[] = {word.bytes, name->bytes, NULL};

        if (script_filter(answer, program, words, in, &why) < 0)
            error = error_set(err, MAPCORE_EIO, "%s: %.800s", name->bytes,
                              why.text);
        else if (answer->n > 2 && memcmp(answer->bytes, "! ", 2) == 0)
            error = take_error(answer->bytes, err);
    }
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
    int fd = memfd_create("file", MFD_CLOEXEC);
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

/* ask for what is in memory. */
static int ask_memory(struct buffer *answer,
                      const char *program,
                      const char *format,
                      const char *path,
                      const struct buffer *bytes,
                      struct mapcore_error *err)
{
    struct buffer name = {0};
    int in = open_memory(bytes);
    int error = in < 0
                    ? error_set(err, MAPCORE_EIO, "%s: no file in memory", path)
                    : buffer_printf(&name, err, "%s", path);

    if (error == 0)
        error = ask(answer, program, format, &name, in, err);
    if (in >= 0)
        close(in);
    buffer_clear(&name);
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
    struct buffer answer = {0};
    struct mapcore_error why;
    int error = read_lines(out, lines, path, err);

    if (error != MAPCORE_ENOTSUP)
        return error;
    error = ask_memory(&answer, "network-readers.py", "any", path, lines, &why);
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

/* "@ NAME" or "HOST SLOT LINE". */
static int take_answer(struct mapping_lines *out,
                       struct text *text,
                       struct mapcore_error *err)
{
    char *line;
    int error;

    while ((error = text_line(text, &line, err)) == 0 && line) {
        uint32_t host, slot = MAPCORE_NONE;
        uint64_t number;
        char *name;

        if (line[0] == '@') {
            name = array_copy(line + 2, strlen(line + 2) + 1, 1, err);
            error = name ? array_reserve(&out->name, &out->name_capacity,
                                         (size_t)out->nnames + 1,
                                         sizeof(*out->name), err)
                         : MAPCORE_ENOMEM;
            if (error < 0) {
                free(name);
                return error;
            }
            out->name[out->nnames++] = name;
            continue;
        }
        if (!text_take_u32(&line, &host, NULL) ||
            (!text_take_u32(&line, &slot, NULL) && !text_take_word(&line)) ||
            !text_take_u64(&line, &number, NULL))
            return text_error(text, err, MAPCORE_EPARSE, "no task");
        if ((error = mapping_lines_add(out, host, slot, number, err)) < 0)
            return error;
    }
    return error;
}

/* What mapping-readers.py begins with, and the file. */
static int put_hosts(struct buffer *out,
                     const struct foreign_hosts *hosts,
                     const struct buffer *file,
                     struct mapcore_error *err)
{
    int error =
        buffer_printf(out, err, "%u %d %d %d\n", hosts->n, hosts->name != NULL,
                      hosts->slots != NULL, hosts->by_appearance);

    for (uint32_t h = 0; error == 0 && h < hosts->n; h++)
        error = buffer_printf(out, err, "%u %s\n",
                              hosts->slots ? hosts->slots[h] : 0,
                              hosts->name ? hosts->name[h] : "");
    return error < 0 ? error : buffer_append(out, err, file->bytes, file->n);
}

int foreign_mapping_read(struct mapping_lines *out,
                         const char *path,
                         enum mapcore_mapping_form form,
                         const struct foreign_hosts *hosts,
                         struct mapcore_error *err)
{
    struct buffer file = {0}, question = {0}, answer = {0};
    struct text *text = NULL;
    int error = file_read_all(&file, path, FILE_ANY, FILE_MOST, err);
    const bool plain =
        error == 0 && (form == MAPCORE_MAPPING_PLAIN ||
                       (form == MAPCORE_MAPPING_ANY && is_plain(&file)));

    if (error == 0 && !plain &&
        (error = put_hosts(&question, hosts, &file, err)) == 0)
        error =
            ask_memory(&answer, "mapping-readers.py",
                       mapcore_mapping_form_name(form), path, &question, err);
    if (error == 0) {
        const struct buffer *lines = plain ? &file : &answer;

        error = text_open_memory(&text, path, lines->bytes ? lines->bytes : "",
                                 lines->n, err);
    }
    if (error == 0)
        error = plain ? mapping_lines_read(out, text, hosts->n, err)
                      : take_answer(out, text, err);
    text_close(text);
    buffer_clear(&file);
    buffer_clear(&question);
    buffer_clear(&answer);
    return error;
}

/* Names and slots of the allocation's hosts; both arrays are the caller's. */
static int describe_hosts(struct foreign_hosts *out,
                          const char ***names,
                          uint32_t **slots,
                          const struct mapcore_alloc *alloc,
                          struct mapcore_error *err)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(alloc);
    uint32_t n = mapcore_alloc_nhosts(alloc);
    bool is_named = n > 0;

    *names = array_alloc(n, sizeof(**names), err);
    *slots = array_alloc(n, sizeof(**slots), err);
    if (!*names || !*slots)
        return MAPCORE_ENOMEM;
    for (uint32_t h = 0; h < n; h++) {
        (*slots)[h] = mapcore_alloc_slots(alloc, h);
        (*names)[h] =
            mapcore_topo_host_name(topo, mapcore_alloc_host(alloc, h));
        is_named = is_named && (*names)[h];
    }
    *out = (struct foreign_hosts){
        .n = n, .name = is_named ? *names : NULL, .slots = *slots};
    return 0;
}

int foreign_mapping_open(struct mapcore_mapping **out,
                         const char *path,
                         const struct mapcore_alloc *alloc,
                         struct mapcore_error *err)
{
    struct mapping_lines lines = {0};
    struct foreign_hosts hosts;
    const char **names = NULL;
    uint32_t *slots = NULL;
    int error = describe_hosts(&hosts, &names, &slots, alloc, err);

    if (error == 0)
        error = foreign_mapping_read(&lines, path, MAPCORE_MAPPING_ANY, &hosts,
                                     err);
    if (error == 0)
        error = mapping_lines_place(out, &lines, alloc, path, err);
    mapping_lines_clear(&lines);
    free(names);
    free(slots);
    return error;
}
