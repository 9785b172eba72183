/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* search_picture.h - how the best mapping got better while it was searched for
 */
#ifndef TOOLS_DRAW_SEARCH_PICTURE_H
#define TOOLS_DRAW_SEARCH_PICTURE_H

#include "tools/draw/search_trace.h"
#include "tools/draw/svg/svg.h"

/* Writes links a byte crosses over seconds, as a line of steps; before: what
 * they are without topomap. */
void search_picture_write(struct svg *svg,
                          const struct search_trace *trace,
                          double before);

#endif
