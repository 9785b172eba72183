/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* formats.h - one reader a format, behind mapcore_graph_read */
#ifndef MAPCORE_GRAPH_FORMATS_H
#define MAPCORE_GRAPH_FORMATS_H

#include "base/text.h"
#include "graph/file/file.h"

/* Each reads text from where it stands to its end. how: only mtx and edges ask
 * it; a list of edges whose format is not named may turn out to be a mapping.
 * Errors: EPARSE, ERANGE, EIO, ENOMEM, EINVAL (more tasks than rows; a task
 * behind the last), EVERSION. */
typedef int graph_reader(struct mapcore_graph **out,
                         struct text *text,
                         const struct mapcore_graph_reading *how);
graph_reader graph_read_metis, graph_read_mtx, graph_read_dense,
    graph_read_edges;

#endif
