/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* answer.c - a document of JSON, or what tools/tables makes of it */
#include "config.h"

#include "tools/table/answer.h"

struct json_writer *answer_begin_view(struct answer *out,
                                      FILE *file,
                                      const char *view,
                                      const char *word,
                                      struct mapcore_error *err)
{
    struct json_writer *writer = &out->document.writer;

    *out = (struct answer){.file = file, .view = view, .word = word};
    if (view)
        writer = script_document_begin(&out->document, err);
    else
        json_writer_start(writer, file);
    out->memory = view ? out->document.file : file;
    return writer;
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
    const char *const words[] = {answer->view, answer->word, NULL};
    struct buffer text = {0};

    if (!answer->view)
        return error == 0 ? json_writer_end(&answer->document.writer, err)
                          : error;
    error = script_document_end(&answer->document, &text, "tables", words,
                                error, err);
    if (error == 0 && text.n > 0)
        fwrite(text.bytes, 1, text.n, answer->file);
    buffer_clear(&text);
    return error;
}
