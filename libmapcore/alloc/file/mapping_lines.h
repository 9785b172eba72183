/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mapping_lines.h - a mapping as the lines of a file say it */
#ifndef MAPCORE_ALLOC_MAPPING_LINES_H
#define MAPCORE_ALLOC_MAPPING_LINES_H

#include "alloc/mapping.h"
#include "base/text.h"

/* mapcore_mapping_read of a text that is open. */
int mapping_lines_read(struct mapcore_mapping **out,
                       const struct mapcore_alloc *alloc,
                       struct text *text,
                       struct mapcore_error *err);

#endif
