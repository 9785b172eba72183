/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* catalogue_write.c - new versions filed and old ones removed, without locks: a
 * folder is whole before it gets its name, and `current` changes by rename() */
#include "config.h"

#include "profiles/catalogue/catalogue.h"
#include "profiles/catalogue/catalogue_names.h"
#include "profiles/catalogue/catalogue_walk.h"

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

#define JOB_MAX 64
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
        error = buffer_printf(&path, err, "%s/" CATALOGUE_NEW "%ld-%u", parent,
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
    char *parent = strdup(path), *slash = parent ? strrchr(parent, '/') : NULL;
    struct catalogue_walk walk;
    int fd, error = -1;

    if (slash)
        *slash = '\0';
    if (slash && catalogue_walk_open(&walk, parent, NULL) == 0) {
        fd = catalogue_open_below(walk.fd[3], slash + 1);
        if (fd >= 0) {
            error = catalogue_erase(walk.fd[3], slash + 1, fd, path, NULL);
            close(fd);
        }
        catalogue_walk_close(&walk, error == 0);
    }
    free(parent);
}

void catalogue_abandon(const char *folder)
{
    int saved = errno;
    const char *last = folder ? text_last_part(folder) : "";

    if (catalogue_is_leftover(last) && last > folder)
        remove_folder(folder);
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

int catalogue_switch(int folder,
                     const char *path,
                     const char *version,
                     struct mapcore_error *err)
{
    char link[40];
    int error = -1;

    for (unsigned i = 0; error < 0 && i < TRIES; i++) {
        snprintf(link, sizeof(link), CATALOGUE_LINK "%ld-%u", (long)getpid(),
                 i);
        error = symlinkat(version, folder, link);
        if (error < 0 && errno != EEXIST)
            break;
    }
    if (error < 0)
        return fail(err, "make a symlink in", path);
    if (renameat(folder, link, folder, "current") == 0)
        return 0;
    error = fail(err, "switch `current' in", path);
    unlinkat(folder, link, 0);
    return error;
}

static int switch_current(const char *parent,
                          const char *version,
                          struct mapcore_error *err)
{
    int fd = open(parent, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int error;

    if (fd < 0)
        return fail(err, "open", parent);
    error = catalogue_switch(fd, parent, version, err);
    close(fd);
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

/* aside: whether what is current stays so. */
static int commit(char **version,
                  const char *folder,
                  int64_t time,
                  const char *job,
                  bool aside,
                  struct mapcore_error *err)
{
    char current[NAME_MAX + 1];
    struct buffer name = {0};
    char *parent = array_copy(folder, strlen(folder) + 1, 1, err);
    char *slash = parent ? strrchr(parent, '/') : NULL;
    char *placed = NULL, *path = NULL;
    int error = parent ? 0 : MAPCORE_ENOMEM;

    if (error == 0 && (!slash || strncmp(slash + 1, CATALOGUE_NEW,
                                         strlen(CATALOGUE_NEW)) != 0))
        error = error_set(err, MAPCORE_EINVAL, "%.400s was not begun", folder);
    if (slash)
        *slash = '\0';
    if (error < 0 || (error = name_version(&name, time, job, err)) < 0 ||
        (error = settle_folder(folder, err)) < 0 ||
        (error = place_folder(&placed, folder, parent, name.bytes, err)) < 0)
        goto out;
    path = catalogue_join(parent, placed, err);
    if (!path)
        error = MAPCORE_ENOMEM;
    else if (!aside || catalogue_current(current, parent, NULL) < 0)
        error = switch_current(parent, placed, err);
    if (error == 0) {
        sync_upwards(parent);
        if (version) {
            *version = placed;
            placed = NULL;
        }
    } else if (path) {
        remove_folder(path);
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

int catalogue_commit(char **version,
                     const char *folder,
                     int64_t time,
                     const char *job,
                     struct mapcore_error *err)
{
    return commit(version, folder, time, job, false, err);
}

int catalogue_commit_aside(char **version,
                           const char *folder,
                           int64_t time,
                           const char *job,
                           struct mapcore_error *err)
{
    return commit(version, folder, time, job, true, err);
}
