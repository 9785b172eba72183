/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hardware.c - from the plugin to what is linked with hwloc */
#include "config.h"

#include "plugin/task/hardware.h"

#include "base/error_set.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Beside this plugin, wherever that is; Slurm loads it by its whole path. */
static bool find_file(char path[PATH_MAX])
{
    static const char here;
    Dl_info own;
    const char *slash;
    int n;

    if (!dladdr(&here, &own) || !own.dli_fname || own.dli_fname[0] != '/')
        return false;
    slash = strrchr(own.dli_fname, '/');
    n = snprintf(path, PATH_MAX, "%.*s/" HARDWARE_FILE,
                 (int)(slash - own.dli_fname), own.dli_fname);
    return n > 0 && n < PATH_MAX;
}

int hardware_open(const struct hardware **out, struct mapcore_error *err)
{
    const struct hardware *found = NULL;
    char path[PATH_MAX];
    const char *why;
    void *file;

    if (!find_file(path))
        return error_set(err, MAPCORE_EIO, HARDWARE_FILE " is not found");
    setenv("HWLOC_PLUGINS_PATH", "/dev/null", 1);
    if ((file = dlopen(path, RTLD_NOW | RTLD_LOCAL)))
        found = dlsym(file, HARDWARE_SYMBOL);
    if (!found) {
        why = dlerror();
        return error_set(err, MAPCORE_EIO, "%s", why ? why : path);
    }
    if (strcmp(found->version, PACKAGE_VERSION) != 0)
        return error_set(err, MAPCORE_EVERSION,
                         "%s is of topomap %s, and the plugin of %s", path,
                         found->version, PACKAGE_VERSION);
    *out = found;
    return 0;
}
