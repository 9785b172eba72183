/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* program_path.c - the file that the name of a command stands for */
#include "config.h"

#include "launch/command/program_path.h"

#include "base/error_set.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool program_path_is_file(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static char *search(const char *path, const char *name)
{
    char candidate[PATH_MAX];

    while (*path) {
        size_t length = strcspn(path, ":");
        int n = snprintf(candidate, sizeof(candidate), "%.*s%s%s", (int)length,
                         path, length > 0 ? "/" : "./", name);

        /* access() alone would take a folder for a program. */
        if (n > 0 && (size_t)n < sizeof(candidate) &&
            program_path_is_file(candidate) && access(candidate, X_OK) == 0)
            return realpath(candidate, NULL);
        path += length + (path[length] == ':');
    }
    return NULL;
}

int program_path_find(char **out,
                      const char *name,
                      const char *path,
                      struct mapcore_error *err)
{
    bool is_path = !path || strchr(name, '/');
    char *found = is_path ? NULL : search(path, name);

    if (!found && (is_path || program_path_is_file(name)))
        found = realpath(name, NULL);
    else if (!found)
        return error_set(err, MAPCORE_ENOENT,
                         "no program %.400s in PATH or here", name);
    if (!found)
        return error_set(err, MAPCORE_ENOENT, "%.400s: %s", name,
                         strerror(errno));
    *out = found;
    return 0;
}
