/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* json_ascii.h - JSON without a byte above 0x7f, for a json-c that refuses
 * them */
#ifndef JSON_ASCII_H
#define JSON_ASCII_H

#include "base/buffer.h"

/* Appends n bytes of JSON to out, each UTF-8 character that is not ASCII as the
 * escape \uXXXX (or two) that means it. What is no UTF-8, or stands behind a
 * backslash, stays as it is, for json-c to refuse. Errors: ENOMEM. */
int json_ascii(struct buffer *out,
               const char *bytes,
               size_t n,
               struct mapcore_error *err);

#endif
