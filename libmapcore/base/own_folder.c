/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* own_folder.c - folders that are judged once they are open, and what is done
 * in them by their descriptors */
#include "config.h"

#include "base/own_folder.h"

#include "base/array.h"
#include "base/error_set.h"
#include "base/file_read.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct own_folder {
    int fd;
    enum own_folder_rule rule;
    char *path;
};

static int fail(struct mapcore_error *err, const char *what, const char *path)
{
    return error_set(err, errno == ENOENT ? MAPCORE_ENOENT : MAPCORE_EIO,
                     "cannot %s %.300s: %s", what, path, strerror(errno));
}

int own_folder_judge(const struct stat *st,
                     const char *path,
                     enum own_folder_rule rule,
                     struct mapcore_error *err)
{
    if (rule == OWN_FOLDER_NAMED)
        return 0;
    if (rule == OWN_FOLDER_ALONE &&
        (st->st_uid != geteuid() || (st->st_mode & (S_IWGRP | S_IWOTH))))
        return error_set(err, MAPCORE_ETRUST,
                         "%.400s is refused: it is not yours alone", path);
    if (st->st_mode & S_IWOTH &&
        (rule != OWN_FOLDER_LOG || !(st->st_mode & S_ISVTX)))
        return error_set(err, MAPCORE_ETRUST,
                         "%.400s is refused: everybody may write to it", path);
    if (rule == OWN_FOLDER_OWN && st->st_uid != geteuid() && st->st_uid != 0)
        return error_set(
            err, MAPCORE_ETRUST,
            "%.400s is refused: it belongs to user %lu, and "
            "TOPOMAP_CATALOGUE is for a catalogue of your own; "
            "another's is read by --topomap=auto,catalogue=DIR, or "
            "--catalogue DIR",
            path, (unsigned long)st->st_uid);
    return 0;
}

/* path is how it is named in messages; owned by *out or freed. */
static int open_at(struct own_folder **out,
                   int above,
                   const char *name,
                   char *path,
                   enum own_folder_rule rule,
                   struct mapcore_error *err)
{
    const int link = above == AT_FDCWD ? 0 : O_NOFOLLOW;
    /* Users may make files in a log's folder, and not read what is there. */
    const int read = rule == OWN_FOLDER_LOG ? O_PATH : O_RDONLY;
    struct own_folder *folder = array_alloc(1, sizeof(*folder), err);
    struct stat st;
    int error = 0;

    if (!folder || !path) {
        free(folder);
        free(path);
        return MAPCORE_ENOMEM;
    }
    folder->path = path;
    folder->rule = rule;
    folder->fd = openat(above, name, read | O_DIRECTORY | O_CLOEXEC | link);
    if (folder->fd < 0)
        error = fail(err, "open the folder", path);
    else if (fstat(folder->fd, &st) < 0)
        error = fail(err, "look at", path);
    else
        error = own_folder_judge(&st, path, rule, err);
    if (error == 0)
        *out = folder;
    else
        own_folder_close(folder);
    return error;
}

int own_folder_open(struct own_folder **out,
                    const char *path,
                    enum own_folder_rule rule,
                    struct mapcore_error *err)
{
    return open_at(out, AT_FDCWD, path,
                   array_copy(path, strlen(path) + 1, 1, err), rule, err);
}

int own_folder_below(struct own_folder **out,
                     const struct own_folder *above,
                     const char *name,
                     enum own_folder_rule rule,
                     struct mapcore_error *err)
{
    struct buffer path = {.err = err};

    if (buffer_printf(&path, "%s/%s", above->path, name) < 0)
        buffer_clear(&path);
    return open_at(out, above->fd, name, buffer_steal(&path), rule, err);
}

int own_folder_make(struct own_folder **out,
                    const struct own_folder *above,
                    const char *name,
                    unsigned mode,
                    enum own_folder_rule rule,
                    struct mapcore_error *err)
{
    if (mkdirat(above->fd, name, mode) < 0 && errno != EEXIST)
        return fail(err, "make a folder in", above->path);
    return own_folder_below(out, above, name, rule, err);
}

int own_folder_open_above(struct own_folder **out,
                          const char **name,
                          const char *path,
                          struct mapcore_error *err)
{
    char *root = NULL, *last = NULL, *middle = NULL;
    struct own_folder *above = NULL;
    int error = text_copy(&root, path, err);

    if (error == 0 && (!(last = strrchr(root, '/')) || last[1] == '\0' ||
                       !(middle = memrchr(root, '/', (size_t)(last - root))) ||
                       middle == root || middle + 1 == last))
        error = error_set(err, MAPCORE_EINVAL,
                          "%.400s is in no folder of a catalogue", path);
    if (error == 0) {
        *name = path + (last - root) + 1;
        *last = *middle = '\0';
        error = own_folder_open(&above, root, OWN_FOLDER_NAMED, err);
    }
    if (error == 0)
        error = own_folder_below(out, above, middle + 1, OWN_FOLDER_ALONE, err);
    own_folder_close(above);
    free(root);
    return error;
}

void own_folder_close(struct own_folder *folder)
{
    const int saved = errno;

    if (!folder)
        return;
    if (folder->fd >= 0)
        close(folder->fd);
    free(folder->path);
    free(folder);
    errno = saved;
}

const char *own_folder_path(const struct own_folder *folder)
{
    return folder->path;
}

int own_folder_fd(const struct own_folder *folder)
{
    return folder->fd;
}

const char *own_folder_next(DIR **dir, const struct own_folder *folder)
{
    const struct dirent *entry;

    if (!*dir) {
        /* Not a dup(): its place in the folder would be shared. */
        const int fd =
            openat(folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        if (fd < 0 || !(*dir = fdopendir(fd))) {
            if (fd >= 0)
                close(fd);
            return NULL;
        }
    }
    if ((entry = readdir(*dir)))
        return entry->d_name;
    closedir(*dir);
    *dir = NULL;
    return NULL;
}

int own_folder_stat(struct stat *out,
                    const struct own_folder *folder,
                    const char *name)
{
    return fstatat(folder->fd, name, out, AT_SYMLINK_NOFOLLOW);
}

int own_folder_open_file(int *out,
                         struct stat *st,
                         const struct own_folder *folder,
                         const char *name,
                         struct mapcore_error *err)
{
    const int fd =
        openat(folder->fd, name,
               O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct buffer path = {.err = err};
    int error = 0;

    if (buffer_printf(&path, "%s/%s", folder->path, name) < 0)
        error = MAPCORE_ENOMEM;
    else if (fd < 0 && errno == ELOOP)
        error = error_set(err, MAPCORE_ETRUST,
                          "%.400s: a link, not a regular file", path.bytes);
    else if (fd < 0 || fstat(fd, st) < 0)
        error = fail(err, "read", path.bytes);
    else if (!S_ISREG(st->st_mode))
        error = error_set(err, MAPCORE_ETRUST, "%.400s: not a regular file",
                          path.bytes);
    else
        error = own_folder_judge(st, path.bytes, folder->rule, err);
    if (error == 0)
        *out = fd;
    else if (fd >= 0)
        close(fd);
    buffer_clear(&path);
    return error;
}

int own_folder_read(struct buffer *out,
                    struct stat *st,
                    const struct own_folder *folder,
                    const char *name,
                    size_t most,
                    struct mapcore_error *err)
{
    struct stat found;
    int fd, error = own_folder_open_file(&fd, &found, folder, name, err);

    if (error == 0) {
        error = file_read_rest(out, fd, name, most, err);
        close(fd);
    }
    if (error == 0 && st)
        *st = found;
    return error;
}

int own_folder_append(int *fd,
                      struct stat *st,
                      const struct own_folder *folder,
                      const char *name,
                      unsigned mode,
                      struct mapcore_error *err)
{
    const int file = openat(folder->fd, name,
                            O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW |
                                O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
                            mode);

    if (file < 0)
        return fail(err, "open", name);
    if (fstat(file, st) < 0 || !S_ISREG(st->st_mode) ||
        st->st_uid != geteuid() || st->st_nlink > 1 ||
        ((st->st_mode & 07777) != mode && fchmod(file, mode) < 0)) {
        close(file);
        return error_set(err, MAPCORE_ETRUST,
                         "%.200s/%.100s is no file that is yours alone",
                         folder->path, name);
    }
    *fd = file;
    return 0;
}

int own_folder_replace(struct file_replace *out,
                       const struct own_folder *folder,
                       const char *name,
                       unsigned mode,
                       struct mapcore_error *err)
{
    return file_replace_open_at(out, folder->fd, name, mode, err);
}

int own_folder_write(const struct own_folder *folder,
                     const char *name,
                     const char *text,
                     struct mapcore_error *err)
{
    struct file_replace file = {0};
    int error = own_folder_replace(&file, folder, name, 0600, err);

    if (error == 0) {
        /* The commit sees what could not be written. */
        (void)fputs(text, file.file);
        error = file_replace_commit(&file, err);
    }
    return error;
}

void own_folder_touch(const struct own_folder *folder, const char *name)
{
    (void)utimensat(folder->fd, name, NULL, AT_SYMLINK_NOFOLLOW);
}

int own_folder_remove(const struct own_folder *folder, const char *name)
{
    return unlinkat(folder->fd, name, 0);
}

int own_folder_remove_below(const struct own_folder *folder, const char *name)
{
    return unlinkat(folder->fd, name, AT_REMOVEDIR);
}

int own_folder_rename(const struct own_folder *folder,
                      const char *from,
                      const char *to)
{
    return renameat(folder->fd, from, folder->fd, to);
}
