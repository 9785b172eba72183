/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* catalogue_root.c - where a user's own catalogue is */
#include "config.h"

#include "launch/catalogue_root.h"

#include "base/buffer.h"

int catalogue_root_find(char **out,
                        char *(*get)(const char *name),
                        struct mapcore_error *err)
{
    const char *own = get("TOPOMAP_CATALOGUE"), *data = get("XDG_DATA_HOME"),
               *home = get("HOME");
    struct buffer path = {0};
    int error;

    if (own && *own)
        error = buffer_printf(&path, err, "%s", own);
    else if (data && *data == '/')
        error = buffer_printf(&path, err, "%s/topomap", data);
    else if (home && *home)
        error = buffer_printf(&path, err, "%s/.local/share/topomap", home);
    else
        error = error_set(err, MAPCORE_ENOENT,
                          "no catalogue: neither TOPOMAP_CATALOGUE nor HOME is "
                          "set");
    if (error == 0)
        *out = buffer_steal(&path);
    buffer_clear(&path);
    return error;
}
