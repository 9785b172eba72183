/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* keeper.c - a file in memory, a region of it a task (launch/kept.h). It has no
 * name, so that no stranger finds it and none is left behind, and slurmstepd
 * has it open: it outlives the tasks, and goes with the step */
#include "config.h"

#include "plugin/task/keeper.h"

#include "launch/kept.h"
#include "plugin/handoff/handoff.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Slurm waits for the last task's hook, and srun for Slurm. */
#define WRITE_SECONDS 10
/* More than any shell script's own descriptors, and less than any limit. */
#define HIGH_DESCRIPTOR 100

/* slurmstepd's own; a task is a fork of it. */
static struct {
    int fd; /* -1: nothing is kept */
    uint32_t ntasks, nended;
    uid_t uid;
    gid_t gid;
    gid_t *groups;
    int ngroups;
    char spool[PATH_MAX], part[32], name[32];
} topomap_keeper = {.fd = -1};

static bool is_recorded(spank_t spank, char *spool, size_t size)
{
    char text[1024], recorder[8];
    struct handoff handoff;
    uint32_t job, step;
    spank_err_t found;

    if (spank_getenv(spank, handoff_names[HANDOFF_STEP], text, sizeof(text)) !=
            ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_ID, &job) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_STEPID, &step) != ESPANK_SUCCESS ||
        !handoff_parse(&handoff, text, job, step))
        return false;
    found = spank_getenv(spank, handoff_names[HANDOFF_RECORDER], recorder,
                         sizeof(recorder));
    return (found == ESPANK_SUCCESS || found == ESPANK_NOSPACE) &&
           spank_getenv(spank, handoff_names[HANDOFF_SPOOL], spool,
                        (int)size) == ESPANK_SUCCESS &&
           spool[0] == '/';
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

void keeper_open(spank_t spank)
{
    uint32_t node;
    gid_t *groups = NULL;
    int ngroups = 0;

    if (topomap_keeper.fd >= 0 ||
        !is_recorded(spank, topomap_keeper.spool,
                     sizeof(topomap_keeper.spool)) ||
        spank_get_item(spank, S_JOB_NODEID, &node) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_LOCAL_TASK_COUNT, &topomap_keeper.ntasks) !=
            ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_UID, &topomap_keeper.uid) !=
            ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_GID, &topomap_keeper.gid) !=
            ESPANK_SUCCESS ||
        topomap_keeper.ntasks == 0)
        return;
    if (spank_get_item(spank, S_JOB_SUPPLEMENTARY_GIDS, &groups, &ngroups) ==
            ESPANK_SUCCESS &&
        ngroups > 0 &&
        (topomap_keeper.groups = malloc((size_t)ngroups * sizeof(*groups)))) {
        memcpy(topomap_keeper.groups, groups,
               (size_t)ngroups * sizeof(*groups));
        topomap_keeper.ngroups = ngroups;
    }
    snprintf(topomap_keeper.part, sizeof(topomap_keeper.part),
             "node-%" PRIu32 ".part", node);
    snprintf(topomap_keeper.name, sizeof(topomap_keeper.name),
             "node-%" PRIu32 ".kept", node);
    topomap_keeper.nended = 0;
    topomap_keeper.fd = make_file(topomap_keeper.ntasks);
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

/* ---- in a fork, which has only the calls that a signal handler has: other
 * threads of slurmstepd may hold the locks of the rest */

static bool become_user(void)
{
    uid_t real, effective, saved;

    if (geteuid() != 0 && seteuid(0) < 0 && errno != EPERM)
        return false;
    if (geteuid() == 0 &&
        (syscall(SYS_setgroups, (size_t)topomap_keeper.ngroups,
                 topomap_keeper.groups) < 0 ||
         syscall(SYS_setresgid, topomap_keeper.gid, topomap_keeper.gid,
                 topomap_keeper.gid) < 0 ||
         syscall(SYS_setresuid, topomap_keeper.uid, topomap_keeper.uid,
                 topomap_keeper.uid) < 0))
        return false;
    return getresuid(&real, &effective, &saved) == 0 &&
           real == topomap_keeper.uid && effective == topomap_keeper.uid &&
           saved == topomap_keeper.uid;
}

/* How much of the region of a task is to be written; 0: nothing. */
static uint64_t region_used(uint32_t task)
{
    struct kept_head head;

    if (pread(topomap_keeper.fd, &head, sizeof(head),
              (off_t)(task * KEPT_REGION)) != (ssize_t)sizeof(head) ||
        head.magic != KEPT_MAGIC || head.state != KEPT_COUNTING ||
        head.used < sizeof(head) || head.used > KEPT_REGION)
        return 0;
    return head.used;
}

static bool copy_region(int out, uint32_t task, uint64_t used)
{
    static char bytes[1 << 16];
    const uint64_t from = task * KEPT_REGION;

    for (uint64_t at = 0; at < used;) {
        size_t n = used - at < sizeof(bytes) ? used - at : sizeof(bytes);
        ssize_t got = pread(topomap_keeper.fd, bytes, n, (off_t)(from + at));
        if (got <= 0)
            return false;
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

/* The file has its name when it is whole. */
static bool write_regions(void)
{
    int folder = open(topomap_keeper.spool,
                      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int out = -1;
    bool whole = folder >= 0;

    for (uint32_t i = 0; whole && i < topomap_keeper.ntasks; i++) {
        uint64_t used = region_used(i);
        if (used == 0)
            continue;
        if (out < 0)
            out = openat(folder, topomap_keeper.part,
                         O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                         0600);
        whole = out >= 0 && copy_region(out, i, used);
    }
    if (out < 0)
        return whole;
    if (close(out) == 0 && whole &&
        renameat(folder, topomap_keeper.part, folder, topomap_keeper.name) == 0)
        return true;
    unlinkat(folder, topomap_keeper.part, 0);
    return false;
}

static void be_the_writer(void)
{
    sigset_t none;

    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    /* Whatever hangs here must not keep open what others wait for. */
    if (dup2(topomap_keeper.fd, 3) < 0)
        _exit(1);
    topomap_keeper.fd = 3;
    close(0), close(1), close(2);
#ifdef SYS_close_range
    if (syscall(SYS_close_range, 4U, ~0U, 0U) < 0)
#endif
        for (int fd = 4; fd < 4096; fd++)
            close(fd);
    _exit(become_user() && write_regions() ? 0 : 1);
}

/* ---- in slurmstepd */

static bool has_ended(pid_t pid)
{
    pid_t ended = waitpid(pid, NULL, WNOHANG);

    return ended == pid || (ended < 0 && errno == ECHILD);
}

static void wait_for(pid_t pid)
{
    struct timespec pause = {.tv_nsec = 1000000};
    struct timespec now, until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += WRITE_SECONDS;
    while (!has_ended(pid)) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec > until.tv_sec ||
            (now.tv_sec == until.tv_sec && now.tv_nsec > until.tv_nsec)) {
            kill(pid, SIGKILL);
            break;
        }
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 50000000)
            pause.tv_nsec *= 2;
    }
    has_ended(pid);
}

void keeper_task_ended(void)
{
    if (topomap_keeper.fd >= 0 &&
        ++topomap_keeper.nended >= topomap_keeper.ntasks)
        keeper_close();
}

void keeper_close(void)
{
    bool any = false;
    pid_t pid;

    for (uint32_t i = 0; topomap_keeper.fd >= 0 && i < topomap_keeper.ntasks;
         i++)
        any = any || region_used(i) > 0;
    if (any) {
        if ((pid = fork()) == 0)
            be_the_writer();
        if (pid > 0)
            wait_for(pid);
    }
    if (topomap_keeper.fd >= 0)
        close(topomap_keeper.fd);
    free(topomap_keeper.groups);
    topomap_keeper.groups = NULL;
    topomap_keeper.ngroups = 0;
    topomap_keeper.fd = -1;
}
