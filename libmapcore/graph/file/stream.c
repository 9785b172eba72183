/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stream.c - bytes of a file or from memory, for readers of what is no text */
#include "config.h"

#include "graph/file/stream.h"

#include "base/file_read.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int stream_open(struct stream *out, const char *path, struct mapcore_error *err)
{
    *out = (struct stream){.name = path, .fd = -1};
    return file_open_at(&out->fd, AT_FDCWD, path, FILE_ANY, err);
}

void stream_close(struct stream *stream)
{
    int saved = errno;

    if (stream->fd >= 0)
        close(stream->fd);
    stream->fd = -1;
    errno = saved;
}

static size_t take_memory(struct stream *stream, void *out, size_t n)
{
    size_t left = stream->n - stream->at;

    if (n > left)
        n = left;
    if (n > 0)
        memcpy(out, stream->bytes + stream->at, n);
    stream->at += n;
    return n;
}

int stream_read(size_t *got,
                struct stream *stream,
                void *out,
                size_t n,
                struct mapcore_error *err)
{
    char *to = out;

    *got = 0;
    if (stream->fd < 0) {
        *got = take_memory(stream, out, n);
        return 0;
    }
    while (*got < n) {
        ssize_t some = read(stream->fd, to + *got, n - *got);

        if (some < 0 && errno == EINTR)
            continue;
        if (some < 0)
            return error_set(err, MAPCORE_EIO, "%s: %s", stream->name,
                             strerror(errno));
        if (some == 0)
            break;
        *got += (size_t)some;
    }
    return 0;
}

size_t stream_peek(const struct stream *stream, void *out, size_t n)
{
    struct stream copy = *stream;
    ssize_t some;

    if (stream->fd < 0)
        return take_memory(&copy, out, n);
    some = pread(stream->fd, out, n, 0);
    return some > 0 ? (size_t)some : 0;
}
