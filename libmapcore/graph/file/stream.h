/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stream.h - the bytes of a graph file that is no lines of text: binary, or
 * XML; never more of them in memory than are asked for */
#ifndef MAPCORE_GRAPH_STREAM_H
#define MAPCORE_GRAPH_STREAM_H

#include "base/error.h"

#include <stdbool.h>

/* Plain data: a file, or, where fd is -1, n bytes in memory, borrowed. */
struct stream {
    const char *name; /* for messages, borrowed */
    int fd;
    const char *bytes;
    size_t n, at;
};

/* A file as a person names it, pipes and devices too. stream_close is due after
 * success. Errors: EIO. */
int stream_open(struct stream *out,
                const char *path,
                struct mapcore_error *err);
void stream_close(struct stream *stream);

/* Reads up to n bytes, fewer only where it ends. Errors: EIO. */
int stream_read(size_t *got,
                struct stream *stream,
                void *out,
                size_t n,
                struct mapcore_error *err);

/* The first bytes, up to n, without taking them. Of what cannot be read twice,
 * pipes among them, there are none. */
size_t stream_peek(const struct stream *stream, void *out, size_t n);

#endif
