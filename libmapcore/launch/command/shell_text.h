/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shell_text.h - the lines of a shell's script that start programs, as far as
 * their words say it */
#ifndef MAPCORE_LAUNCH_SHELL_TEXT_H
#define MAPCORE_LAUNCH_SHELL_TEXT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Words without their quotes, "$@" replaced by the script's arguments. folder:
 * of a cd before it, relative to where the shell began; NULL: there; "": not
 * known. */
struct shell_command {
    int argc;
    char **argv; /* [argc] and a NULL */
    char *folder;
    bool is_dynamic; /* argv[0] is known only when it runs */
};

/* All owned. */
struct shell_text {
    size_t n;
    struct shell_command *command;
    /* Neither loops, conditions nor functions, nor anything that changes PATH:
     * each command runs as it stands, once. */
    bool is_plain;
};

/* Finds the commands of text[n], without the shell's own; argv[0 .. argc - 1]
 * are its $0, $1 ... No variable is known, and nothing is run. What is beyond
 * 64 commands, or 256 words of one, is left out, and *out not plain then.
 * Errors: ENOMEM. */
int shell_text_read(struct shell_text *out,
                    const char *text,
                    size_t n,
                    int argc,
                    const char *const *argv,
                    struct mapcore_error *err);
void shell_text_clear(struct shell_text *text);

#endif
