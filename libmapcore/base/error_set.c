/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* error_set.c - the sentence for the person */
#include "config.h"

#include "base/error_set.h"

#include "base/printable.h"

#include <stdarg.h>
#include <stdio.h>

int error_set(struct mapcore_error *err, int error, const char *format, ...)
{
    if (err) {
        va_list ap;

        va_start(ap, format);
        if (vsnprintf(err->text, sizeof(err->text), format, ap) < 0)
            err->text[0] = '\0';
        va_end(ap);
        printable_clean(err->text);
    }
    return error;
}
