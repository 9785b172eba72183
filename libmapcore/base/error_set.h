/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* error_set.h - how a failure is told inside the library; users of it read
 * struct mapcore_error alone */
#ifndef BASE_ERROR_SET_H
#define BASE_ERROR_SET_H

#include "base/error.h"

/* Formats the sentence into err (which may be NULL) and returns code, so that
 * a failure is one line: return error_set(err, MAPCORE_EINVAL, ...). Text that
 * does not fit is cut; control characters, which come from what others wrote,
 * become ?. */
int error_set(struct mapcore_error *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
