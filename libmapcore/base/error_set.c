/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* error_set.c - the sentence for the person */
#include "config.h"

#include "base/error_set.h"

#include "base/printable.h"

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

int error_vset_at(struct mapcore_error *err,
                  int error,
                  const char *name,
                  size_t line,
                  const char *format,
                  va_list ap)
{
    struct mapcore_error what;

    if (vsnprintf(what.text, sizeof(what.text), format, ap) < 0)
        what.text[0] = '\0';
    return line > 0 ? error_set(err, error, "%s:%zu: %s", name, line, what.text)
                    : error_set(err, error, "%s: %s", name, what.text);
}
