/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* catalogue_write.c - new versions filed and old ones removed, without locks: a
 * folder is whole before it gets its name, and `current` changes by rename() */
#include "config.h"

#include "profiles/catalogue.h"
#include "profiles/catalogue_names.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/file_replace.h"
#include "base/text.h"
#include "launch/plain_name.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NEW_PREFIX ".new-"
#define JOB_MAX    64
/* How often a name that somebody else has just taken is tried anew. */
#define TRIES 1000

static int fail(struct mapcore_error *err, const char *what, const char *path)
{
    if (errno == EROFS)
        return error_set(err, MAPCORE_EIO,
                         "cannot %s %.300s: its file system is mounted "
                         "read-only",
                         what, path);
    return error_set(err, MAPCORE_EIO, "cannot %s %.300s: %s", what, path,
                     strerror(errno));
}

/* Makes a folder and those above it. *path comes back as it was. A folder that
 * is there may answer otherwise than EEXIST (EROFS, EACCES, an automounter's
 * ENOSYS): only the last one counts, and of several refusals the first. */
static int make_folders(char *path)
{
    int refused = 0;

    for (char *p = path + 1;; p++) {
        char held = *p;

        if (held != '/' && held != '\0')
            continue;
        *p = '\0';
        if (mkdir(path, 0755) == 0)
            refused = 0;
        else if (errno != EEXIST && (refused == 0 || errno != ENOENT))
            refused = errno;
        else if (errno == EEXIST)
            refused = 0;
        *p = held;
        if (held == '\0')
            break;
    }
    errno = refused;
    return refused == 0 ? 0 : -1;
}

/* A new folder of our own in parent, named by process and count; mkdir() says
 * when another node's process has the same. ENOENT: catalogue_remove was
 * quicker with the empty folders. */
static int make_new(char **out, char *parent, struct mapcore_error *err)
{
    struct buffer path = {0};
    int error;

    for (unsigned i = 0; i < TRIES; i++) {
        buffer_clear(&path);
        error = buffer_printf(&path, err, "%s/" NEW_PREFIX "%ld-%u", parent,
                              (long)getpid(), i);
        if (error < 0)
            return error;
        if (make_folders(parent) < 0)
            break;
        if (mkdir(path.bytes, 0755) == 0) {
            *out = buffer_steal(&path);
            return 0;
        }
        if (errno != EEXIST && errno != ENOENT)
            break;
    }
    error = fail(err, "make the folder", parent);
    buffer_clear(&path);
    return error;
}

int catalogue_begin(char **folder,
                    const char *root,
                    const char *program,
                    const char *identity,
                    uint32_t ntasks,
                    struct mapcore_error *err)
{
    struct buffer parent = {0};
    char *place = NULL;
    int error = catalogue_place(&place, root, program, identity, err);

    if (error < 0)
        return error;
    if (ntasks == 0)
        error = error_set(err, MAPCORE_EINVAL, "a profile of 0 tasks");
    else
        error = buffer_printf(&parent, err, "%s/%u", place, ntasks);
    if (error == 0)
        error = make_new(folder, parent.bytes, err);
    buffer_clear(&parent);
    free(place);
    return error;
}

/* Removes a version's folder and the files in it. errno tells when that
 * failed. */
static int remove_folder(const char *folder)
{
    struct dirent *entry;
    DIR *dir = opendir(folder);

    if (!dir)
        return -1;
    while ((entry = readdir(dir)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(dir), entry->d_name, 0);
    closedir(dir);
    return rmdir(folder);
}

/* Removes the folders of tasks, identity and program as long as they are empty,
 * from path (the first of them) upwards; cuts path. */
static void remove_empty(char *path)
{
    for (int i = 0; i < 3 && rmdir(path) == 0; i++) {
        char *slash = strrchr(path, '/');

        if (!slash)
            return;
        *slash = '\0';
    }
}

void catalogue_abandon(const char *folder)
{
    int saved = errno;
    const char *last = folder ? text_last_part(folder) : "";
    char *parent;

    if (strncmp(last, NEW_PREFIX, strlen(NEW_PREFIX)) == 0 &&
        remove_folder(folder) == 0 && last > folder) {
        parent = strndup(folder, (size_t)(last - folder) - 1);
        if (parent)
            remove_empty(parent);
        free(parent);
    }
    errno = saved;
}

static int sync_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int error, saved;

    if (fd < 0)
        return -1;
    error = file_sync(fd);
    saved = errno;
    close(fd);
    errno = saved;
    return error;
}

/* A file written under umask 0 would be refused by every reader. */
static int settle_file(int folder, const char *name)
{
    struct stat st;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    int error = -1, saved;

    if (fd < 0)
        return -1;
    if (fstat(fd, &st) == 0 &&
        (!(st.st_mode & S_IWOTH) || fchmod(fd, st.st_mode & 0775) == 0))
        error = file_sync(fd);
    saved = errno;
    close(fd);
    errno = saved;
    return error;
}

static int settle_folder(const char *folder, struct mapcore_error *err)
{
    struct dirent *entry;
    unsigned files = 0;
    int error = 0;
    DIR *dir = opendir(folder);

    if (!dir)
        return fail(err, "read", folder);
    while (error == 0 && (entry = readdir(dir))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        files++;
        if (settle_file(dirfd(dir), entry->d_name) < 0)
            error = fail(err, "store a file in", folder);
    }
    if (error == 0 && files == 0)
        error = error_set(err, MAPCORE_EINVAL, "no files in %.400s", folder);
    if (error == 0 && file_sync(dirfd(dir)) < 0)
        error = fail(err, "store", folder);
    closedir(dir);
    return error;
}

/* r20261121T023000Z-12.0 */
static int name_version(struct buffer *out,
                        int64_t when,
                        const char *job,
                        struct mapcore_error *err)
{
    char stamp[32], clean[JOB_MAX + 1];
    time_t seconds = (time_t)when;
    size_t n = 0;
    struct tm tm;

    if (when < 0 || !gmtime_r(&seconds, &tm) || tm.tm_year > 9999 - 1900 ||
        strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &tm) == 0)
        return error_set(err, MAPCORE_ERANGE, "no such time: %lld seconds",
                         (long long)when);
    for (; job && job[n] && n < JOB_MAX; n++)
        clean[n] = plain_name_has(job[n]) ? job[n] : '_';
    clean[n] = '\0';
    return buffer_printf(out, err, "r%s-%s", stamp, n > 0 ? clean : "local");
}

/* Gives the finished folder its name, with -2, -3, ... behind it when another
 * recording of the same second has it: rename() never replaces a folder that
 * holds files. */
static int place_folder(char **version,
                        const char *folder,
                        const char *parent,
                        const char *name,
                        struct mapcore_error *err)
{
    struct buffer candidate = {0};
    char *path;
    int error = 0;

    for (unsigned i = 1; i <= TRIES; i++) {
        buffer_clear(&candidate);
        error = i == 1 ? buffer_printf(&candidate, err, "%s", name)
                       : buffer_printf(&candidate, err, "%s-%u", name, i);
        path = error < 0 ? NULL : catalogue_join(parent, candidate.bytes, err);
        if (!path) {
            error = MAPCORE_ENOMEM;
            break;
        }
        error = rename(folder, path);
        free(path);
        if (error == 0) {
            *version = buffer_steal(&candidate);
            return 0;
        }
        if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR) {
            error = fail(err, "rename", folder);
            break;
        }
        error = error_set(err, MAPCORE_EIO, "%.300s has too many versions %s",
                          parent, name);
    }
    buffer_clear(&candidate);
    return error;
}

static int switch_current(const char *parent,
                          const char *version,
                          struct mapcore_error *err)
{
    char *current = catalogue_join(parent, "current", err);
    struct buffer link = {0};
    int error = current ? 0 : MAPCORE_ENOMEM;

    for (unsigned i = 0; error == 0; i++) {
        buffer_clear(&link);
        error = buffer_printf(&link, err, "%s/.current-%ld-%u", parent,
                              (long)getpid(), i);
        if (error < 0)
            break;
        if (symlink(version, link.bytes) == 0)
            break;
        if (errno != EEXIST || i == TRIES)
            error = fail(err, "make a symlink in", parent);
    }
    if (error == 0 && rename(link.bytes, current) < 0) {
        error = fail(err, "switch", current);
        unlink(link.bytes);
    }
    buffer_clear(&link);
    free(current);
    return error;
}

/* The folders from parent (ROOT/program/identity/ntasks) up to ROOT. */
static void sync_upwards(char *parent)
{
    char *cut[3] = {NULL};
    int i;

    /* What is not synced now may be lost with the power, and is then as it was
     * before; nothing that stood there suffers. */
    (void)sync_folder(parent);
    for (i = 0; i < 3 && (cut[i] = strrchr(parent, '/')); i++) {
        *cut[i] = '\0';
        (void)sync_folder(parent);
    }
    while (i-- > 0)
        *cut[i] = '/';
}

int catalogue_commit(char **version,
                     const char *folder,
                     int64_t time,
                     const char *job,
                     struct mapcore_error *err)
{
    struct buffer name = {0};
    char *parent = array_copy(folder, strlen(folder) + 1, 1, err);
    char *slash = parent ? strrchr(parent, '/') : NULL;
    char *placed = NULL, *path = NULL;
    int error = parent ? 0 : MAPCORE_ENOMEM;

    if (error == 0 &&
        (!slash || strncmp(slash + 1, NEW_PREFIX, strlen(NEW_PREFIX)) != 0))
        error = error_set(err, MAPCORE_EINVAL, "%.400s was not begun", folder);
    if (slash)
        *slash = '\0';
    if (error < 0 || (error = name_version(&name, time, job, err)) < 0 ||
        (error = settle_folder(folder, err)) < 0 ||
        (error = place_folder(&placed, folder, parent, name.bytes, err)) < 0)
        goto out;
    path = catalogue_join(parent, placed, err);
    error = path ? switch_current(parent, placed, err) : MAPCORE_ENOMEM;
    if (error == 0) {
        sync_upwards(parent);
        if (version) {
            *version = placed;
            placed = NULL;
        }
    } else if (path && remove_folder(path) == 0) {
        remove_empty(parent);
    }
out:
    if (error < 0)
        catalogue_abandon(folder);
    buffer_clear(&name);
    free(placed);
    free(path);
    free(parent);
    return error;
}

/* Points `current` away from a version that goes: to the newest other one, or
 * nowhere when there is none. */
static int leave_version(const char *parent,
                         const char *version,
                         struct mapcore_error *err)
{
    char held[NAME_MAX + 1];
    const char *newest = NULL;
    char **names = NULL;
    char *link;
    size_t n = 0;
    int error = catalogue_current(held, parent, NULL);

    if (error == 0 && strcmp(held, version) != 0)
        return 0;
    error = catalogue_names(&names, &n, parent, catalogue_is_version, err);
    if (error < 0)
        return error;
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], version) != 0)
            newest = names[i];
    if (newest) {
        error = switch_current(parent, newest, err);
    } else {
        link = catalogue_join(parent, "current", err);
        error = link ? 0 : MAPCORE_ENOMEM;
        if (link && unlink(link) < 0 && errno != ENOENT)
            error = fail(err, "remove", link);
        free(link);
    }
    catalogue_names_free(names, n);
    return error;
}

int catalogue_remove(const struct catalogue_entry *entry,
                     struct mapcore_error *err)
{
    char *parent = array_copy(entry->path, strlen(entry->path) + 1, 1, err);
    char *slash = parent ? strrchr(parent, '/') : NULL;
    int error = 0;

    if (!parent)
        return MAPCORE_ENOMEM;
    if (!slash || !catalogue_is_version(slash + 1))
        error =
            error_set(err, MAPCORE_EINVAL, "%.400s is no version", entry->path);
    if (error == 0) {
        *slash = '\0';
        error = leave_version(parent, slash + 1, err);
    }
    if (error == 0 && remove_folder(entry->path) < 0)
        error = fail(err, "remove", entry->path);
    if (error == 0)
        remove_empty(parent);
    free(parent);
    return error;
}
