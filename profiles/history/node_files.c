/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* node_files.c - what nodes leave behind is gathered by the process that looks
 * at the step's end, else by a later one */
#include "config.h"

#include "profiles/history/node_files.h"

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
    const char *file;
    DIR *dir = NULL;
    int error = own_folder_below(&folder, above, name, OWN_FOLDER_ALONE, err);

    while (error == 0 && (file = own_folder_next(&dir, folder))) {
        if (strncmp(file, "node-", 5) != 0)
            continue;
        if (take)
            take(with, folder, file);
        (void)own_folder_remove(folder, file);
    }
    own_folder_close(folder);
    if (error == 0)
        (void)own_folder_remove_below(above, name);
    return error;
}

void node_files_remove_old(const struct own_folder *above, const char *prefix)
{
    const time_t now = time(NULL);
    const char *name;
    DIR *dir = NULL;
    struct stat st;
    int n = 0;

    while (n < OLD_MOST && (name = own_folder_next(&dir, above))) {
        if (strncmp(name, prefix, strlen(prefix)) != 0)
            continue;
        n++;
        if (own_folder_stat(&st, above, name) == 0 && S_ISDIR(st.st_mode) &&
            now - st.st_mtime >= OLD_S)
            (void)node_files_empty(above, name, NULL, NULL, NULL);
    }
    if (dir)
        closedir(dir);
}
