/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shell_word.h - one word of a text for a shell: quotes, and the variables that
 * are known */
#ifndef MAPCORE_LAUNCH_SHELL_WORD_H
#define MAPCORE_LAUNCH_SHELL_WORD_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>

/* NAME=VALUE of the text itself. */
struct shell_value {
    char *name, *value; /* value NULL: known only when it runs */
};

/* A text that is being read; shell_text_read() has the members' meaning. */
struct shell_scan {
    const char *p, *end;
    int argc;
    const char *const *argv;
    const char *(*variable)(const char *name);
    struct shell_value *set;
    size_t nset, set_capacity;
    bool no_memory;
    struct mapcore_error *err;
};

struct shell_word {
    struct buffer text; /* owned */
    bool is_dynamic;    /* a part is known only when it runs, and stands in text
                           as it was written */
    bool splits;        /* an unquoted variable: as many words as its value */
    int arguments_from; /* "$@": argv from there on; 0: it is not that */
    const char *arguments; /* where that stands in the text, so many bytes */
    ptrdiff_t narguments;
};

/* Reads the word at p, up to a blank or operator; p moves behind it. */
void shell_scan_word(struct shell_word *out, struct shell_scan *scan);
/* Moves p behind blanks and continued lines. */
void shell_scan_blanks(struct shell_scan *scan);
/* p stands at `open`: moves behind its `close`, or to the end. */
void shell_scan_skip(struct shell_scan *scan, char open, char close);
/* word is NAME=VALUE, the name n characters long. */
void shell_scan_assign(struct shell_scan *scan, const char *word, size_t n);
/* shift COUNT */
void shell_scan_shift(struct shell_scan *scan, const char *count);
void shell_scan_clear(struct shell_scan *scan);

/* How long the name is with which word begins, or 0. */
size_t shell_word_name(const char *word);

#endif
