/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* keeper.c - a file in memory, a region of it a task (launch/kept.h). It has no
 * name, so that no stranger finds it and none is left behind, and slurmstepd
 * has it open: it outlives the tasks, and goes with the step */
#include "config.h"

#include "plugin/task/keeper.h"

#include "launch/kept.h"
#include "plugin/handoff/handoff.h"
#include "plugin/task/user_fork.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Slurm waits for the last task's hook, and srun for Slurm. */
#define WRITE_SECONDS 10
/* every=: milliseconds of it are an int. */
#define EVERY_MOST 1000000
/* More than any shell script's own descriptors, and less than any limit. */
#define HIGH_DESCRIPTOR 100

/* slurmstepd's own; a task is a fork of it. */
static struct {
    int fd; /* -1: nothing is kept */
    uint32_t ntasks, nended;
    struct user_fork user;
    uint32_t node;
    char spool[PATH_MAX];
    int every;    /* seconds, 0: only at the end */
    int saver_fd; /* -1: there is none */
    pid_t saver;
} topomap_keeper = {.fd = -1, .saver_fd = -1};

static bool is_recorded(spank_t spank, char *spool, size_t size)
{
    char recorder[8];
    spank_err_t found;

    if (!user_fork_is_told(spank))
        return false;
    found = spank_getenv(spank, handoff_names[HANDOFF_RECORDER], recorder,
                         sizeof(recorder));
    return (found == ESPANK_SUCCESS || found == ESPANK_NOSPACE) &&
           spank_getenv(spank, handoff_names[HANDOFF_SPOOL], spool,
                        (int)size) == ESPANK_SUCCESS &&
           spool[0] == '/';
}

/* 0: not asked for. */
static int read_every(spank_t spank)
{
    char text[32];
    unsigned long seconds;

    if (spank_getenv(spank, handoff_names[HANDOFF_EVERY], text, sizeof(text)) !=
        ESPANK_SUCCESS)
        return 0;
    seconds = strtoul(text, NULL, 10);
    return seconds < EVERY_MOST ? (int)seconds : EVERY_MOST;
}

/* The file may not change its size: nothing that a task does to it can harm who
 * reads it. */
static int make_file(uint32_t ntasks)
{
    int fd = (int)syscall(SYS_memfd_create, "topomap",
                          MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd >= 0 && (ftruncate(fd, (off_t)(ntasks * KEPT_REGION)) < 0 ||
                    fcntl(fd, F_ADD_SEALS,
                          F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* A program that closes what it did not open (Python's subprocess does) counts
 * in its heap. */
void keeper_give(spank_t spank, int local)
{
    char place[128];
    struct stat st;
    int fd;

    if (topomap_keeper.fd < 0)
        return;
    spank_setenv(spank, "COMMPROF_SPOOL", topomap_keeper.spool, 1);
    if ((fd = fcntl(topomap_keeper.fd, F_DUPFD, HIGH_DESCRIPTOR)) < 0)
        fd = fcntl(topomap_keeper.fd, F_DUPFD, 10);
    if (fd < 0 || fstat(fd, &st) < 0)
        return;
    snprintf(place, sizeof(place), "%d %" PRIu64 " %llu %llu", fd,
             (uint64_t)local * KEPT_REGION, (unsigned long long)st.st_dev,
             (unsigned long long)st.st_ino);
    spank_setenv(spank, "COMMPROF_KEEP", place, 1);
}

/* ---- in a fork: user_fork_begin() says what it may call */

/* node-N.END, and what follows. */
static void put_name(char *out, size_t size, const char *end, const char *more)
{
    char digits[11], *digit = digits + sizeof(digits) - 1;
    const char *const parts[] = {"node-", NULL, ".", end, more};
    size_t n = 0;

    /* Not snprintf, which may want locks of others. */
    *digit = '\0';
    for (uint32_t rest = topomap_keeper.node; rest > 0 || !*digit; rest /= 10)
        *--digit = (char)('0' + rest % 10);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        for (const char *c = parts[i] ? parts[i] : digit; *c; c++)
            if (n + 1 < size)
                out[n++] = *c;
    out[n] = '\0';
}

/* How much of the region of a task is to be written; 0: nothing. */
static uint64_t region_used(uint32_t task)
{
    struct kept_head head;

    if (pread(topomap_keeper.fd, &head, sizeof(head),
              (off_t)(task * KEPT_REGION)) != (ssize_t)sizeof(head))
        return 0;
    if (head.state != KEPT_COUNTING && head.ended != 0)
        return sizeof(head);
    if (head.magic != KEPT_MAGIC || head.state != KEPT_COUNTING ||
        head.used < sizeof(head) || head.used > KEPT_REGION)
        return 0;
    return head.used;
}

/* So many bytes of it: a task that goes on may use more by now, or none. */
static bool copy_region(int out, uint32_t task, uint64_t used)
{
    static _Alignas(struct kept_head) char bytes[1 << 16];
    struct kept_head *const head = (struct kept_head *)(void *)bytes;
    const uint64_t from = task * KEPT_REGION;

    for (uint64_t at = 0; at < used;) {
        size_t n = used - at < sizeof(bytes) ? used - at : sizeof(bytes);
        ssize_t got = pread(topomap_keeper.fd, bytes, n, (off_t)(from + at));
        if (got <= 0)
            return false;
        if (at == 0) {
            if (got < (ssize_t)sizeof(*head) ||
                (used > sizeof(*head) &&
                 (head->magic != KEPT_MAGIC || head->used < used)))
                return false;
            head->magic = KEPT_MAGIC;
            head->used = used;
        }
        for (ssize_t done = 0; done < got;) {
            ssize_t put = write(out, bytes + done, (size_t)(got - done));
            if (put <= 0)
                return false;
            done += put;
        }
        at += (uint64_t)got;
    }
    return true;
}

/* As node-N.END, written as node-N.END-part: a file has its name when it is
 * whole, and takes the place of the one before. With nothing to write there is
 * none. */
static bool write_regions(int folder, const char *end)
{
    char name[48], part[48];
    int out = -1;
    bool whole = folder >= 0;

    put_name(name, sizeof(name), end, "");
    put_name(part, sizeof(part), end, "-part");

    for (uint32_t i = 0; whole && i < topomap_keeper.ntasks; i++) {
        uint64_t used = region_used(i);
        if (used == 0)
            continue;
        if (out < 0)
            out = openat(folder, part,
                         O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                         0600);
        whole = out >= 0 && copy_region(out, i, used);
    }
    if (out < 0) {
        if (whole)
            unlinkat(folder, name, 0);
        return whole;
    }
    if (close(out) == 0 && whole && renameat(folder, part, folder, name) == 0)
        return true;
    unlinkat(folder, part, 0);
    return false;
}

/* Keeps fd, which becomes 4; or -1. */
static void leave_slurmstepd(int fd)
{
    const int keep[] = {topomap_keeper.fd, fd};

    user_fork_begin(&topomap_keeper.user, keep, fd >= 0 ? 2 : 1);
    topomap_keeper.fd = 3;
}

/* A folder that nobody but the user can write to, or -1. */
static int open_spool(void)
{
    const int folder = open(topomap_keeper.spool,
                            O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;

    if (folder < 0 || (fstat(folder, &st) == 0 && st.st_uid == geteuid() &&
                       !(st.st_mode & (S_IWGRP | S_IWOTH))))
        return folder;
    close(folder);
    return -1;
}

/* What the saver has left is older. */
static void be_the_writer(void)
{
    char older[48];
    bool done;
    int folder;

    leave_slurmstepd(-1);
    folder = open_spool();
    done = write_regions(folder, KEPT_END);
    if (done) {
        put_name(older, sizeof(older), KEPT_SO_FAR, "");
        unlinkat(folder, older, 0);
    }
    _exit(done ? 0 : 1);
}

static void save(void)
{
    int folder = open_spool();

    write_regions(folder, KEPT_SO_FAR);
    if (folder >= 0)
        close(folder);
}

/* Until slurmstepd writes a byte; without one it is gone, and nobody else will
 * write what there is. */
static void be_the_saver(int fd)
{
    struct pollfd end = {.fd = 4, .events = POLLIN};
    char byte;
    int n;

    leave_slurmstepd(fd);
    while ((n = poll(&end, 1, topomap_keeper.every * 1000)) == 0 ||
           (n < 0 && errno == EINTR))
        if (n == 0)
            save();
    if (read(4, &byte, 1) != 1)
        save();
    _exit(0);
}

/* ---- in slurmstepd */

/* A process of its own, for a thread of slurmstepd's, or a timer, could not
 * wait for storage; and nothing in the tasks, which it costs nothing. */
static void start_saver(void)
{
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return;
    topomap_keeper.saver = fork();
    if (topomap_keeper.saver == 0)
        be_the_saver(ends[1]);
    close(ends[1]);
    if (topomap_keeper.saver < 0)
        close(ends[0]);
    else
        topomap_keeper.saver_fd = ends[0];
}

void keeper_open(spank_t spank)
{
    if (topomap_keeper.fd >= 0 ||
        !is_recorded(spank, topomap_keeper.spool,
                     sizeof(topomap_keeper.spool)) ||
        spank_get_item(spank, S_JOB_NODEID, &topomap_keeper.node) !=
            ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_LOCAL_TASK_COUNT, &topomap_keeper.ntasks) !=
            ESPANK_SUCCESS ||
        topomap_keeper.ntasks == 0 ||
        !user_fork_know(&topomap_keeper.user, spank))
        return;
    topomap_keeper.nended = 0;
    topomap_keeper.fd = make_file(topomap_keeper.ntasks);
    topomap_keeper.every = read_every(spank);
    if (topomap_keeper.fd >= 0 && topomap_keeper.every > 0)
        start_saver();
}

/* Who files what it has counted judges by that. */
static void note_end(spank_t spank)
{
    uint32_t ended;
    int task, status;
    off_t at;

    if (spank_get_item(spank, S_TASK_ID, &task) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_TASK_EXIT_STATUS, &status) != ESPANK_SUCCESS ||
        status == 0 || task < 0 || (uint32_t)task >= topomap_keeper.ntasks)
        return;
    at = (off_t)((uint64_t)task * KEPT_REGION +
                 offsetof(struct kept_head, ended));
    if (pread(topomap_keeper.fd, &ended, sizeof(ended), at) != sizeof(ended))
        return;
    ended |= (uint32_t)status & 0xffff;
    (void)!pwrite(topomap_keeper.fd, &ended, sizeof(ended), at);
}

void keeper_task_ended(spank_t spank)
{
    if (topomap_keeper.fd >= 0)
        note_end(spank);
    if (topomap_keeper.fd >= 0 &&
        ++topomap_keeper.nended >= topomap_keeper.ntasks)
        keeper_close();
}

/* Only the socket tells that it has ended: slurmstepd, which waits for whatever
 * child ends, may have had its number, and given it to another one. */
static void end_saver(void)
{
    struct pollfd end = {.fd = topomap_keeper.saver_fd, .events = POLLIN};
    const struct timespec pause = {.tv_nsec = 1000000};

    if (send(end.fd, "", 1, MSG_NOSIGNAL) == 1)
        poll(&end, 1, WRITE_SECONDS * 1000);
    close(end.fd);
    for (int i = 0; i < 50 && !user_fork_has_ended(topomap_keeper.saver); i++)
        nanosleep(&pause, NULL);
    topomap_keeper.saver_fd = -1;
}

void keeper_close(void)
{
    bool any = topomap_keeper.saver_fd >= 0; /* or to take away what is old */
    pid_t pid;

    if (any)
        end_saver();

    for (uint32_t i = 0; topomap_keeper.fd >= 0 && i < topomap_keeper.ntasks;
         i++)
        any = any || region_used(i) > 0;
    if (any) {
        if ((pid = fork()) == 0)
            be_the_writer();
        if (pid > 0)
            user_fork_wait(pid, WRITE_SECONDS);
    }
    if (topomap_keeper.fd >= 0)
        close(topomap_keeper.fd);
    user_fork_forget(&topomap_keeper.user);
    topomap_keeper.fd = -1;
}
