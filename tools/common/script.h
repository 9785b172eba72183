/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* script.h - what Python programs do: subcommands, whose options the command
 * reads before it becomes them, and what is made of a document of JSON */
#ifndef TOOLS_SCRIPT_H
#define TOOLS_SCRIPT_H

#include "base/buffer.h"
#include "tools/common/tool.h"
#include "json/json.h"

/* A file in memory, for what script_filter is to read; NULL: no memory. */
FILE *script_memory(struct mapcore_error *err);

/* Runs an installed program with arguments (up to a NULL, five at most) and the
 * file `in`, from its beginning, as its stdin (NULL: none), and appends what it
 * prints to out. Errors: ENOTSUP (no python3, no such program), EIO (it fails,
 * or `in` was not written), ENOMEM. */
int script_filter(struct buffer *out,
                  const char *script,
                  const char *const *arguments,
                  FILE *in,
                  struct mapcore_error *err);

/* The same for what may be large: it prints to stdout itself, and its stderr is
 * this process's, which it ends if it ends with TOOL_FAILED, having said why.
 */
int script_print(const char *script,
                 const char *const *arguments,
                 FILE *in,
                 struct mapcore_error *err);

/* JSON in memory, of which a program makes a text. */
struct script_document {
    struct json_writer writer; /* on one line */
    FILE *file;
};
/* Returns the writer to put a value into, good until script_document_end, which
 * is due then, and fails where there was no memory for it. */
struct json_writer *script_document_begin(struct script_document *out);
/* Ends the document, and appends what the program prints of it to out; error <
 * 0: runs nothing, and returns that. Errors: those of script_filter. */
int script_document_end(struct script_document *document,
                        struct buffer *out,
                        const char *script,
                        const char *const *arguments,
                        int error,
                        struct mapcore_error *err);

/* An option more for script_become; both are borrowed. Errors: ENOMEM. */
int script_add(struct tool_list *options,
               const char *name,
               const char *value,
               struct mapcore_error *err);

/* exec of an installed program, "tune.py", for a verb, with the options that
 * were given: options has a name and an argument (NULL: a flag) each. command:
 * up to a NULL. Returns only where that fails. Errors: ENOTSUP (no python3,
 * no such program), ENOMEM. */
int script_become(const char *script,
                  const char *verb,
                  const struct tool_list *options,
                  char *const *command,
                  struct mapcore_error *err);

#endif
