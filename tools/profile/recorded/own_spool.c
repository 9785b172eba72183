/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* own_spool.c - a folder for what tasks leave, and how long one waits for it:
 * those who write are on other nodes, and nobody tells when they are done */
#include "config.h"

#include "tools/profile/recorded/own_spool.h"

#include "base/own_folder.h"
#include "launch/kept.h"
#include "launch/spool_folder.h"
#include "profiles/catalogue/catalogue.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A file takes milliseconds once its task has ended; a node's view of a shared
 * folder may be as old as this. */
#define QUIET_MS 2000
#define PAUSE_MS 20

int own_spool_make(char **out, const char *root, struct mapcore_error *err)
{
    struct own_folder *spool = NULL;
    char name[32];
    int error = catalogue_make_root(root, err);

    snprintf(name, sizeof(name), "%ld.0", (long)getpid());
    if (error == 0)
        error = spool_folder_make(&spool, root, name, err);
    if (error == 0 && !(*out = strdup(own_folder_path(spool))))
        error = error_set(err, MAPCORE_ENOMEM, "no memory");
    own_folder_close(spool);
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
static void look(struct left_here *out, const struct own_folder *spool)
{
    static const char probe[] = "look", tail[] = "." KEPT_END;
    DIR *dir = own_folder_list(spool);
    struct stat st;
    int fd;

    *out = (struct left_here){.said = false};
    if (!dir)
        return;
    if (own_folder_append(&fd, &st, spool, probe, 0600, NULL) == 0) {
        close(fd);
        (void)own_folder_remove(spool, probe);
    }
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
    struct own_folder *above = NULL, *folder = NULL;
    const char *name = NULL;
    uint32_t before = 0;

    if (own_folder_open_above(&above, &name, spool, NULL) < 0 ||
        own_folder_below(&folder, above, name, OWN_FOLDER_ALONE, NULL) < 0)
        goto out;
    for (int quiet = 0; quiet < QUIET_MS; quiet += PAUSE_MS) {
        struct left_here left;

        look(&left, folder);
        if (left.said || (left.ntasks > 0 && left.tasks >= left.ntasks))
            break;
        if (left.tasks > before)
            quiet = 0;
        before = left.tasks;
        nanosleep(&pause, NULL);
    }
out:
    own_folder_close(folder);
    own_folder_close(above);
}
