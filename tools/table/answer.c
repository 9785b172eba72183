/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* answer.c - a document of JSON, or what tools/tables makes of it */
#include "config.h"

#include "tools/table/answer.h"

const char *answer_word(const struct answer_form *form)
{
    return form->json ? "json" : form->csv ? "csv" : NULL;
}

struct json_writer *answer_open(struct answer *out,
                                FILE *file,
                                const struct answer_form *form,
                                const char *view,
                                const char *rows)
{
    struct json_writer *writer = &out->document.writer;

    *out = (struct answer){.file = file, .memory = file};
    if (form->csv)
        snprintf(out->view, sizeof(out->view), rows ? "csv" : "%s-csv", view);
    else if (view && !form->json)
        snprintf(out->view, sizeof(out->view), "%s", view);
    out->word = form->csv ? rows : NULL;
    if (*out->view == '\0') {
        json_writer_start(writer, file);
        return writer;
    }
    writer = script_document_begin(&out->document);
    out->memory = out->document.file;
    return writer;
}

struct json_writer *answer_begin(struct answer *out,
                                 FILE *file,
                                 const struct answer_form *form,
                                 const char *view,
                                 const char *rows)
{
    struct json_writer *writer = answer_open(out, file, form, view, rows);

    json_begin_object(writer, NULL);
    return writer;
}

int answer_end(struct answer *answer, int error, struct mapcore_error *err)
{
    const char *const words[] = {answer->view, answer->word, NULL};
    struct buffer text = {0};

    if (*answer->view == '\0')
        return error == 0 ? json_writer_end(&answer->document.writer, err)
                          : error;
    error = script_document_end(&answer->document, &text, "tables", words,
                                error, err);
    if (error == 0 && text.n > 0)
        fwrite(text.bytes, 1, text.n, answer->file);
    buffer_clear(&text);
    return error;
}
