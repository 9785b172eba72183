/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* told.c - a document of JSON, or what tools/tables makes of it */
#include "config.h"

#include "tools/table/told.h"

#include "tools/common/script.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct json_writer *told_begin_view(struct told_answer *out,
                                    FILE *file,
                                    const char *view,
                                    const char *word,
                                    struct mapcore_error *err)
{
    *out = (struct told_answer){
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

struct json_writer *told_begin(struct told_answer *out,
                               FILE *file,
                               const char *rows,
                               struct mapcore_error *err)
{
    return told_begin_view(out, file, rows ? "csv" : NULL, rows, err);
}

int told_end(struct told_answer *told, int error, struct mapcore_error *err)
{
    char view[32], word[64];
    char *const words[] = {view, told->word ? word : NULL, NULL};
    struct buffer text = {0};

    if (error == 0)
        error = json_writer_end(&told->writer, err);
    if (!told->view)
        return error;
    snprintf(view, sizeof(view), "%s", told->view);
    snprintf(word, sizeof(word), "%s", told->word ? told->word : "");
    if (error == 0 && lseek(fileno(told->memory), 0, SEEK_SET) != 0)
        error = error_set(err, MAPCORE_EIO, "%s", strerror(errno));
    if (error == 0)
        error =
            script_filter(&text, "tables", words, fileno(told->memory), err);
    if (error == 0 && text.n > 0)
        fwrite(text.bytes, 1, text.n, told->file);
    buffer_clear(&text);
    fclose(told->memory);
    return error;
}
