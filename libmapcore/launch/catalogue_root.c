/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* catalogue_root.c - where a user's own catalogue is */
#include "config.h"

#include "launch/catalogue_root.h"

#include "base/buffer.h"

#include <stdbool.h>

struct catalogue_env catalogue_env_read(char *(*get)(const char *name))
{
    return (struct catalogue_env){get("TOPOMAP_CATALOGUE"),
                                  get("XDG_DATA_HOME"), get("HOME")};
}

static bool is_set(const char *value)
{
    return value && *value != '\0';
}

int catalogue_root_find(char **out,
                        const struct catalogue_env *env,
                        struct mapcore_error *err)
{
    struct buffer path = {0};
    int error;

    if (is_set(env->own))
        error = buffer_printf(&path, err, "%s", env->own);
    else if (is_set(env->data) && env->data[0] == '/')
        error = buffer_printf(&path, err, "%s/topomap", env->data);
    else if (is_set(env->home))
        error = buffer_printf(&path, err, "%s/.local/share/topomap", env->home);
    else
        error = error_set(err, MAPCORE_ENOENT,
                          "no catalogue: neither TOPOMAP_CATALOGUE nor HOME is "
                          "set");
    if (error == 0)
        *out = buffer_steal(&path);
    buffer_clear(&path);
    return error;
}
