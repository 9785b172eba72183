/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* script.h - subcommands that are Python programs: the command reads their
 * options, and becomes them */
#ifndef TOOLS_SCRIPT_H
#define TOOLS_SCRIPT_H

#include "tools/common/tool.h"

/* exec of an installed program, "tune.py", for a verb, with the options that
 * were given: options has a name and an argument (NULL: a flag) each. command:
 * up to a NULL. Returns only where that fails. Errors: ENOTSUP (no python3),
 * ENOMEM. */
int script_become(const char *script,
                  const char *verb,
                  const struct tool_list *options,
                  char *const *command,
                  struct mapcore_error *err);

#endif
