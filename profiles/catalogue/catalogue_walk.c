/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* catalogue_walk.c - folders of a catalogue by descriptors: what is removed is
 * what was looked at, whatever others rename or link meanwhile */
#include "config.h"

#include "profiles/catalogue/catalogue_walk.h"

#include "profiles/catalogue/catalogue_names.h"

#include "base/array.h"
#include "base/text.h"
#include "launch/plain_name.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How often a name that somebody else has just taken is tried anew. */
#define TRIES 1000

int catalogue_open_below(int folder, const char *name)
{
    return openat(folder, name,
                  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int fail(struct mapcore_error *err, const char *what, const char *path)
{
    return error_set(err, MAPCORE_EIO, "cannot %s %.400s: %s", what, path,
                     strerror(errno));
}

int catalogue_walk_open(struct catalogue_walk *out,
                        const char *path,
                        struct mapcore_error *err)
{
    struct catalogue_walk walk = {.fd = {-1, -1, -1, -1}};
    size_t n = strlen(path) + 1;
    int error = MAPCORE_ENOMEM;

    walk.path = array_copy(path, n, 1, err);
    walk.names = array_copy(path, n, 1, err);
    for (int i = 2; walk.path && walk.names && i >= 0; i--) {
        char *slash = strrchr(walk.names, '/');

        if (!slash || slash == walk.names) {
            error = error_set(err, MAPCORE_EINVAL,
                              "%.400s is not in a catalogue", path);
            goto out;
        }
        *slash = '\0';
        walk.name[i] = slash + 1;
    }
    if (!walk.path || !walk.names)
        goto out;
    walk.fd[0] = open(walk.names, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < 3 && walk.fd[i] >= 0; i++)
        walk.fd[i + 1] = catalogue_open_below(walk.fd[i], walk.name[i]);
    error = walk.fd[3] < 0 ? fail(err, "open the folders of", path) : 0;
out:
    if (error == 0)
        *out = walk;
    else
        catalogue_walk_close(&walk, false);
    return error;
}

void catalogue_walk_close(struct catalogue_walk *walk, bool remove_empty)
{
    int saved = errno;

    for (int i = 3; i > 0; i--)
        remove_empty =
            remove_empty && walk->fd[i] >= 0 &&
            unlinkat(walk->fd[i - 1], walk->name[i - 1], AT_REMOVEDIR) == 0;
    for (int i = 0; i < 4; i++)
        if (walk->fd[i] >= 0)
            close(walk->fd[i]);
    free(walk->path);
    free(walk->names);
    errno = saved;
}

static int compare_names(const void *a, const void *b)
{
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

int catalogue_names_at(char ***out,
                       size_t *n,
                       int folder,
                       const char *path,
                       bool (*accept)(const char *name),
                       struct mapcore_error *err)
{
    /* Not a dup(): its place in the folder would be shared. */
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    size_t capacity = 0, found = 0;
    char **names = NULL;
    struct dirent *entry;
    int error = 0;

    if (!dir) {
        error = fail(err, "read", path);
        if (fd >= 0)
            close(fd);
        return error;
    }
    while (error == 0 && (errno = 0, entry = readdir(dir))) {
        if (strcmp(entry->d_name, ".") == 0 ||
            strcmp(entry->d_name, "..") == 0 || !accept(entry->d_name))
            continue;
        error =
            array_reserve(&names, &capacity, found + 1, sizeof(*names), err);
        if (error == 0) {
            names[found] =
                array_copy(entry->d_name, strlen(entry->d_name) + 1, 1, err);
            error = names[found] ? 0 : MAPCORE_ENOMEM;
            found += error == 0;
        }
    }
    if (error == 0 && errno != 0)
        error = fail(err, "read", path);
    closedir(dir);
    if (error < 0) {
        catalogue_names_free(names, found);
        return error;
    }
    if (found > 1)
        qsort(names, found, sizeof(*names), compare_names);
    *out = names;
    *n = found;
    return 0;
}

/* "-12" or "-12-3": what a process adds to a name while it writes. */
static bool is_process(const char *text)
{
    size_t digits;

    if (*text++ != '-' || (digits = strspn(text, "0123456789")) == 0)
        return false;
    text += digits;
    return *text == '\0' || (text[0] == '-' && text[1] != '\0' &&
                             text[1 + strspn(text + 1, "0123456789")] == '\0');
}

/* What is behind "messages" or "collectives" of one phase: ".phase2". */
static bool is_phase(const char *text)
{
    static const char word[] = ".phase";
    const size_t n = sizeof(word) - 1;
    const size_t digits =
        strncmp(text, word, n) == 0 ? strspn(text + n, "0123456789") : 0;

    return digits > 0 && digits < 4 && text[n + digits] == '\0';
}

bool catalogue_is_file(const char *name)
{
    static const char *const files[] = {"profile.json", "evaluation.json",
                                        "messages", "collectives",
                                        CATALOGUE_PARTIAL};
    size_t n = strlen(name);

    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        size_t length = strlen(files[i]);

        if (strncmp(name, files[i], length) == 0 &&
            (name[length] == '\0' ||
             (strncmp(name + length, ".new", 4) == 0 &&
              is_process(name + length + 4)) ||
             ((i == 2 || i == 3) && is_phase(name + length))))
            return true;
    }
    return n > 6 && strcmp(name + n - 6, ".graph") == 0 &&
           plain_name_check(name, NAME_MAX);
}

static bool accept_all(const char *name)
{
    (void)name;
    return true;
}

int catalogue_check_files(int folder,
                          const char *path,
                          struct mapcore_error *err)
{
    char **names = NULL;
    struct stat st;
    size_t n = 0;
    int error = catalogue_names_at(&names, &n, folder, path, accept_all, err);

    for (size_t i = 0; error == 0 && i < n; i++) {
        if (fstatat(folder, names[i], &st, AT_SYMLINK_NOFOLLOW) < 0)
            error = errno == ENOENT ? 0 : fail(err, "look into", path);
        else if (!catalogue_is_file(names[i]) || !S_ISREG(st.st_mode))
            error = error_set(err, MAPCORE_EINVAL,
                              "%.300s holds %.100s, which no profile has: "
                              "remove it by hand",
                              path, names[i]);
    }
    catalogue_names_free(names, n);
    return error;
}

/* Gives the folder open as fd a name that readers pass over; out[40]. */
static int put_aside(char *out,
                     int parent,
                     const char *name,
                     int fd,
                     const char *path,
                     struct mapcore_error *err)
{
    struct stat st, moved;
    int error = -1;

    for (unsigned i = 0; error < 0 && i < TRIES; i++) {
        snprintf(out, 40, CATALOGUE_OLD "%ld-%u", (long)getpid(), i);
        error = renameat(parent, name, parent, out);
        if (error < 0 && errno != EEXIST && errno != ENOTEMPTY &&
            errno != ENOTDIR)
            break;
    }
    if (error < 0)
        return fail(err, "rename", path);
    if (fstat(fd, &st) == 0 &&
        fstatat(parent, out, &moved, AT_SYMLINK_NOFOLLOW) == 0 &&
        st.st_dev == moved.st_dev && st.st_ino == moved.st_ino)
        return 0;
    (void)renameat(parent, out, parent, name);
    return error_set(err, MAPCORE_EIO,
                     "%.400s was exchanged for something else just now", path);
}

int catalogue_erase(int parent,
                    const char *name,
                    int fd,
                    const char *path,
                    struct mapcore_error *err)
{
    char aside[40], **names = NULL;
    struct stat st;
    size_t n = 0;
    int error = catalogue_check_files(fd, path, err);

    if (error == 0)
        error = put_aside(aside, parent, name, fd, path, err);
    if (error == 0)
        error =
            catalogue_names_at(&names, &n, fd, path, catalogue_is_file, err);
    for (size_t i = 0; error == 0 && i < n; i++)
        if (fstatat(fd, names[i], &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(st.st_mode) && unlinkat(fd, names[i], 0) < 0 &&
            errno != ENOENT)
            error = fail(err, "remove a file of", path);
    if (error == 0 && unlinkat(parent, aside, AT_REMOVEDIR) < 0)
        error = fail(err, "remove", path);
    catalogue_names_free(names, n);
    return error;
}
