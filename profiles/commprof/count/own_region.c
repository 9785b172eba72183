/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* own_region.c - memory without a name, and a process that outlives this one.
 * It is another program, not a copy that stays: a copy would hold what the task
 * had in MPI_Init a second time */
#include "config.h"

#include "commprof/count/keep.h"

#include "commprof/forked.h"
#include "launch/kept.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* More than any program's own descriptors, as in slurmstepd. */
enum { HIGH_DESCRIPTOR = 100, NUMBER_SIZE = 24 };

/* Only its size is sealed: the task fills it. */
static int make_file(void)
{
    int low = (int)syscall(SYS_memfd_create, "topomap",
                           MFD_CLOEXEC | MFD_ALLOW_SEALING);
    int fd;

    if (low < 0)
        return -1;
    fd = fcntl(low, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
    if (fd < 0)
        fd = low;
    else
        close(low);
    if (ftruncate(fd, (off_t)KEPT_REGION) < 0 ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* In the child: system calls alone, for other threads may hold any lock. */
static _Noreturn void be_the_keeper(char *const *argv, int region)
{
    static char *const nothing[] = {NULL};
    int null;

    setsid();
    null = open("/dev/null", O_RDWR);
    for (int fd = 0; null >= 0 && fd < OWN_REGION_FD; fd++)
        dup2(null, fd);
    if (dup2(region, OWN_REGION_FD) < 0)
        _exit(1);
    forked_close(OWN_REGION_FD + 1);
    execve(argv[0], argv, nothing);
    _exit(1);
}

/* The keeper is in a session of its own before this task goes on: a launcher
 * may end the task's group at any time. */
static int start(char *const *argv, int region)
{
    const pid_t pid = forked_start(CLONE_VFORK);

    if (pid == 0)
        be_the_keeper(argv, region);
    return pid > 0 ? 0 : -1;
}

const char *own_region_make(char *out,
                            size_t size,
                            const char *keeper,
                            const char *spool,
                            uint32_t rank,
                            uint32_t seconds)
{
    char number[3][NUMBER_SIZE], path[2][4096];
    char *const argv[] = {path[0],   path[1],   number[0],
                          number[1], number[2], NULL};
    const char *made = NULL;
    struct stat st;
    int fd;

    if (snprintf(path[0], sizeof(path[0]), "%s", keeper) >=
            (int)sizeof(path[0]) ||
        snprintf(path[1], sizeof(path[1]), "%s", spool) >=
            (int)sizeof(path[1]) ||
        access(keeper, X_OK) < 0 || (fd = make_file()) < 0)
        return NULL;
    snprintf(number[0], NUMBER_SIZE, "%u", (unsigned)rank);
    snprintf(number[1], NUMBER_SIZE, "%ld", (long)getpid());
    snprintf(number[2], NUMBER_SIZE, "%u", (unsigned)seconds);
    if (fstat(fd, &st) == 0 && start(argv, fd) == 0 &&
        snprintf(out, size, "%d 0 %llu %llu", fd, (unsigned long long)st.st_dev,
                 (unsigned long long)st.st_ino) < (int)size)
        made = out;
    if (!made)
        close(fd);
    return made;
}
