/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* columns.h - what people call the numbers of an edge, in tables and graphs */
#ifndef MAPCORE_GRAPH_COLUMNS_H
#define MAPCORE_GRAPH_COLUMNS_H

enum column { COLUMN_FROM, COLUMN_TO, COLUMN_BYTES, COLUMN_OTHER };

/* By its name, in whatever case. *rank: where several columns say the same, the
 * one of the lowest is meant ("src" before "rank", "bytes" before "size"). */
enum column columns_find(const char *word, unsigned *rank);

#endif
