/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* draw_output.h - a picture's file, or stdout, which gets all of it or nothing
 */
#ifndef TOOLS_DRAW_DRAW_OUTPUT_H
#define TOOLS_DRAW_DRAW_OUTPUT_H

#include "base/error.h"

#include <stdio.h>

typedef int draw_fill(FILE *file, void *arg, struct mapcore_error *err);

/* Opens the output (NULL: stdout) first, since a search whose result cannot be
 * kept is not worth its time, and writes what fill has written only when that
 * is whole. Errors: those of tool_output_open and of fill; ENOMEM. */
int draw_output_write(const char *path,
                      draw_fill *fill,
                      void *arg,
                      struct mapcore_error *err);

#endif
