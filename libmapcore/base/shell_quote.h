/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shell_quote.h - a word as it is typed for a shell */
#ifndef BASE_SHELL_QUOTE_H
#define BASE_SHELL_QUOTE_H

#include "base/buffer.h"

/* Appends word[n], in single quotes where a shell would see more in it than a
 * word, or nothing. Errors: ENOMEM. */
int shell_quote(struct buffer *out,
                struct mapcore_error *err,
                const char *word,
                size_t n);

#endif
