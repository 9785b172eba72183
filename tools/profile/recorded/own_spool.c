/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* own_spool.c - a folder for what tasks leave, and how long one waits for it:
 * those who write are on other nodes, and nobody tells when they are done */
#include "config.h"

#include "tools/profile/recorded/own_spool.h"

#include "base/buffer.h"
#include "base/own_folder.h"
#include "launch/kept.h"
#include "profiles/catalogue/catalogue.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A file takes milliseconds once its task has ended; a node's view of a shared
 * folder may be as old as this. */
#define QUIET_MS 2000
#define PAUSE_MS 20
/* Another process of that number, on another node. */
#define TRIES 100

static int fail(struct mapcore_error *err, const char *what, const char *path)
{
    return error_set(err, MAPCORE_EIO, "cannot %s %.300s: %s", what, path,
                     strerror(errno));
}

int own_spool_make(char **out, const char *root, struct mapcore_error *err)
{
    struct buffer path = {0};
    bool made = false;
    int error = catalogue_make_root(root, err);

    if (error == 0)
        error = buffer_printf(&path, err, "%s/.spool-%lu", root,
                              (unsigned long)geteuid());
    if (error == 0)
        error = own_folder_make(path.bytes, err);
    for (int i = 1; error == 0 && !made; i++) {
        buffer_clear(&path);
        error = buffer_printf(&path, err, "%s/.spool-%lu/%ld.0-%d", root,
                              (unsigned long)geteuid(), (long)getpid(), i);
        if (error == 0 && mkdir(path.bytes, 0700) == 0)
            made = true;
        else if (error == 0 && (errno != EEXIST || i >= TRIES))
            error = fail(err, "make the folder", path.bytes);
    }
    if (error == 0)
        *out = buffer_steal(&path);
    buffer_clear(&path);
    return error;
}

/* What has come so far. */
struct left_here {
    bool said;
    uint32_t tasks;  /* that have left something */
    uint32_t ntasks; /* that there were; 0: not known yet */
};

static void read_size(struct left_here *left, int folder, const char *name)
{
    const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    struct kept_head head;

    if (fd < 0)
        return;
    if (read(fd, &head, sizeof(head)) == (ssize_t)sizeof(head) &&
        head.magic == KEPT_MAGIC)
        left->ntasks = head.ntasks;
    close(fd);
}

/* A change of our own makes NFS look again. */
static void look(struct left_here *out, const char *spool)
{
    static const char probe[] = "look", tail[] = "." KEPT_END;
    DIR *dir = opendir(spool);
    int fd;

    *out = (struct left_here){.said = false};
    if (!dir)
        return;
    fd = openat(dirfd(dir), probe, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
                0600);
    if (fd >= 0 && close(fd) == 0)
        unlinkat(dirfd(dir), probe, 0);
    for (struct dirent *item; (item = readdir(dir));) {
        const size_t n = strlen(item->d_name);

        out->said = out->said || strcmp(item->d_name, "said") == 0;
        if (n < sizeof(tail) ||
            strcmp(item->d_name + n - (sizeof(tail) - 1), tail) != 0)
            continue;
        out->tasks++;
        if (out->ntasks == 0)
            read_size(out, dirfd(dir), item->d_name);
    }
    closedir(dir);
}

void own_spool_wait(const char *spool)
{
    const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000L};
    uint32_t before = 0;

    for (int quiet = 0; quiet < QUIET_MS; quiet += PAUSE_MS) {
        struct left_here left;

        look(&left, spool);
        if (left.said || (left.ntasks > 0 && left.tasks >= left.ntasks))
            return;
        if (left.tasks > before)
            quiet = 0;
        before = left.tasks;
        nanosleep(&pause, NULL);
    }
}
