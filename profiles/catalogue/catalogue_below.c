/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* catalogue_below.c - a user's own catalogue below a folder of the site's: made
 * for that user alone, through no link; the plugin only passes its path on */
#include "config.h"

#include "profiles/catalogue/catalogue_below.h"

#include "base/error_set.h"
#include "base/own_folder.h"
#include "launch/catalogue_root.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_base(struct own_folder **out,
                     const char *path,
                     struct mapcore_error *err)
{
    int error = own_folder_open(out, path, OWN_FOLDER_LOG, err);
    struct stat st;

    /* The site's fault, not a user without a home. */
    if (error < 0)
        return error == MAPCORE_ENOENT ? MAPCORE_EIO : error;
    if (own_folder_stat(&st, *out, ".") < 0)
        return error_set(err, MAPCORE_EIO, "cannot look at %.300s: %s", path,
                         strerror(errno));
    if (st.st_uid != 0 && st.st_uid != geteuid())
        return error_set(err, MAPCORE_ETRUST,
                         "%.300s is refused: it belongs to user %lu, who could "
                         "exchange what is yours in it",
                         path, (unsigned long)st.st_uid);
    if ((st.st_mode & S_IWOTH || (st.st_mode & S_IWGRP && st.st_gid != 0)) &&
        !(st.st_mode & S_ISVTX))
        return error_set(err, MAPCORE_ETRUST,
                         "%.300s is refused: others could exchange what is "
                         "yours in it: chmod +t",
                         path);
    return 0;
}

int catalogue_below_check_base(const char *path, struct mapcore_error *err)
{
    struct own_folder *base = NULL;
    int error = open_base(&base, path, err);

    own_folder_close(base);
    return error;
}

unsigned catalogue_umask(unsigned own)
{
    const char *text = getenv(CATALOGUE_UMASK);

    return text && *text ? (unsigned)strtoul(text, NULL, 8) & 077 : own;
}

int catalogue_below_make(const char *own, struct mapcore_error *err)
{
    const char *mark = own ? strstr(own, "/./") : NULL;
    char *path = mark ? strdup(own) : NULL, *state = NULL;
    struct own_folder *folder = NULL;
    mode_t own_umask;
    int error;

    if (!path)
        return mark ? error_set(err, MAPCORE_ENOMEM, "no memory") : 0;
    path[mark - own] = '\0';
    error = open_base(&folder, path, err);
    own_umask = umask(catalogue_umask(077));
    for (char *name = strtok_r(path + (mark - own) + 3, "/", &state);
         error == 0 && name; name = strtok_r(NULL, "/", &state)) {
        struct own_folder *below = NULL;
        struct stat st;

        error = own_folder_below(&below, folder, name, OWN_FOLDER_ALONE, err);
        if (error == MAPCORE_ENOENT)
            error = own_folder_make(&below, folder, name, 0777,
                                    OWN_FOLDER_ALONE, err);
        if (error < 0 && own_folder_stat(&st, folder, name) == 0 &&
            S_ISLNK(st.st_mode))
            error = error_set(err, MAPCORE_ETRUST,
                              "%.300s/%.100s is refused: it is a link",
                              own_folder_path(folder), name);
        own_folder_close(folder);
        folder = below;
    }
    umask(own_umask);
    own_folder_close(folder);
    free(path);
    return error;
}
