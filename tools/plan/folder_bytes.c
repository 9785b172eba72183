/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* folder_bytes.c - how much lies in a folder */
#include "config.h"

#include "tools/plan/folder_bytes.h"

#include "tools/common/tool.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A catalogue has five. */
enum { DEEPEST = 8 };

struct count {
    uint64_t bytes, most;
    double end;
};

/* Takes fd. */
static void count_folder(struct count *count, int fd, int depth)
{
    DIR *dir = fdopendir(fd);
    const struct dirent *entry;

    if (!dir) {
        close(fd);
        return;
    }
    while (count->bytes <= count->most && tool_now() < count->end &&
           (entry = readdir(dir))) {
        struct stat st;
        int below;

        if (strcmp(entry->d_name, ".") == 0 ||
            strcmp(entry->d_name, "..") == 0 ||
            fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        if (S_ISREG(st.st_mode))
            count->bytes += (uint64_t)st.st_size;
        if (!S_ISDIR(st.st_mode) || depth == DEEPEST)
            continue;
        below = openat(dirfd(dir), entry->d_name,
                       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (below >= 0)
            count_folder(count, below, depth + 1);
    }
    closedir(dir);
}

uint64_t folder_bytes(const char *path, uint64_t most, double seconds)
{
    struct count count = {.most = most, .end = tool_now() + seconds};
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd >= 0)
        count_folder(&count, fd, 0);
    return count.bytes;
}
