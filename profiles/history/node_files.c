/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* node_files.c - what nodes leave behind is gathered by whoever looks at the
 * step's end, and by others where nobody did */
#include "config.h"

#include "profiles/history/node_files.h"

#include "base/error_set.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#define OLD_S    (7 * 86400)
#define OLD_MOST 64

int node_files_empty(const struct own_folder *above,
                     const char *name,
                     node_files_take *take,
                     void *with,
                     struct mapcore_error *err)
{
    struct own_folder *folder = NULL;
    const struct dirent *entry;
    int error = own_folder_below(&folder, above, name, OWN_FOLDER_ALONE, err);
    DIR *dir = error == 0 ? own_folder_list(folder) : NULL;

    if (error == 0 && !dir)
        error = error_set(err, MAPCORE_EIO, "%.400s: %s",
                          own_folder_path(folder), strerror(errno));
    while (dir && (entry = readdir(dir))) {
        if (strncmp(entry->d_name, "node-", 5) != 0)
            continue;
        if (take)
            take(with, folder, entry->d_name);
        (void)own_folder_remove(folder, entry->d_name);
    }
    if (dir)
        closedir(dir);
    own_folder_close(folder);
    if (error == 0)
        (void)own_folder_remove_below(above, name);
    return error;
}

void node_files_remove_old(const struct own_folder *above, const char *prefix)
{
    DIR *dir = own_folder_list(above);
    const struct dirent *entry;
    const time_t now = time(NULL);
    struct stat st;
    int n = 0;

    while (dir && n < OLD_MOST && (entry = readdir(dir))) {
        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
            continue;
        n++;
        if (own_folder_stat(&st, above, entry->d_name) == 0 &&
            S_ISDIR(st.st_mode) && now - st.st_mtime >= OLD_S)
            (void)node_files_empty(above, entry->d_name, NULL, NULL, NULL);
    }
    if (dir)
        closedir(dir);
}
