/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* foreign_graph.c - runs graph-readers.py, and reads the graph that it writes
 */
#include "config.h"

#include "tools/inputs/foreign_graph.h"

#include "base/process.h"
#include "graph/file/file.h"
#include "tools/common/script.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ANSWER_MOST ((size_t)8 << 30)

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

static int run(struct mapcore_graph **out,
               char *const argv[],
               int in,
               struct mapcore_error *err)
{
    const struct mapcore_graph_reading how = {.format = MAPCORE_GRAPH_METIS};
    const struct process process = {.words = argv, .in = in};
    const struct process_listener listener = {.most = ANSWER_MOST};
    struct process_output output = {0};
    int error = process_listen(&output, &process, &listener, err);
    char *answer = output.out.bytes;

    if (error < 0 || output.status != 0 || !answer)
        error = error_set(err, MAPCORE_ENOTSUP,
                          "%s: python3, which reads files of other tools, does "
                          "not run here",
                          argv[3]);
    else if (strncmp(answer, "! ", 2) == 0)
        error = take_error(answer, err);
    else
        error =
            mapcore_graph_parse(out, argv[3], answer, output.out.n, &how, err);
    process_output_clear(&output);
    return error;
}

int foreign_graph_read(struct mapcore_graph **out,
                       const char *format,
                       const char *path,
                       struct mapcore_error *err)
{
    char python[] = "python3";
    struct buffer script = {0}, name = {0}, word = {0};
    struct stat st;
    int in = open(path, O_RDONLY | O_CLOEXEC);
    int error = 0;

    if (in < 0 || fstat(in, &st) != 0)
        error = error_set(err, MAPCORE_EIO, "%s: %s", path, strerror(errno));
    if (error == 0)
        error = script_path(&script, "graph-readers.py", err);
    if (error == 0)
        error = buffer_printf(&word, err, "%s", format);
    if (error == 0)
        error = buffer_printf(&name, err, "%s%s", path,
                              S_ISDIR(st.st_mode) ? "/" : "");
    if (error == 0) {
        char *const argv[] = {python, script.bytes, word.bytes, name.bytes,
                              NULL};

        /* Python does not begin with a folder as stdin. */
        error = run(out, argv, S_ISDIR(st.st_mode) ? -1 : in, err);
    }
    if (in >= 0)
        close(in);
    buffer_clear(&script);
    buffer_clear(&word);
    buffer_clear(&name);
    return error;
}
