/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* formats.h - one reader a format, behind mapcore_graph_read */
#ifndef MAPCORE_GRAPH_FORMATS_H
#define MAPCORE_GRAPH_FORMATS_H

#include "base/text.h"
#include "graph/file/file.h"
#include "graph/file/stream.h"

/* Each reads text from where it stands to its end. Errors: EPARSE, ERANGE, EIO,
 * ENOMEM. */
int graph_read_metis(struct mapcore_graph **out,
                     struct text *text,
                     struct mapcore_error *err);
int graph_read_scotch(struct mapcore_graph **out,
                      struct text *text,
                      struct mapcore_error *err);
/* ntasks as in struct mapcore_graph_reading. Errors: EINVAL too (more tasks
 * than rows; a task behind the last). */
int graph_read_mtx(struct mapcore_graph **out,
                   struct text *text,
                   uint32_t ntasks,
                   struct mapcore_error *err);
int graph_read_dense(struct mapcore_graph **out,
                     struct text *text,
                     struct mapcore_error *err);
/* is_told: somebody has said that it is edges; else a mapping is refused. */
int graph_read_edges(struct mapcore_graph **out,
                     struct text *text,
                     uint32_t ntasks,
                     bool is_told,
                     struct mapcore_error *err);

/* No lines of text. Errors: EVERSION too. */
int graph_read_npy(struct mapcore_graph **out,
                   struct stream *stream,
                   struct mapcore_error *err);

#endif
