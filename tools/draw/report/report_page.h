/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* report_page.h - all pictures and figures of a subject in one page of HTML */
#ifndef TOOLS_DRAW_REPORT_PAGE_H
#define TOOLS_DRAW_REPORT_PAGE_H

#include "tools/draw/draw_subject.h"
#include "tools/draw/matrix/traffic.h"

#include <stdio.h>

/* Writes it: self-contained, well-formed as XML as well. traffic: bytes;
 * command: the words that repeat it, up to a NULL, or NULL. Errors: those of
 * the pictures. What could not be written the stream tells. */
int report_page_write(FILE *file,
                      const struct draw_subject *subject,
                      const struct traffic *traffic,
                      char *const *command,
                      struct mapcore_error *err);

#endif
