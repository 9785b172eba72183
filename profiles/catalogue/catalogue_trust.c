/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* catalogue_trust.c - the rules "Whom to trust" of mapcore-profile(5) */
#include "config.h"

#include "profiles/catalogue/catalogue_trust.h"

#include "profiles/catalogue/catalogue_names.h"

#include "base/own_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum own_folder_rule rule_of(bool own)
{
    return own ? OWN_FOLDER_OWN : OWN_FOLDER_ANY;
}

int catalogue_check_folder(const char *path,
                           bool is_root,
                           bool own,
                           struct mapcore_error *err)
{
    struct stat st;
    int error = is_root ? stat(path, &st) : lstat(path, &st);

    if (error < 0)
        return error_set(err, errno == ENOENT ? MAPCORE_ENOENT : MAPCORE_EIO,
                         "catalogue %.400s: %s", path, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return error_set(err, MAPCORE_EIO, "catalogue %.400s: not a folder",
                         path);
    return own_folder_judge(&st, path, rule_of(own), err);
}

int catalogue_check_place(const char *root,
                          bool own,
                          const char *program,
                          const char *identity,
                          uint32_t ntasks,
                          struct mapcore_error *err)
{
    struct buffer path = {.err = err};
    char *place = NULL, *end;
    int error = catalogue_place(&place, root, program, identity, err);

    if (error == 0)
        error = ntasks > 0 ? buffer_printf(&path, "%s/%u", place, ntasks)
                           : buffer_printf(&path, "%s", place);
    free(place);
    if (error == 0)
        error = catalogue_check_folder(root, true, own, err);
    end = error == 0 ? path.bytes + strlen(root) : NULL;
    while (error == 0 && *end != '\0') {
        char *next = strchrnul(end + 1, '/'), held = *next;

        *next = '\0';
        error = catalogue_check_folder(path.bytes, false, own, err);
        *next = held;
        end = next;
    }
    buffer_clear(&path);
    return error == MAPCORE_ENOENT ? 0 : error;
}

int catalogue_check_version(const char *path,
                            bool own,
                            struct mapcore_error *err)
{
    char **names = NULL, file[PATH_MAX];
    struct stat st;
    size_t n = 0;
    int error = catalogue_check_folder(path, false, own, err);

    if (error == 0)
        error = catalogue_names(&names, &n, path, NULL, err);
    for (size_t i = 0; error == 0 && i < n; i++) {
        snprintf(file, sizeof(file), "%s/%s", path, names[i]);
        if (lstat(file, &st) < 0)
            error =
                error_set(err, errno == ENOENT ? MAPCORE_ENOENT : MAPCORE_EIO,
                          "%.400s: %s", file, strerror(errno));
        else if (!S_ISREG(st.st_mode))
            error = error_set(err, MAPCORE_ETRUST,
                              "%.400s is refused: not a regular file", file);
        else
            error = own_folder_judge(&st, file, rule_of(own), err);
    }
    catalogue_names_free(names, n);
    return error;
}
