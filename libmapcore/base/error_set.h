/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* error_set.h - how a failure is reported inside the library; users of it read
 * struct mapcore_error alone */
#ifndef BASE_ERROR_SET_H
#define BASE_ERROR_SET_H

#include "base/error.h"

#include <stdarg.h>
#include <stddef.h>

/* Formats the sentence into err (which may be NULL) and returns code, so that
 * a failure is one line: return error_set(err, MAPCORE_EINVAL, ...). Text that
 * does not fit is cut; control characters, which come from what others wrote,
 * become ?. */
int error_set(struct mapcore_error *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, behind the place in a file that it is about: "name:line: ", or with
 * line 0 "name: ". */
int error_vset_at(struct mapcore_error *err,
                  int code,
                  const char *name,
                  size_t line,
                  const char *format,
                  va_list arguments) __attribute__((format(printf, 5, 0)));

#endif
