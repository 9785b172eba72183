/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_command.h - the command line of `topomap plan` that repeats a launch */
#ifndef LAUNCH_PLAN_COMMAND_H
#define LAUNCH_PLAN_COMMAND_H

#include "base/error.h"

/* From the facts of a launch as mapcore_facts_format writes them: the options
 * of `topomap plan` that say the same from a shell, quoted where a shell needs
 * it: "--program /x/app --ntasks 16 ...", the baseline only where it is not
 * block; then each of words[] (ended by NULL); then, in place of --program, the
 * command as typed, if the facts have it: "-- bash -c './app 3'". *out owned.
 * Errors: ENOMEM. */
int plan_command(char **out,
                 const char *facts_text,
                 const char *const *words,
                 struct mapcore_error *err);

#endif
