/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bounded_folder.c - the oldest files of a folder go */
#include "config.h"

#include "profiles/bounded_folder.h"

#include "base/array.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SEEN         ((size_t)4096)
#define LEFT_SECONDS 600

struct bounded_file {
    struct timespec changed;
    uint64_t bytes;
    bool is_left; /* by a writer that has died */
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

/* By what a writer puts behind a name. */
static bool is_new(const char *name)
{
    const char *tail = strstr(name, ".new-");

    return tail && tail[5 + strspn(tail + 5, "0123456789-")] == '\0';
}

static size_t list_files(struct bounded_file *out,
                         const struct own_folder *folder,
                         const char *prefix)
{
    const time_t now = time(NULL);
    const char *name;
    DIR *dir = NULL;
    size_t n = 0;

    while (n < SEEN && (name = own_folder_next(&dir, folder))) {
        struct bounded_file *file = &out[n];
        struct stat st;

        if (strncmp(name, prefix, strlen(prefix)) != 0 ||
            own_folder_stat(&st, folder, name) < 0 || !S_ISREG(st.st_mode) ||
            st.st_uid != geteuid())
            continue;
        file->changed = st.st_mtim;
        file->bytes = (uint64_t)st.st_size;
        file->is_left = is_new(name) && now - st.st_mtime > LEFT_SECONDS;
        snprintf(file->name, sizeof(file->name), "%s", name);
        n++;
    }
    if (dir)
        closedir(dir);
    return n;
}

void bounded_folder_make_room(const struct own_folder *folder,
                              const struct bounded_folder *bounds)
{
    struct bounded_file *file = array_alloc(SEEN, sizeof(*file), NULL);
    uint64_t bytes = 0;
    size_t n = file ? list_files(file, folder, bounds->prefix) : 0;

    if (n > 0)
        qsort(file, n, sizeof(*file), newest_first);
    for (size_t i = 0; i < n; i++) {
        bytes += file[i].bytes;
        if (i >= bounds->files || bytes > bounds->bytes || file[i].is_left)
            (void)own_folder_remove(folder, file[i].name);
    }
    free(file);
}
