/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* own_folder.c - a folder that is this user's alone */
#include "config.h"

#include "base/own_folder.h"

#include "base/error_set.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail(struct mapcore_error *err, const char *what, const char *path)
{
    return error_set(err, MAPCORE_EIO, "cannot %s %.300s: %s", what, path,
                     strerror(errno));
}

int own_folder_make(const char *path, struct mapcore_error *err)
{
    struct stat st;

    if (mkdir(path, 0700) < 0 && errno != EEXIST)
        return fail(err, "make the folder", path);
    if (lstat(path, &st) < 0)
        return fail(err, "look at", path);
    if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
        (st.st_mode & (S_IWGRP | S_IWOTH)))
        return error_set(err, MAPCORE_EIO,
                         "%.300s is no folder that is yours alone", path);
    return 0;
}
