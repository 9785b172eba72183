/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* catalogue_write.c - new versions filed without locks: a folder is whole
 * before it gets its name, and `current` changes by rename() */
#include "config.h"

#include "profiles/catalogue/catalogue.h"
#include "profiles/catalogue/catalogue_builds.h"
#include "profiles/catalogue/catalogue_names.h"
#include "profiles/catalogue/catalogue_walk.h"

#include "base/buffer.h"
#include "base/file_replace.h"
#include "base/text.h"
#include "launch/catalogue_root.h"
#include "launch/plain_name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define JOB_MAX 64
/* What is to be `current`, with <pid>-<n> behind it. */
#define NEW_LINK ".current-"
/* How often a name that somebody else has just taken is tried anew. */
#define TRIES 1000
/* Of a walk (4), a version, the list of its files and one of them; and one. */
#define DESCRIPTORS 8

int catalogue_make_root(const char *root, struct mapcore_error *err)
{
    char *path;
    int error = text_copy(&path, root, err);

    if (error == 0 && catalogue_root_make(path) < 0)
        error = catalogue_fail(err, "make the folder", root);
    free(path);
    return error;
}

/* A new folder of our own in parent, named by process and count; mkdir() says
 * when another node's process has the same. ENOENT: who removes was
 * quicker with the empty folders. */
static int make_new(char **out, char *parent, struct mapcore_error *err)
{
    struct buffer path = {.err = err};
    int error;

    for (unsigned i = 0; i < TRIES; i++) {
        buffer_clear(&path);
        error = buffer_printf(&path, "%s/" CATALOGUE_NEW "%ld-%u", parent,
                              (long)getpid(), i);
        if (error < 0)
            return error;
        if (catalogue_root_make(parent) < 0)
            break;
        if (mkdir(path.bytes, 0755) == 0) {
            *out = buffer_steal(&path);
            return 0;
        }
        if (errno != EEXIST && errno != ENOENT)
            break;
    }
    error = catalogue_fail(err, "make the folder", parent);
    buffer_clear(&path);
    return error;
}

/* So that rm and prune know the folder for a catalogue; one that others own may
 * stay without it. */
static void mark_root(const char *root)
{
    struct file_replace output = {0};
    char *path = catalogue_join(root, CATALOGUE_MARK, NULL);
    struct stat st;

    if (path && lstat(path, &st) < 0 && errno == ENOENT &&
        file_replace_open(&output, path, 0644, NULL) == 0) {
        fputs(CATALOGUE_MARK_LINE, output.file);
        (void)file_replace_commit(&output, NULL);
    }
    free(path);
}

/* A commit walks by descriptors, and so does the clean-up when it fails: where
 * as many cannot be had, nothing is begun. */
static int check_descriptors(const char *root, struct mapcore_error *err)
{
    int fd[DESCRIPTORS], n = 0, error = 0;

    while (n < DESCRIPTORS &&
           (fd[n] = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) >= 0)
        n++;
    if (n < DESCRIPTORS)
        error = catalogue_fail(err, "open files in", root);
    while (n > 0)
        close(fd[--n]);
    return error;
}

int catalogue_begin(char **folder,
                    const char *root,
                    const char *program,
                    const char *identity,
                    uint32_t ntasks,
                    struct mapcore_error *err)
{
    struct buffer parent = {.err = err};
    char *place = NULL;
    int error = catalogue_place(&place, root, program, identity, err);

    if (error < 0)
        return error;
    if (ntasks == 0)
        error = error_set(err, MAPCORE_EINVAL, "a profile of 0 tasks");
    else if ((error = check_descriptors(root, err)) == 0)
        error = buffer_printf(&parent, "%s/%u", place, ntasks);
    if (error == 0)
        error = make_new(folder, parent.bytes, err);
    if (error == 0)
        mark_root(root);
    buffer_clear(&parent);
    free(place);
    return error;
}

/* Removes a folder that only we know of, ours or not by now: nothing but files
 * of a version goes. */
static void remove_folder(const char *path)
{
    struct catalogue_walk walk;
    bool erased;
    int fd;

    if (catalogue_walk_open(&walk, path, NULL) < 0)
        return;
    fd = catalogue_open_below(walk.fd[3], walk.name[3]);
    erased = fd >= 0 && catalogue_erase(walk.fd[3], walk.name[3], fd, path);
    if (fd >= 0)
        close(fd);
    catalogue_walk_close(&walk, erased);
}

void catalogue_abandon(const char *folder)
{
    int saved = errno;
    const char *last = folder ? text_last_part(folder) : "";

    if (text_after(last, CATALOGUE_NEW))
        remove_folder(folder);
    errno = saved;
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

/* A new version, open as fd; path for messages. */
static int settle_folder(int fd, const char *path, struct mapcore_error *err)
{
    char **names = NULL;
    size_t n = 0;
    int error = catalogue_names_at(&names, &n, fd, path, NULL, err);

    for (size_t i = 0; error == 0 && i < n; i++)
        if (settle_file(fd, names[i]) < 0)
            error = catalogue_fail(err, "store a file in", path);
    if (error == 0 && n == 0)
        error = error_set(err, MAPCORE_EINVAL, "no files in %.400s", path);
    if (error == 0 && file_sync(fd) < 0)
        error = catalogue_fail(err, "store", path);
    catalogue_names_free(names, n);
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
    return buffer_printf(out, "r%s-%s", stamp, n > 0 ? clean : "local");
}

/* Whether name in parent is the folder that is open as fd. */
static bool is_same(int parent, const char *name, int fd)
{
    struct stat a, b;

    return fstat(fd, &a) == 0 &&
           fstatat(parent, name, &b, AT_SYMLINK_NOFOLLOW) == 0 &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Gives the finished folder, open as fd, its name, with -2, -3, ...
 * behind it when another recording of the same second has it: rename() never
 * replaces a folder that holds files. */
static int place_folder(char **version,
                        const struct catalogue_walk *walk,
                        int fd,
                        const char *name,
                        struct mapcore_error *err)
{
    const int parent = walk->fd[3];
    struct buffer candidate = {.err = err};
    int error = 0;

    for (unsigned i = 1; i <= TRIES; i++) {
        buffer_clear(&candidate);
        error = i == 1 ? buffer_printf(&candidate, "%s", name)
                       : buffer_printf(&candidate, "%s-%u", name, i);
        if (error < 0)
            break;
        if (renameat(parent, walk->name[3], parent, candidate.bytes) == 0) {
            if (!is_same(parent, candidate.bytes, fd)) {
                error = error_set(err, MAPCORE_ETRUST,
                                  "somebody has put another folder in the "
                                  "place of a new version in %.300s",
                                  walk->path);
                break;
            }
            *version = buffer_steal(&candidate);
            return 0;
        }
        if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR) {
            error = catalogue_fail(err, "rename a new version in", walk->path);
            break;
        }
        error = error_set(err, MAPCORE_EIO, "%.300s has too many versions %s",
                          walk->path, name);
    }
    buffer_clear(&candidate);
    return error;
}

/* Makes version what `current` in a folder leads to, in one step. */
static int switch_current(int folder,
                          const char *path,
                          const char *version,
                          struct mapcore_error *err)
{
    char link[40];
    int error = -1;

    for (unsigned i = 0; error < 0 && i < TRIES; i++) {
        snprintf(link, sizeof(link), NEW_LINK "%ld-%u", (long)getpid(), i);
        error = symlinkat(version, folder, link);
        if (error < 0 && errno != EEXIST)
            break;
    }
    if (error < 0)
        return catalogue_fail(err, "make a symlink in", path);
    if (renameat(folder, link, folder, "current") == 0)
        return 0;
    error = catalogue_fail(err, "switch `current' in", path);
    unlinkat(folder, link, 0);
    return error;
}

/* Marks a version, open as fd, as partial. */
static int put_partial(int fd,
                       const char *path,
                       const char *why,
                       struct mapcore_error *err)
{
    int file =
        openat(fd, CATALOGUE_PARTIAL,
               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    int written = file < 0 ? -1 : dprintf(file, "%s\n", why);

    if (file >= 0 && close(file) < 0)
        written = -1;
    return written < 0 ? catalogue_fail(err, "mark as partial", path) : 0;
}

/* What is not synced now may be lost with the power, and is then as it was
 * before; nothing that stood there suffers. */
static void sync_upwards(const struct catalogue_walk *walk)
{
    for (int i = 3; i >= 0; i--)
        (void)file_sync(walk->fd[i]);
}

/* All of commit(), in folders that are open: no link can lead it
 * elsewhere meanwhile. */
static int commit_within(char **version,
                         const struct catalogue_walk *walk,
                         const char *name,
                         const char *why,
                         struct mapcore_error *err)
{
    const char *begun = walk->name[3];
    const bool partial = why || catalogue_is_partial(walk->fd[3], begun);
    char current[NAME_MAX + 1];
    char *placed = NULL;
    int fd = catalogue_open_below(walk->fd[3], begun);
    int error = 0;

    if (fd < 0)
        return catalogue_fail(err, "open a new version in", walk->path);
    if ((!why || (error = put_partial(fd, walk->path, why, err)) == 0) &&
        (error = settle_folder(fd, walk->path, err)) == 0 &&
        (error = place_folder(&placed, walk, fd, name, err)) == 0) {
        if (!partial || catalogue_current(current, walk->path, NULL) < 0 ||
            catalogue_is_partial(walk->fd[3], current))
            error = switch_current(walk->fd[3], walk->path, placed, err);
        if (error < 0) /* it is abandoned under that name */
            (void)renameat(walk->fd[3], placed, walk->fd[3], begun);
    }
    close(fd);
    if (error == 0) {
        catalogue_builds_note(walk->fd[0], walk->name[0], walk->name[1]);
        sync_upwards(walk);
        if (version && !(*version = catalogue_join(walk->path, placed, err)))
            error = MAPCORE_ENOMEM;
    }
    free(placed);
    return error;
}

int catalogue_commit(char **version,
                     const char *folder,
                     int64_t time,
                     const char *job,
                     const char *why,
                     struct mapcore_error *err)
{
    struct catalogue_walk walk;
    struct buffer name = {.err = err};
    int error =
        strncmp(text_last_part(folder), CATALOGUE_NEW, strlen(CATALOGUE_NEW)) ==
                0
            ? name_version(&name, time, job, err)
            : error_set(err, MAPCORE_EINVAL, "%.400s was not begun", folder);

    if (error == 0 && (error = catalogue_walk_open(&walk, folder, err)) == 0) {
        error = commit_within(version, &walk, name.bytes, why, err);
        catalogue_walk_close(&walk, false);
    }
    if (error < 0)
        catalogue_abandon(folder);
    buffer_clear(&name);
    return error;
}

/* Whether it is a version of the user's own, by its place, and all above it. */
static int check_own(const struct catalogue_walk *walk,
                     int version,
                     const char *path,
                     struct mapcore_error *err)
{
    const int fd[] = {walk->fd[0], walk->fd[1], walk->fd[2], walk->fd[3],
                      version};
    struct stat st;
    int error = 0;

    if (!catalogue_is_encoded(walk->name[0]) ||
        !catalogue_is_identity(walk->name[1]) ||
        !catalogue_is_ntasks(walk->name[2]) ||
        !catalogue_is_version(walk->name[3]))
        return error_set(err, MAPCORE_EINVAL, "%.400s is no version", path);
    for (size_t i = 0; error == 0 && i < sizeof(fd) / sizeof(*fd); i++)
        error = fstat(fd[i], &st) < 0
                    ? catalogue_fail(err, "open", path)
                    : own_folder_judge(&st, path, OWN_FOLDER_OWN, err);
    return error;
}

/* The newest complete version becomes current in the place of a partial one. */
static int leave_partial(const struct catalogue_walk *walk,
                         struct mapcore_error *err)
{
    const char *version = walk->name[3], *newest = NULL;
    char current[NAME_MAX + 1], **names = NULL;
    struct stat st;
    size_t n = 0;
    int error = 0;

    if (catalogue_current(current, walk->path, NULL) == 0 &&
        strcmp(current, version) != 0)
        return 0;
    error = catalogue_names_at(&names, &n, walk->fd[3], walk->path,
                               catalogue_is_version, err);
    for (size_t i = 0; i < n; i++)
        if (fstatat(walk->fd[3], names[i], &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISDIR(st.st_mode) && !catalogue_is_partial(walk->fd[3], names[i]))
            newest = names[i];
    if (newest)
        error = switch_current(walk->fd[3], walk->path, newest, err);
    catalogue_names_free(names, n);
    return error;
}

int catalogue_make_partial(const char *version,
                           const char *why,
                           struct mapcore_error *err)
{
    struct catalogue_walk walk;
    int fd, error = catalogue_walk_open(&walk, version, err);

    if (error < 0)
        return error;
    fd = catalogue_open_below(walk.fd[3], walk.name[3]);
    if ((error = check_own(&walk, fd, version, err)) == 0 &&
        (error = put_partial(fd, version, why, err)) == 0)
        error = leave_partial(&walk, err);
    if (fd >= 0)
        close(fd);
    catalogue_walk_close(&walk, false);
    return error;
}
