/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* script.h - what Python programs do: subcommands, whose options the command
 * reads before it becomes them, and what is made of a document of JSON */
#ifndef TOOLS_SCRIPT_H
#define TOOLS_SCRIPT_H

#include "base/buffer.h"
#include "tools/common/tool.h"

/* Appends the path of an installed Python program, or of the folder that it is.
 * Errors: ENOTSUP (it is not there), ENOMEM. */
int script_path(struct buffer *out,
                const char *script,
                struct mapcore_error *err);

/* Runs an installed program with arguments (up to a NULL, three at most) and
 * the file `in` as its stdin, and appends what it prints to out. Errors:
 * ENOTSUP (no python3, no such program), EIO (it fails), ENOMEM. */
int script_filter(struct buffer *out,
                  const char *script,
                  char *const *arguments,
                  int in,
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
