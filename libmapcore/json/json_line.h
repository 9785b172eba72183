/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* json_line.h - in which line of a JSON text a value stands */
#ifndef MAPCORE_JSON_JSON_LINE_H
#define MAPCORE_JSON_JSON_LINE_H

#include <stddef.h>

/* The line, from 1, in which the value called where ("types[2].calls") begins
 * in text, which must be JSON; of what is not there, that of the object or
 * array in which it is looked for. O(text). */
size_t json_line(const char *text, const char *where);

#endif
