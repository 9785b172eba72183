/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mapping_lines.h - a mapping as the lines of a file say it (in mapping.c) */
#ifndef MAPCORE_ALLOC_MAPPING_LINES_H
#define MAPCORE_ALLOC_MAPPING_LINES_H

#include "base/text.h"

struct mapcore_alloc;
struct mapcore_mapping;

/* One line a task, `host slot`; the slot may be left out on all lines; `#`
 * comments. Errors: EIO, EPARSE with file and line, EINVAL. */
int mapping_lines_read(struct mapcore_mapping **out,
                       const struct mapcore_alloc *alloc,
                       struct text *text);

#endif
