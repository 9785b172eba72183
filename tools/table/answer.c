/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* answer.c - a document of JSON, or what tools/tables makes of it */
#include "config.h"

#include "tools/table/answer.h"

#include "tools/common/script.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct json_writer *answer_begin_view(struct answer *out,
                                      FILE *file,
                                      const char *view,
                                      const char *word,
                                      struct mapcore_error *err)
{
    *out = (struct answer){
        .file = file, .view = view, .word = word, .memory = file};
    if (view) {
        const int fd = memfd_create("answer", MFD_CLOEXEC);

        if (fd < 0 || !(out->memory = fdopen(fd, "w+"))) {
            error_set(err, MAPCORE_ENOMEM, "no memory for an answer: %s",
                      strerror(errno));
            if (fd >= 0)
                close(fd);
            return NULL;
        }
    }
    json_writer_start(&out->writer, out->memory);
    return &out->writer;
}

struct json_writer *answer_begin(struct answer *out,
                                 FILE *file,
                                 const char *rows,
                                 struct mapcore_error *err)
{
    return answer_begin_view(out, file, rows ? "csv" : NULL, rows, err);
}

int answer_end(struct answer *answer, int error, struct mapcore_error *err)
{
    char view[32], word[64];
    char *const words[] = {view, answer->word ? word : NULL, NULL};
    struct buffer text = {0};

    if (error == 0)
        error = json_writer_end(&answer->writer, err);
    if (!answer->view)
        return error;
    snprintf(view, sizeof(view), "%s", answer->view);
    snprintf(word, sizeof(word), "%s", answer->word ? answer->word : "");
    if (error == 0 && lseek(fileno(answer->memory), 0, SEEK_SET) != 0)
        error = error_set(err, MAPCORE_EIO, "%s", strerror(errno));
    if (error == 0)
        error =
            script_filter(&text, "tables", words, fileno(answer->memory), err);
    if (error == 0 && text.n > 0)
        fwrite(text.bytes, 1, text.n, answer->file);
    buffer_clear(&text);
    fclose(answer->memory);
    return error;
}
