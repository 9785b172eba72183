/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shared_file.c - modes and owners from a file up to the root */
#include "config.h"

#include "tools/doctor/shared_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The folder above path, in place; false: there is none. */
static bool go_up(char *path)
{
    char *slash = strrchr(path, '/');

    if (!slash || strcmp(path, "/") == 0)
        return false;
    slash[slash == path] = '\0';
    return true;
}

/* Without links, so that the folders that count are seen. */
static int resolve(char real[PATH_MAX],
                   const char *path,
                   struct mapcore_error *err)
{
    if (realpath(path, real))
        return 0;
    return error_set(err, errno == ENOENT ? MAPCORE_ENOENT : MAPCORE_EIO,
                     "%.300s: %s", path, strerror(errno));
}

static int look(struct stat *st, const char *path, struct mapcore_error *err)
{
    if (stat(path, st) == 0)
        return 0;
    return error_set(err, MAPCORE_EIO, "%.300s: %s", path, strerror(errno));
}

int shared_file_check_use(const char *path,
                          bool runs,
                          struct mapcore_error *err)
{
    mode_t needed = S_IROTH | (runs ? S_IXOTH : 0);
    char real[PATH_MAX];
    struct stat st;
    int error = resolve(real, path, err);

    if (error == 0)
        error = look(&st, real, err);
    if (error == 0 && !S_ISREG(st.st_mode))
        error =
            error_set(err, MAPCORE_EINVAL, "%.300s: not a regular file", real);
    if (error == 0 && (st.st_mode & needed) != needed)
        error = error_set(err, MAPCORE_EINVAL, "%.300s: not everybody may %s",
                          real, runs ? "run it" : "read it");
    while (error == 0 && go_up(real))
        if ((error = look(&st, real, err)) == 0 && !(st.st_mode & S_IXOTH))
            error = error_set(err, MAPCORE_EINVAL,
                              "%.300s: not everybody may pass", real);
    return error;
}

int shared_file_check_trust(const char *path, struct mapcore_error *err)
{
    char real[PATH_MAX];
    struct stat st;
    int error = resolve(real, path, err);

    do {
        if (error < 0 || (error = look(&st, real, err)) < 0)
            return error;
        if (st.st_uid != 0)
            return error_set(err, MAPCORE_ETRUST,
                             "%.300s belongs to user %lu, not to root", real,
                             (unsigned long)st.st_uid);
        if ((st.st_mode & S_IWOTH) &&
            !(S_ISDIR(st.st_mode) && (st.st_mode & S_ISVTX)))
            return error_set(err, MAPCORE_ETRUST,
                             "%.300s: everybody may write to it", real);
        if ((st.st_mode & S_IWGRP) && st.st_gid != 0 &&
            !(S_ISDIR(st.st_mode) && (st.st_mode & S_ISVTX)))
            return error_set(err, MAPCORE_ETRUST,
                             "%.300s: group %lu may write to it", real,
                             (unsigned long)st.st_gid);
    } while (go_up(real));
    return 0;
}
