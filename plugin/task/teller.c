/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* teller.c - a line a task in memory that slurmstepd maps and its tasks
 * inherit, written when they have ended: a launch waits for no storage, and
 * slurmstepd, which is root, neither reads nor writes it */
#include "config.h"

#include "plugin/task/teller.h"

#include "launch/told_cpus.h"
#include "plugin/handoff/handoff.h"
#include "plugin/task/affinity.h"
#include "plugin/task/user_fork.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* srun is told of the last task's end when the hook has returned. */
#define WRITE_SECONDS 0.5

typedef char told_line[TOLD_CPUS_LINE];

/* slurmstepd's own; a task is a fork of it. */
static struct {
    told_line *lines; /* [ntasks]; NULL: nobody asks */
    uint32_t ntasks, nended;
    struct user_fork user;
    char folder[PATH_MAX], name[32];
} topomap_teller;

void teller_open(spank_t spank)
{
    uint32_t node, ntasks;
    void *lines;

    if (topomap_teller.lines || !user_fork_is_told(spank) ||
        spank_getenv(spank, handoff_names[HANDOFF_CPUS], topomap_teller.folder,
                     sizeof(topomap_teller.folder)) != ESPANK_SUCCESS ||
        topomap_teller.folder[0] != '/' ||
        spank_get_item(spank, S_JOB_NODEID, &node) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_LOCAL_TASK_COUNT, &ntasks) !=
            ESPANK_SUCCESS ||
        ntasks == 0 || !user_fork_know(&topomap_teller.user, spank))
        return;
    lines = mmap(NULL, ntasks * sizeof(told_line), PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (lines == MAP_FAILED)
        return;
    snprintf(topomap_teller.name, sizeof(topomap_teller.name),
             TOLD_CPUS_FILE "%" PRIu32, node);
    topomap_teller.nended = 0;
    topomap_teller.ntasks = ntasks;
    topomap_teller.lines = lines;
}

void teller_tell(uint32_t local, uint32_t rank)
{
    char *mask = NULL;
    told_line line;
    int n;

    if (!topomap_teller.lines || local >= topomap_teller.ntasks ||
        affinity_current(&mask, NULL) < 0)
        return;
    n = snprintf(line, sizeof(line), "%" PRIu32 " %s\n", rank, mask);
    if (n > 0 && (size_t)n < sizeof(line))
        memcpy(topomap_teller.lines[local], line, (size_t)n + 1);
    free(mask);
}

/* In the fork, into a folder that nobody but the user can write to. */
static void be_the_writer(void)
{
    struct stat st;
    int folder, out;

    user_fork_begin(&topomap_teller.user, NULL, 0);
    folder = open(topomap_teller.folder,
                  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0 || fstat(folder, &st) < 0 ||
        st.st_uid != topomap_teller.user.uid || (st.st_mode & 022))
        _exit(1);
    out = openat(folder, topomap_teller.name,
                 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    for (uint32_t i = 0; out >= 0 && i < topomap_teller.ntasks; i++) {
        const char *line = topomap_teller.lines[i];
        const size_t n = strnlen(line, TOLD_CPUS_LINE);

        /* What is cut short is told by its missing end. */
        if (n > 0 && write(out, line, n) != (ssize_t)n)
            break;
    }
    _exit(out >= 0 && close(out) == 0 ? 0 : 1);
}

void teller_task_ended(void)
{
    if (topomap_teller.lines &&
        ++topomap_teller.nended >= topomap_teller.ntasks)
        teller_close();
}

void teller_close(void)
{
    pid_t pid;

    if (!topomap_teller.lines)
        return;
    if ((pid = fork()) == 0)
        be_the_writer();
    if (pid > 0)
        user_fork_wait(pid, WRITE_SECONDS);
    munmap(topomap_teller.lines, topomap_teller.ntasks * sizeof(told_line));
    topomap_teller.lines = NULL;
    user_fork_forget(&topomap_teller.user);
}
