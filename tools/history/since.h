/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* since.h - from when on: a day, or so long ago */
#ifndef TOOLS_SINCE_H
#define TOOLS_SINCE_H

#include "base/error.h"

/* Reads "2026-11-01" (its midnight in UTC), or 36h, 7d or 4w before now, into a
 * double of seconds since 1970; an option_take. Errors: EINVAL. */
int since_take(void *at, const char *text, struct mapcore_error *err);

#endif
