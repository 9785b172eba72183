/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* runs.h - sequences of small numbers as text, in the plan, the facts and the
 * slots */
#ifndef LAUNCH_RUNS_H
#define LAUNCH_RUNS_H

#include "base/error.h"

/* RUNS: values in order, comma separated, v or v*count or a..b (ascending by
 * one). *out is owned, NUL-terminated. Errors: ENOMEM. */
int runs_format(char **out,
                const uint32_t *values,
                uint32_t count,
                struct mapcore_error *err);
/* Into values[count] of the caller; the text ends with the NUL or a newline.
 * Errors: EPARSE (not RUNS, or not of that count), ERANGE. */
int runs_parse(uint32_t *values,
               uint32_t count,
               const char *text,
               struct mapcore_error *err);

#endif
