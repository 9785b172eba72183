/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* catalogue_remove.c - versions removed: only what is one by its place, its
 * name and its files; and what interrupted writers left */
#include "config.h"

#include "profiles/catalogue/catalogue_remove.h"

#include "profiles/catalogue/catalogue_trust.h"
#include "profiles/catalogue/catalogue_walk.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/file_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int check_fd(int fd,
                    const char *path,
                    bool own,
                    struct mapcore_error *err)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return catalogue_fail(err, "look at", path);
    return catalogue_check_trust(&st, path, own, err);
}

/* The folders above a version, from the root down. */
static int check_walk(const struct catalogue_walk *walk,
                      bool own,
                      struct mapcore_error *err)
{
    size_t n = (size_t)(walk->name[0] - walk->names) - 1;
    char *path = array_copy(walk->path, strlen(walk->path) + 1, 1, err);
    int error = path ? 0 : MAPCORE_ENOMEM;

    for (int i = 0; error == 0 && i < 4; i++) {
        path[n] = '\0';
        error = check_fd(walk->fd[i], path, own, err);
        path[n] = '/';
        if (i < 3)
            n += 1 + strlen(walk->name[i]);
    }
    free(path);
    if (error == 0 && (!catalogue_is_encoded(walk->name[0]) ||
                       !catalogue_is_identity(walk->name[1]) ||
                       !catalogue_is_ntasks(walk->name[2])))
        error = error_set(err, MAPCORE_EINVAL, "%.400s is not of a catalogue",
                          walk->path);
    return error;
}

/* Every file is to be trusted as it is for reading. */
static int check_trust(int version,
                       const struct catalogue_entry *entry,
                       struct mapcore_error *err)
{
    char **names = NULL;
    struct stat st;
    size_t n = 0;
    int error = check_fd(version, entry->path, entry->own, err);

    if (error == 0)
        error = catalogue_check_files(version, entry->path, err);
    if (error == 0)
        error = catalogue_names_at(&names, &n, version, entry->path,
                                   catalogue_is_file, err);
    for (size_t i = 0; error == 0 && i < n; i++)
        if (fstatat(version, names[i], &st, AT_SYMLINK_NOFOLLOW) == 0)
            error = catalogue_check_trust(&st, entry->path, entry->own, err);
    catalogue_names_free(names, n);
    return error;
}

/* Opens the version and the folders above, and checks these. */
static int open_folders(struct catalogue_walk *walk,
                        int *version,
                        const char *path,
                        bool own,
                        struct mapcore_error *err)
{
    int error = catalogue_walk_open(walk, path, err);

    if (error < 0)
        return error;
    if (!catalogue_is_version(walk->name[3]))
        error = error_set(err, MAPCORE_EINVAL, "%.400s is no version", path);
    else
        error = check_walk(walk, own, err);
    if (error == 0 &&
        (*version = catalogue_open_below(walk->fd[3], walk->name[3])) < 0)
        error = catalogue_fail(err, "open", path);
    if (error < 0)
        catalogue_walk_close(walk, false);
    return error;
}

/* The same, and whether it is a version that may be removed. */
static int open_version(struct catalogue_walk *walk,
                        int *version,
                        const struct catalogue_entry *entry,
                        struct mapcore_error *err)
{
    int error = open_folders(walk, version, entry->path, entry->own, err);

    if (error < 0)
        return error;
    error = check_trust(*version, entry, err);
    if (error < 0) {
        close(*version);
        catalogue_walk_close(walk, false);
    }
    return error;
}

int catalogue_check_removal(const struct catalogue_entry *entry,
                            struct mapcore_error *err)
{
    struct catalogue_walk walk;
    int version, error = open_version(&walk, &version, entry, err);

    if (error == 0) {
        close(version);
        catalogue_walk_close(&walk, false);
    }
    return error;
}

/* Points `current` away from a version that goes, to the newest other one, a
 * complete one if there is any, or nowhere; or from one that stays, to a
 * complete one alone. */
static int leave_version(const struct catalogue_walk *walk,
                         bool goes,
                         struct mapcore_error *err)
{
    const char *version = walk->name[3];
    char held[NAME_MAX + 1];
    const char *newest = NULL;
    bool is_partial = true;
    char **names = NULL;
    struct stat st;
    size_t n = 0;
    ssize_t length = readlinkat(walk->fd[3], "current", held, NAME_MAX);
    int error;

    held[length > 0 ? length : 0] = '\0';
    if (length < 0 && errno != ENOENT)
        return catalogue_fail(err, "read `current' in", walk->path);
    if (length >= 0 && strcmp(held, version) != 0)
        return 0;
    error = catalogue_names_at(&names, &n, walk->fd[3], walk->path,
                               catalogue_is_version, err);
    for (size_t i = 0; error == 0 && i < n; i++)
        if (strcmp(names[i], version) != 0 &&
            fstatat(walk->fd[3], names[i], &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISDIR(st.st_mode) &&
            (is_partial || !catalogue_is_partial(walk->fd[3], names[i]))) {
            newest = names[i];
            is_partial = catalogue_is_partial(walk->fd[3], newest);
        }
    if (error == 0 && newest && (goes || !is_partial))
        error = catalogue_switch(walk->fd[3], walk->path, newest, err);
    else if (error == 0 && goes && unlinkat(walk->fd[3], "current", 0) < 0 &&
             errno != ENOENT)
        error = catalogue_fail(err, "remove `current' in", walk->path);
    catalogue_names_free(names, n);
    return error;
}

int catalogue_remove(const struct catalogue_entry *entry,
                     struct mapcore_error *err)
{
    struct catalogue_walk walk;
    int version, error = open_version(&walk, &version, entry, err);

    if (error < 0)
        return error;
    error = leave_version(&walk, true, err);
    if (error == 0)
        error = catalogue_erase(walk.fd[3], walk.name[3], version, entry->path,
                                err);
    close(version);
    catalogue_walk_close(&walk, error == 0);
    return error;
}

int catalogue_make_partial(const char *version,
                           const char *why,
                           struct mapcore_error *err)
{
    struct catalogue_walk walk;
    int fd, error = open_folders(&walk, &fd, version, true, err);

    if (error < 0)
        return error;
    error = check_fd(fd, version, true, err);
    if (error == 0)
        error = catalogue_put_partial(fd, version, why, err);
    if (error == 0)
        error = leave_version(&walk, false, err);
    close(fd);
    catalogue_walk_close(&walk, false);
    return error;
}

/* Longer than any writer lives. */
#define A_DAY 86400

static bool accept_visible(const char *name)
{
    return name[0] != '.';
}

static bool has_mark(int root)
{
    struct buffer text = {0};
    bool has = false;
    int fd;

    if (file_open_at(&fd, root, CATALOGUE_MARK, FILE_REGULAR | FILE_NO_LINK,
                     NULL) == 0) {
        has = file_read_rest(&text, fd, CATALOGUE_MARK, 4096, NULL) == 0 &&
              strncmp(text.bytes, CATALOGUE_MARK_LINE,
                      strlen(CATALOGUE_MARK_LINE)) == 0;
        close(fd);
    }
    buffer_clear(&text);
    return has;
}

static bool has_names(int folder, const char *name)
{
    char **names = NULL;
    size_t n = 1;
    int fd = catalogue_open_below(folder, name);

    if (fd >= 0 &&
        catalogue_names_at(&names, &n, fd, name, accept_visible, NULL) == 0)
        catalogue_names_free(names, n);
    if (fd >= 0)
        close(fd);
    return n > 0;
}

int catalogue_check_root(const char *root, struct mapcore_error *err)
{
    int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC), error = 0;

    if (fd < 0)
        return errno == ENOENT ? 0
                               : error_set(err, MAPCORE_EIO, "%.400s: %s", root,
                                           strerror(errno));
    if (!has_mark(fd) && has_names(fd, "."))
        error = error_set(
            err, MAPCORE_EINVAL,
            "%.180s is no catalogue: there is no file " CATALOGUE_MARK " in it",
            root);
    close(fd);
    return error;
}

/* A folder that a writer began, half of one that was being removed, or a link
 * that was to be `current`. */
static int clean_one(bool dry_run,
                     int folder,
                     const char *name,
                     const char *path,
                     struct mapcore_error *err)
{
    int fd = catalogue_open_below(folder, name), error = 0;

    if (fd >= 0) {
        error = dry_run ? catalogue_check_files(fd, path, err)
                        : catalogue_erase(folder, name, fd, path, err);
        close(fd);
    } else if (strncmp(name, CATALOGUE_LINK, strlen(CATALOGUE_LINK)) != 0) {
        error =
            error_set(err, MAPCORE_EINVAL,
                      "%.400s leads to no version: remove it by hand", path);
    } else if (!dry_run && unlinkat(folder, name, 0) < 0) {
        error = catalogue_fail(err, "remove", path);
    }
    return error;
}

static bool accept_leftover(const char *name)
{
    return catalogue_is_leftover(name) || catalogue_is_version(name);
}

static int clean(const struct catalogue_cleaning *cleaning,
                 int folder,
                 const char *path,
                 struct mapcore_error *err)
{
    char **names = NULL;
    size_t n = 0;
    int error =
        catalogue_names_at(&names, &n, folder, path, accept_leftover, err);

    for (size_t i = 0; error == 0 && i < n; i++) {
        char *below = catalogue_join(path, names[i], err);
        struct mapcore_error why;
        struct stat st;
        int failed;

        error = below ? 0 : MAPCORE_ENOMEM;
        if (error < 0 ||
            fstatat(folder, names[i], &st, AT_SYMLINK_NOFOLLOW) < 0 ||
            cleaning->now - st.st_mtime < A_DAY ||
            (catalogue_is_version(names[i]) &&
             (!S_ISDIR(st.st_mode) || has_names(folder, names[i])))) {
            free(below);
            continue;
        }
        failed = clean_one(cleaning->dry_run, folder, names[i], below, &why);
        cleaning->say(cleaning->context, below, failed < 0 ? why.text : NULL);
        free(below);
    }
    catalogue_names_free(names, n);
    return error;
}

/* depth: 0 the root, 1 a program, 2 an identity, 3 a number of tasks. What is
 * of no catalogue, or could be written by all, is passed over. */
static int clean_below(const struct catalogue_cleaning *cleaning,
                       unsigned depth,
                       int folder,
                       const char *path,
                       struct mapcore_error *err)
{
    static bool (*const accept[3])(const char *) = {
        catalogue_is_encoded, catalogue_is_identity, catalogue_is_ntasks};
    struct stat st;
    char **names = NULL;
    size_t n = 0;
    int error = 0;

    if (fstat(folder, &st) < 0 ||
        catalogue_check_trust(&st, path, cleaning->own, NULL) < 0)
        return 0;
    if (depth == 3)
        return clean(cleaning, folder, path, err);
    error = catalogue_names_at(&names, &n, folder, path, accept[depth], err);
    for (size_t i = 0; error == 0 && i < n; i++) {
        char *below = catalogue_join(path, names[i], err);
        int fd = catalogue_open_below(folder, names[i]);

        error = below ? 0 : MAPCORE_ENOMEM;
        if (error == 0 && fd >= 0)
            error = clean_below(cleaning, depth + 1, fd, below, err);
        if (fd >= 0)
            close(fd);
        free(below);
    }
    catalogue_names_free(names, n);
    return error;
}

int catalogue_clean(const char *root,
                    const struct catalogue_cleaning *cleaning,
                    struct mapcore_error *err)
{
    int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int error;

    if (fd < 0)
        return errno == ENOENT ? 0
                               : error_set(err, MAPCORE_EIO, "%.400s: %s", root,
                                           strerror(errno));
    error = clean_below(cleaning, 0, fd, root, err);
    close(fd);
    return error;
}
