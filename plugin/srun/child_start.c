/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* child_start.c - a process beside srun, and the ends of what connects them */
#include "config.h"

#include "plugin/srun/child_start.h"

#include "base/error_set.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

extern char **environ;

/* Above stderr, so that dup2 in the child cannot hit it. */
static int dup_high(int fd)
{
    int high = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;

    if (fd >= 0)
        close(fd);
    return high;
}

/* Cannot grow, so that a child cannot fill srun's memory with complaints. */
static int make_stderr_file(void)
{
    int fd = dup_high(memfd_create("topomap", MFD_CLOEXEC | MFD_ALLOW_SEALING));

    if (fd >= 0 && (ftruncate(fd, CHILD_STDERR_MOST) < 0 ||
                    fcntl(fd, F_ADD_SEALS, F_SEAL_GROW) < 0)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static int add_descriptors(posix_spawn_file_actions_t *actions,
                           int answer,
                           int stderr_file)
{
    int error;

    if ((error = posix_spawn_file_actions_adddup2(actions, answer, 0)) ||
        (error = posix_spawn_file_actions_adddup2(actions, answer, 1)) ||
        (error = posix_spawn_file_actions_adddup2(actions, stderr_file, 2)))
        return error;
        /* srun keeps one open whose closing ends the job; a child that held it
         * would outlive a killed srun together with the job. */
#if defined(__GLIBC_PREREQ) && __GLIBC_PREREQ(2, 34)
    return posix_spawn_file_actions_addclosefrom_np(actions, 3);
#else
    for (int fd = 3; error == 0 && fd < 1024; fd++)
        error = posix_spawn_file_actions_addclose(actions, fd);
    return error;
#endif
}

/* In a fork. */
static void close_from(int first)
{
#if defined(__GLIBC_PREREQ) && __GLIBC_PREREQ(2, 34)
    closefrom(first);
#else
    for (int fd = first; fd < 1024; fd++)
        close(fd);
#endif
}

/* A group of its own, so that what it starts can be ended with it. */
static int set_attributes(posix_spawnattr_t *attributes)
{
    const short flags =
        POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP;
    sigset_t all, none;
    int error;

    sigfillset(&all);
    sigemptyset(&none);
    if ((error = posix_spawnattr_setsigdefault(attributes, &all)) ||
        (error = posix_spawnattr_setsigmask(attributes, &none)) ||
        (error = posix_spawnattr_setpgroup(attributes, 0)))
        return error;
    return posix_spawnattr_setflags(attributes, flags);
}

/* argv is not written to: POSIX only lacks the const. */
static int spawn(struct child_process *child,
                 const char *const *argv,
                 int its_end)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error;

    if ((error = posix_spawn_file_actions_init(&actions)))
        return error;
    if ((error = posix_spawnattr_init(&attributes))) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    if (!(error = add_descriptors(&actions, its_end, child->stderr_file)) &&
        !(error = set_attributes(&attributes)))
        error = posix_spawn(&child->pid, argv[0], &actions, &attributes,
                            (char *const *)(uintptr_t)argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* The fork that answers; never set in srun itself. */
static bool answering;

void child_asks(const char *name)
{
    char line[CHILD_STDERR_MOST];
    int n = snprintf(line, sizeof(line), "%s\n", name);

    /* Over what was asked before: the first line is the one that counts. */
    if (answering && n > 0)
        n = (int)pwrite(STDERR_FILENO, line,
                        (size_t)n < sizeof(line) ? (size_t)n : sizeof(line) - 1,
                        0);
}

/* The other threads of srun are not there, and what they have locked remains
 * so: the deadline sees to that. Nothing of srun's stays open, for a process
 * that waits for a file system cannot be killed: it would keep the job, and
 * whoever reads what srun prints, as long as it lives. */
static int fork_answer(struct child_process *child,
                       const struct child_question *question,
                       int its_end)
{
    struct mapcore_error err = {.text = ""};
    FILE *out;
    int error;

    if ((child->pid = fork()) != 0)
        return child->pid < 0 ? errno : 0;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(its_end, STDIN_FILENO);
    dup2(its_end, STDOUT_FILENO);
    dup2(child->stderr_file, STDERR_FILENO);
    close_from(STDERR_FILENO + 1);
    answering = true;
    out = fdopen(STDOUT_FILENO, "w");
    error = out ? question->answer(out, question->subject, &err) : MAPCORE_EIO;
    if (error < 0)
        child_asks(err.text);
    _exit(out && fflush(out) == 0 && error == 0 ? 0 : 1);
}

int child_start(struct child_process *child,
                const struct child_question *question,
                struct mapcore_error *err)
{
    int ends[2] = {-1, -1}, error = 0;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        error = errno;
    child->answer = dup_high(ends[0]);
    ends[1] = dup_high(ends[1]);
    child->stderr_file = make_stderr_file();
    if (error == 0 &&
        (child->answer < 0 || ends[1] < 0 || child->stderr_file < 0))
        error = EMFILE;
    if (error == 0)
        error = question->answer ? fork_answer(child, question, ends[1])
                                 : spawn(child, question->argv, ends[1]);
    if (ends[1] >= 0)
        close(ends[1]);
    if (error)
        return error_set(err, MAPCORE_ENOENT, "%s cannot be started: %s",
                         question->answer ? "a look at files"
                                          : question->argv[0],
                         strerror(error));
    fcntl(child->answer, F_SETFL, O_NONBLOCK);
    return 0;
}
