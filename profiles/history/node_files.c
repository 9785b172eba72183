/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* node_files.c - what nodes leave behind is gathered by whoever looks at the
 * step's end, and by others where nobody did */
#include "config.h"

#include "profiles/history/node_files.h"

#include "profiles/catalogue/catalogue_names.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define OLD_S (7 * 86400)

void node_files_empty(const char *folder, node_files_take *take, void *with)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        char *path;

        if (strncmp(entry->d_name, "node-", 5) != 0 ||
            !(path = catalogue_join(folder, entry->d_name, NULL)))
            continue;
        if (take)
            take(with, path);
        unlink(path);
        free(path);
    }
    if (dir)
        closedir(dir);
    rmdir(folder);
}

void node_files_remove_old(const char *parent, const char *prefix)
{
    DIR *dir = opendir(parent);
    const struct dirent *entry;
    const time_t now = time(NULL);
    struct stat st;

    while (dir && (entry = readdir(dir))) {
        char *path;

        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0 ||
            fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
            !S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
            now - st.st_mtime < OLD_S ||
            !(path = catalogue_join(parent, entry->d_name, NULL)))
            continue;
        node_files_empty(path, NULL, NULL);
        free(path);
    }
    if (dir)
        closedir(dir);
}
