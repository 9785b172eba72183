/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* file_read.c - files opened by one rule and read whole, up to a bound */
#include "config.h"

#include "base/file_read.h"

#include "base/array.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes asked for at a time. */
enum { CHUNK = 1 << 16 };

int file_open_at(int *out,
                 int folder,
                 const char *path,
                 unsigned kind,
                 struct mapcore_error *err)
{
    const int flags = (kind & FILE_REGULAR ? O_NONBLOCK : 0) |
                      (kind & FILE_NO_LINK ? O_NOFOLLOW : 0);
    int fd = openat(folder, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | flags);
    struct stat st;
    int error = 0;

    if (fd < 0 && errno == ELOOP && kind & FILE_NO_LINK)
        error = error_set(err, MAPCORE_ETRUST,
                          "%.400s: a link, not a regular file", path);
    else if (fd < 0 || fstat(fd, &st) < 0)
        error =
            error_set(err, MAPCORE_EIO, "%.400s: %s", path, strerror(errno));
    else if (S_ISDIR(st.st_mode))
        error = error_set(err, MAPCORE_EIO, "%.400s: is a folder", path);
    else if (kind & FILE_REGULAR && !S_ISREG(st.st_mode))
        error =
            error_set(err, MAPCORE_ETRUST, "%.400s: not a regular file", path);
    if (error == 0)
        *out = fd;
    else if (fd >= 0)
        close(fd);
    return error;
}

int file_read_some(struct buffer *out,
                   bool *more,
                   int fd,
                   const char *name,
                   size_t most,
                   struct mapcore_error *err)
{
    ssize_t got;
    int error =
        array_reserve(&out->bytes, &out->capacity, out->n + CHUNK + 1, 1, err);

    if (error < 0)
        return error;
    do
        got = read(fd, out->bytes + out->n, CHUNK);
    while (got < 0 && errno == EINTR);
    if (got < 0) {
        error =
            error_set(err, MAPCORE_EIO, "%.400s: %s", name, strerror(errno));
        got = 0;
    }
    out->n += (size_t)got;
    out->bytes[out->n] = '\0';
    *more = got > 0;
    if (error == 0 && out->n > most)
        error = error_set(err, MAPCORE_ERANGE, "%.400s: longer than %zu %s",
                          name, most >> 20 > 0 ? most >> 20 : most,
                          most >> 20 > 0 ? "MiB" : "bytes");
    return error;
}

int file_read_rest(struct buffer *out,
                   int fd,
                   const char *name,
                   size_t most,
                   struct mapcore_error *err)
{
    bool more = true;
    int error = 0;

    while (error == 0 && more)
        error = file_read_some(out, &more, fd, name, most, err);
    return error;
}

int file_read_all(struct buffer *out,
                  const char *path,
                  unsigned kind,
                  size_t most,
                  struct mapcore_error *err)
{
    int fd, saved;
    int error = file_open_at(&fd, AT_FDCWD, path, kind, err);

    if (error < 0)
        return error;
    error = file_read_rest(out, fd, path, most, err);
    saved = errno;
    close(fd);
    errno = saved;
    return error;
}
