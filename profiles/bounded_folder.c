/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bounded_folder.c - the oldest files of a folder go */
#include "config.h"

#include "profiles/bounded_folder.h"

#include "base/array.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SEEN         ((size_t)4096)
#define LEFT_SECONDS 600

struct bounded_file {
    struct timespec changed;
    uint64_t bytes;
    char name[NAME_MAX + 1];
};

static int newest_first(const void *a, const void *b)
{
    const struct timespec *x = &((const struct bounded_file *)a)->changed;
    const struct timespec *y = &((const struct bounded_file *)b)->changed;

    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? 1 : -1;
    return (x->tv_nsec < y->tv_nsec) - (x->tv_nsec > y->tv_nsec);
}

static size_t list_files(struct bounded_file *out, DIR *dir, const char *prefix)
{
    const struct dirent *entry;
    size_t n = 0;

    while (n < SEEN && (entry = readdir(dir))) {
        struct stat st;

        if (entry->d_name[0] == '.' ||
            strncmp(entry->d_name, prefix, strlen(prefix)) != 0 ||
            fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
            !S_ISREG(st.st_mode))
            continue;
        out[n].changed = st.st_mtim;
        out[n].bytes = (uint64_t)st.st_size;
        snprintf(out[n].name, sizeof(out[n].name), "%s", entry->d_name);
        n++;
    }
    return n;
}

static bool is_left(const struct bounded_file *file, time_t now)
{
    return strstr(file->name, ".new-") &&
           now - file->changed.tv_sec > LEFT_SECONDS;
}

void bounded_folder_make_room(const struct bounded_folder *folder)
{
    struct bounded_file *file = array_alloc(SEEN, sizeof(*file), NULL);
    DIR *dir = file ? opendir(folder->path) : NULL;
    const time_t now = time(NULL);
    uint64_t bytes = 0;
    size_t n = dir ? list_files(file, dir, folder->prefix) : 0;

    if (n > 0)
        qsort(file, n, sizeof(*file), newest_first);
    for (size_t i = 0; i < n; i++) {
        bytes += file[i].bytes;
        if (i >= folder->files || bytes > folder->bytes ||
            is_left(&file[i], now))
            (void)unlinkat(dirfd(dir), file[i].name, 0);
    }
    if (dir)
        closedir(dir);
    free(file);
}
