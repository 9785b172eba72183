/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* json_text.h - what json-c does not do with the text of a document */
#ifndef MAPCORE_JSON_JSON_TEXT_H
#define MAPCORE_JSON_JSON_TEXT_H

#include "base/buffer.h"

/* Appends n bytes of JSON to out, each UTF-8 character that is not ASCII as the
 * escape \uXXXX (or two) that means it. What is no UTF-8, or stands behind a
 * backslash, stays as it is, for json-c to refuse. Errors: ENOMEM. */
int json_ascii(struct buffer *out, const char *bytes, size_t n);

/* The line, from 1, in which the value called where ("types[2].calls") begins
 * in text, which must be JSON; of what is not there, that of the object or
 * array in which it is looked for. O(text). */
size_t json_line(const char *text, const char *where);

#endif
