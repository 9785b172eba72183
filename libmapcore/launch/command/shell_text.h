/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shell_text.h - the commands in a text for a shell, as far as they can be told
 * without running it */
#ifndef MAPCORE_LAUNCH_SHELL_TEXT_H
#define MAPCORE_LAUNCH_SHELL_TEXT_H

#include "base/error.h"

#include <stdbool.h>

/* Words with quotes taken off and variables put in. Folder: where the command
 * runs after the cds before it, relative to where the shell began; NULL: there;
 * "": cannot be told. */
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

/* Finds the commands of text[n], those apart that every shell has or that only
 * prepare (cd, export, module, mkdir, echo, ...). argv[0 .. argc - 1] are its
 * $0, $1 ..., which "$@" stands for; variable(name) says the value of another,
 * or NULL when nobody can know. What is beyond 64 commands, or 256 words of
 * one, is left out, and *out not plain then. Errors: ENOMEM. */
int shell_text_read(struct shell_text *out,
                    const char *text,
                    size_t n,
                    int argc,
                    const char *const *argv,
                    const char *(*variable)(const char *name),
                    struct mapcore_error *err);
void shell_text_clear(struct shell_text *text);

#endif
