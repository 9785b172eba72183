/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* foreign_graph.h - task graphs from what other tools leave, read by
 * graph-readers.py, which is installed beside topomap */
#ifndef TOOLS_FOREIGN_GRAPH_H
#define TOOLS_FOREIGN_GRAPH_H

#include "graph/graph.h"

/* format: as graph-readers.py has them, "any" for it to find out; path: a file,
 * or a folder with those of a run. Runs python3. Errors: EPARSE, ERANGE (file
 * and line), ENOENT (nothing of the format in the folder), EIO, ENOTSUP (there
 * is no python3), ENOMEM. */
int foreign_graph_read(struct mapcore_graph **out,
                       const char *format,
                       const char *path,
                       struct mapcore_error *err);

#endif
