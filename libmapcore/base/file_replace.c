/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* file_replace.c - files written beside their name, which they take only when
 * they are whole and on the disk */
#include "config.h"

#include "base/file_replace.h"

#include "base/buffer.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How many names are tried, when others are taken by files that a process of
 * the same number left behind, here or on another node. */
#define TRIES 1000

int file_sync(int fd)
{
    return fsync(fd) < 0 && errno != EINVAL && errno != ENOTSUP ? -1 : 0;
}

static int fail(struct mapcore_error *err, const char *what, const char *path)
{
    return error_set(err, MAPCORE_EIO, "cannot %s %.400s: %s", what, path,
                     strerror(errno != 0 ? errno : EIO));
}

static int create_beside(int *out,
                         char **beside,
                         int folder,
                         const char *path,
                         unsigned mode,
                         struct mapcore_error *err)
{
    struct buffer name = {.err = err};
    int fd = -1, error = 0;

    for (unsigned i = 0; error == 0 && fd < 0 && i < TRIES; i++) {
        buffer_clear(&name);
        error = buffer_printf(&name, "%s.new-%ld-%u", path, (long)getpid(), i);
        if (error < 0)
            break;
        fd = openat(folder, name.bytes,
                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (error == 0 && fd < 0)
        error = fail(err, "write", path);
    if (error == 0)
        *out = fd;
    return buffer_finish(beside, &name, error);
}

int file_replace_open_at(struct file_replace *out,
                         int folder,
                         const char *path,
                         unsigned mode,
                         struct mapcore_error *err)
{
    struct file_replace made = {.folder = folder};
    int fd = -1;
    int error = text_copy(&made.path, path, err);

    if (error == 0)
        error = create_beside(&fd, &made.beside, folder, path, mode, err);
    if (error == 0 && !(made.file = fdopen(fd, "w"))) {
        error = fail(err, "write", path);
        close(fd);
    }
    if (error == 0)
        *out = made;
    else
        file_replace_abandon(&made);
    return error;
}

int file_replace_open(struct file_replace *out,
                      const char *path,
                      unsigned mode,
                      struct mapcore_error *err)
{
    return file_replace_open_at(out, AT_FDCWD, path, mode, err);
}

/* The new name is on the disk only when its folder is. What is not synced now
 * may be lost with the power, and is then as it was before. */
static void sync_parent(int above, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) : 0;
    char *folder = strndup(slash ? path : ".", !slash || n == 0 ? 1 : n);
    int fd;

    if (!folder)
        return;
    fd = openat(above, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)file_sync(fd);
        close(fd);
    }
    free(folder);
}

/* Why writing failed, as errno, or 0: that of the write that failed is long
 * gone, and one more has the same. The file is not kept then. */
static int why_broken(FILE *file)
{
    bool was_broken = ferror(file) != 0;

    errno = 0;
    if (fflush(file) != 0 && errno != 0)
        return errno;
    errno = 0;
    if (was_broken && write(fileno(file), "", 1) < 0)
        return errno;
    return was_broken ? EIO : 0;
}

int file_replace_commit(struct file_replace *out, struct mapcore_error *err)
{
    int error = 0;

    if ((errno = why_broken(out->file)) != 0)
        error = fail(err, "write", out->path);
    else if (file_sync(fileno(out->file)) < 0)
        error = fail(err, "store", out->path);
    if (fclose(out->file) != 0 && error == 0)
        error = fail(err, "write", out->path);
    out->file = NULL;
    if (error == 0 &&
        renameat(out->folder, out->beside, out->folder, out->path) < 0)
        error = fail(err, "rename to", out->path);
    if (error == 0) {
        sync_parent(out->folder, out->path);
        free(out->beside);
        out->beside = NULL;
    }
    file_replace_abandon(out);
    return error;
}

void file_replace_abandon(struct file_replace *out)
{
    int saved = errno;

    if (out->file)
        fclose(out->file);
    if (out->beside)
        unlinkat(out->folder, out->beside, 0);
    free(out->beside);
    free(out->path);
    *out = (struct file_replace){0};
    errno = saved;
}
