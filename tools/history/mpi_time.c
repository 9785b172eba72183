/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mpi_time.c - time in MPI, read from what slurmstepd has kept of tasks that
 * counted nothing else (launch/kept.h), and believed in nothing */
#include "config.h"

#include "tools/history/mpi_time.h"

#include "base/buffer.h"
#include "base/error_set.h"
#include "base/text.h"
#include "launch/kept.h"
#include "profiles/catalogue/catalogue_names.h"
#include "profiles/catalogue/catalogue_trust.h"
#include "profiles/commprof/count/messages.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TIMES "time-"
/* Of a node: some tasks' heads and a counter each. */
#define NODE_MOST ((size_t)1 << 20)
#define OLD_S     (7 * 86400)

struct time_told {
    double seconds;
    size_t ntasks;
};

/* The counter of one task, in the first block behind its head. */
static void take_task(struct time_told *out, const char *bytes, size_t n)
{
    struct kept_head head;
    struct kept_block block;
    struct call_stats stats;
    uint64_t ran_ns;

    if (n < sizeof(head) + sizeof(block) + sizeof(stats))
        return;
    memcpy(&head, bytes, sizeof(head));
    memcpy(&block, bytes + sizeof(head), sizeof(block));
    memcpy(&stats, bytes + sizeof(head) + sizeof(block), sizeof(stats));
    ran_ns = head.last_ns - head.began_ns;
    /* Threads may be in MPI side by side; no task has a thousand of them. */
    if (block.kind != KEPT_STATS || block.size < sizeof(stats) ||
        head.last_ns < head.began_ns || stats.ns / 1000 > ran_ns)
        return;
    out->seconds += 1e-9 * (double)stats.ns;
    out->ntasks++;
}

static void take_node(struct time_told *out, const char *path)
{
    struct buffer bytes = {0};
    struct kept_head head;

    if (catalogue_read_own(&bytes, path, NODE_MOST, NULL) < 0)
        return;
    for (size_t at = 0; bytes.n - at >= sizeof(head); at += head.used) {
        memcpy(&head, bytes.bytes + at, sizeof(head));
        if (head.magic != KEPT_MAGIC || head.used < sizeof(head) ||
            head.used > bytes.n - at)
            break;
        take_task(out, bytes.bytes + at, (size_t)head.used);
    }
    buffer_clear(&bytes);
}

static bool is_node(const char *name)
{
    return strncmp(name, "node-", 5) == 0;
}

static bool ends_in_kept(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot && strcmp(dot + 1, KEPT_END) == 0;
}

/* Reads what the nodes have left, if out, and takes the folder away. */
static void take_folder(struct time_told *out, const char *folder)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        char *path;

        if (!is_node(entry->d_name) ||
            !(path = catalogue_join(folder, entry->d_name, NULL)))
            continue;
        if (out && ends_in_kept(entry->d_name))
            take_node(out, path);
        unlink(path);
        free(path);
    }
    if (dir)
        closedir(dir);
    rmdir(folder);
}

/* Of steps whose srun could not do it. */
static void remove_old(const char *parent)
{
    DIR *dir = opendir(parent);
    const struct dirent *entry;
    const time_t now = time(NULL);
    struct stat st;

    while (dir && (entry = readdir(dir))) {
        char *path;

        if (strncmp(entry->d_name, TIMES, strlen(TIMES)) != 0 ||
            fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
            !S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
            now - st.st_mtime < OLD_S ||
            !(path = catalogue_join(parent, entry->d_name, NULL)))
            continue;
        take_folder(NULL, path);
        free(path);
    }
    if (dir)
        closedir(dir);
}

int mpi_time_take(double *out, const char *folder, struct mapcore_error *err)
{
    const char *name = text_last_part(folder);
    struct time_told told = {.ntasks = 0};
    char *parent = NULL;
    int error;

    if (folder[0] != '/' || name <= folder + 1 ||
        strncmp(name, TIMES, strlen(TIMES)) != 0)
        return error_set(err, MAPCORE_EINVAL,
                         "%.300s: no folder of time in MPI", folder);
    if (!(parent = strndup(folder, (size_t)(name - folder - 1))))
        return error_set(err, MAPCORE_ENOMEM, "no memory");
    error = catalogue_check_folder(parent, false, true, err);
    if (error == 0)
        error = catalogue_check_folder(folder, false, true, err);
    if (error == 0) {
        take_folder(&told, folder);
        remove_old(parent);
        if (told.ntasks == 0)
            error = error_set(err, MAPCORE_ENOENT, "no task told its time");
        else
            *out = told.seconds / (double)told.ntasks;
    }
    free(parent);
    return error;
}
