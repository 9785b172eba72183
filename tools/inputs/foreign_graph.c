/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* foreign_graph.c - runs graph-readers.py, and reads the graph that it writes
 */
#include "config.h"

#include "tools/inputs/foreign_graph.h"

#include "graph/file/file.h"
#include "tools/common/script.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* "! CODE MESSAGE" */
static int take_error(char *answer, struct mapcore_error *err)
{
    static const struct {
        const char *word;
        enum mapcore_status status;
    } codes[] = {{"parse ", MAPCORE_EPARSE},
                 {"range ", MAPCORE_ERANGE},
                 {"none ", MAPCORE_ENOENT},
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

int foreign_graph_read(struct mapcore_graph **out,
                       const char *format,
                       const char *path,
                       struct mapcore_error *err)
{
    const struct mapcore_graph_reading how = {.format = MAPCORE_GRAPH_METIS};
    struct buffer name = {0}, word = {0}, answer = {0};
    struct mapcore_error why;
    struct stat st;
    int in = open(path, O_RDONLY | O_CLOEXEC);
    int error = 0;

    if (in < 0 || fstat(in, &st) != 0)
        error = error_set(err, MAPCORE_EIO, "%s: %s", path, strerror(errno));
    if (error == 0)
        error = buffer_printf(&word, err, "%s", format);
    if (error == 0)
        error = buffer_printf(&name, err, "%s%s", path,
                              S_ISDIR(st.st_mode) ? "/" : "");
    if (error == 0) {
        /* Python does not begin with a folder as stdin. */
        char *const words[] = {word.bytes, name.bytes, NULL};

        error = script_filter(&answer, "graph-readers.py", words,
                              S_ISDIR(st.st_mode) ? -1 : in, &why);
        if (error < 0)
            error = error_set(err, error, "%s: %.800s", name.bytes, why.text);
    }
    if (error == 0 && answer.n > 2 && memcmp(answer.bytes, "! ", 2) == 0)
        error = take_error(answer.bytes, err);
    else if (error == 0)
        error = mapcore_graph_parse(out, name.bytes, answer.bytes, answer.n,
                                    &how, err);
    if (in >= 0)
        close(in);
    buffer_clear(&answer);
    buffer_clear(&word);
    buffer_clear(&name);
    return error;
}
