/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* leftovers.c - files of steps whose srun was killed before it removed them */
#include "config.h"

#include "plugin/handoff/leftovers.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DAY_SECONDS ((time_t)86400)
/* A folder of more than so many is somebody's other work. */
#define ENTRIES_MOST 10000

/* KIND-JOB.STEP, as older releases named them, or KIND-JOB.STEP-CLUSTER. */
static bool is_alike(const char *name, const char *kind)
{
    const size_t n = strlen(kind);
    size_t job, step;

    if (strncmp(name, kind, n) != 0 || name[n] != '-')
        return false;
    name += n + 1;
    job = strspn(name, "0123456789");
    if (job == 0 || name[job] != '.')
        return false;
    name += job + 1;
    step = strspn(name, "0123456789");
    return step > 0 && (name[step] == '\0' || name[step] == '-');
}

static bool is_left(int folder, const char *name, time_t now)
{
    struct stat st;

    return fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
           st.st_mtime < now - LEFTOVERS_DAYS * DAY_SECONDS;
}

void leftovers_remove(const char *path, const char *kind)
{
    char *folder = strndup(path, (size_t)(strrchr(path, '/') - path));
    DIR *dir = folder ? opendir(folder) : NULL;
    const struct dirent *entry;
    time_t now = time(NULL);

    for (int i = 0; dir && i < ENTRIES_MOST && (entry = readdir(dir)); i++)
        if (is_alike(entry->d_name, kind) &&
            is_left(dirfd(dir), entry->d_name, now))
            unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir)
        closedir(dir);
    free(folder);
}
