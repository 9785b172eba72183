/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* catalogue_root.c - where a user's own catalogue is, and making it */
#include "config.h"

#include "launch/catalogue_root.h"

#include "base/buffer.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

int catalogue_root_find(char **out,
                        char *(*get)(const char *name),
                        struct mapcore_error *err)
{
    const char *own = get("TOPOMAP_CATALOGUE"), *data = get("XDG_DATA_HOME"),
               *home = get("HOME");
    struct buffer path = {.err = err};

    if (own && *own) {
        const char *base = strstr(own, "/./");

        buffer_printf(&path, "%.*s%s", (int)(base ? base - own : 0), own,
                      base ? base + 2 : own);
    } else if (data && *data == '/')
        buffer_printf(&path, "%s/topomap", data);
    else if (home && *home)
        buffer_printf(&path, "%s/.local/share/topomap", home);
    else
        return error_set(err, MAPCORE_ENOENT,
                         "no catalogue: neither TOPOMAP_CATALOGUE nor HOME is "
                         "set");
    return buffer_finish(out, &path, 0);
}

/* A folder that is there may answer otherwise than EEXIST (EROFS, EACCES, an
 * automounter's ENOSYS): only the last one counts, and of several refusals the
 * first. */
int catalogue_root_make(char *path)
{
    int refused = 0;

    for (char *p = path + 1;; p++) {
        char held = *p;

        if (held != '/' && held != '\0')
            continue;
        *p = '\0';
        if (mkdir(path, 0755) == 0 || errno == EEXIST)
            refused = 0;
        else if (refused == 0 || errno != ENOENT)
            refused = errno;
        *p = held;
        if (held == '\0')
            break;
    }
    errno = refused;
    return refused == 0 ? 0 : -1;
}
