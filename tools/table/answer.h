/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* answer.h - what a command answers: a document of JSON, or what tools/tables
 * makes of the same document, a table of CSV or a text for people */
#ifndef TOOLS_ANSWER_H
#define TOOLS_ANSWER_H

#include "tools/common/script.h"

#include <stdio.h>

/* By --json and --csv, of which a command line has one at most; neither: for
 * people. */
struct answer_form {
    bool json, csv;
};
/* "json" or "csv"; NULL: neither. */
const char *answer_word(const struct answer_form *form);

struct answer {
    struct script_document document;
    FILE *file;       /* borrowed: where the answer goes */
    char view[24];    /* one of tools/tables; "": JSON */
    const char *word; /* borrowed: its argument, or NULL */
    FILE *memory;     /* of the document, or NULL; file, where that is the
                         answer */
};

/* Rows of an answer that is one row. */
#define ANSWER_ONE_ROW ""

/* Begins an answer on file: as JSON, written as it comes; for people by a view
 * of tools/tables (NULL: as JSON, too); or as CSV. rows names the array of the
 * document's outermost object ("choices") whose elements are the lines, of
 * which each member is a column, those of an object in it with a dot
 * ("baseline.max_link"); or, of plain values, the one column. ANSWER_ONE_ROW:
 * the outermost object is the only line, an outermost array is all of them.
 * NULL: CSV is the view's own, VIEW-csv. An array of plain values is one field,
 * with spaces between them; arrays of more are tables of their own and left
 * out. A table without a line is empty.
 * Returns the writer to put members into, good until answer_end, which is due
 * then, and fails where there was no memory for them. */
struct json_writer *answer_begin(struct answer *out,
                                 FILE *file,
                                 const struct answer_form *form,
                                 const char *view,
                                 const char *rows);
/* The same for a document that is no object. */
struct json_writer *answer_open(struct answer *out,
                                FILE *file,
                                const struct answer_form *form,
                                const char *view,
                                const char *rows);

/* Ends the answer; error < 0: what was written for a view is dropped, and error
 * returned. Errors: EIO, ENOMEM, ENOTSUP (no python3). */
int answer_end(struct answer *answer, int error, struct mapcore_error *err);

#endif
