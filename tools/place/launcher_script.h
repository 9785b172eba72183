/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* launcher_script.h - topomap place and topomap record become launchers.py,
 * which knows mpiexec and its kin */
#ifndef TOOLS_LAUNCHER_SCRIPT_H
#define TOOLS_LAUNCHER_SCRIPT_H

#include "tools/common/command_line.h"

/* What --launcher may name. */
extern const struct option_word launcher_words[];

/* exec of launchers.py for a verb, with the options that were given: options
 * has a name and an argument (NULL: a flag) each. command: up to a NULL.
 * Returns only where that fails. Errors: ENOTSUP (no python3), ENOMEM. */
int launcher_script_become(const char *verb,
                           const struct tool_list *options,
                           char *const *command,
                           struct mapcore_error *err);

#endif
