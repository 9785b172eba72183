/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* user_fork.c - from slurmstepd, which is root and has threads, to a process
 * that is the user's and only writes */
#include "config.h"

#include "plugin/task/user_fork.h"

#include "plugin/handoff/handoff.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

bool user_fork_is_told(spank_t spank)
{
    char text[1024];
    struct handoff handoff;
    uint32_t job, step;

    return spank_getenv(spank, handoff_names[HANDOFF_STEP], text,
                        sizeof(text)) == ESPANK_SUCCESS &&
           spank_get_item(spank, S_JOB_ID, &job) == ESPANK_SUCCESS &&
           spank_get_item(spank, S_JOB_STEPID, &step) == ESPANK_SUCCESS &&
           handoff_parse(&handoff, text, job, step);
}

bool user_fork_know(struct user_fork *out, spank_t spank)
{
    gid_t *groups = NULL;
    int ngroups = 0;

    if (spank_get_item(spank, S_JOB_UID, &out->uid) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_GID, &out->gid) != ESPANK_SUCCESS)
        return false;
    if (spank_get_item(spank, S_JOB_SUPPLEMENTARY_GIDS, &groups, &ngroups) ==
            ESPANK_SUCCESS &&
        ngroups > 0 &&
        (out->groups = malloc((size_t)ngroups * sizeof(*groups)))) {
        memcpy(out->groups, groups, (size_t)ngroups * sizeof(*groups));
        out->ngroups = ngroups;
    }
    return true;
}

void user_fork_forget(struct user_fork *user)
{
    free(user->groups);
    user->groups = NULL;
    user->ngroups = 0;
}

static bool become_user(const struct user_fork *user)
{
    uid_t real, effective, saved;

    if (geteuid() != 0 && seteuid(0) < 0 && errno != EPERM)
        return false;
    if (geteuid() == 0 &&
        (syscall(SYS_setgroups, (size_t)user->ngroups, user->groups) < 0 ||
         syscall(SYS_setresgid, user->gid, user->gid, user->gid) < 0 ||
         syscall(SYS_setresuid, user->uid, user->uid, user->uid) < 0))
        return false;
    return getresuid(&real, &effective, &saved) == 0 && real == user->uid &&
           effective == user->uid && saved == user->uid;
}

void user_fork_begin(const struct user_fork *user, const int *keep, size_t n)
{
    const int first = 3, end = first + (int)n;
    int moved[4];
    sigset_t none;

    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    /* None of them may be where another one goes. */
    for (size_t i = 0; i < n; i++)
        if (n > sizeof(moved) / sizeof(moved[0]) ||
            (moved[i] = fcntl(keep[i], F_DUPFD, end)) < 0)
            _exit(1);
    for (size_t i = 0; i < n; i++)
        if (dup2(moved[i], first + (int)i) < 0)
            _exit(1);
    /* Whatever hangs here must not keep open what others wait for. */
    close(0), close(1), close(2);
#ifdef SYS_close_range
    if (syscall(SYS_close_range, (unsigned)end, ~0U, 0U) < 0)
#endif
        for (int other = end; other < 4096; other++)
            close(other);
    if (!become_user(user))
        _exit(1);
}

int user_fork_folder(const char *path)
{
    const int folder =
        open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;

    if (folder < 0 || (fstat(folder, &st) == 0 && st.st_uid == geteuid() &&
                       !(st.st_mode & (S_IWGRP | S_IWOTH))))
        return folder;
    close(folder);
    return -1;
}

/* Not snprintf, which may want locks of others. */
void user_fork_number(char *out, uint32_t number)
{
    char digits[11], *digit = digits + sizeof(digits) - 1;

    *digit = '\0';
    for (; number > 0 || !*digit; number /= 10)
        *--digit = (char)('0' + number % 10);
    stpcpy(out, digit);
}

bool user_file_open(struct user_file *out,
                    int folder,
                    const char *name,
                    const char *end)
{
    out->folder = folder;
    stpcpy(stpcpy(out->name, name), end);
    user_fork_number(stpcpy(stpcpy(out->part, out->name), ".part-"),
                     (uint32_t)getpid());
    out->fd =
        openat(folder, out->part,
               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    return out->fd >= 0;
}

bool user_file_write(struct user_file *file, const void *bytes, size_t n)
{
    ssize_t put;

    for (size_t done = 0; done < n; done += (size_t)put)
        if ((put = write(file->fd, (const char *)bytes + done, n - done)) <= 0)
            return false;
    return true;
}

bool user_file_close(struct user_file *file, bool is_whole)
{
    if (close(file->fd) == 0 && is_whole &&
        renameat(file->folder, file->part, file->folder, file->name) == 0)
        return true;
    unlinkat(file->folder, file->part, 0);
    return false;
}

bool user_fork_has_ended(pid_t pid)
{
    pid_t ended = waitpid(pid, NULL, WNOHANG);

    return ended == pid || (ended < 0 && errno == ECHILD);
}

static double now(void)
{
    struct timespec at;

    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

void user_fork_wait(pid_t pid, double seconds)
{
    struct timespec pause = {.tv_nsec = 1000000};
    const double until = now() + seconds;

    while (!user_fork_has_ended(pid)) {
        if (now() > until) {
            kill(pid, SIGKILL);
            break;
        }
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 50000000)
            pause.tv_nsec *= 2;
    }
    user_fork_has_ended(pid);
}
