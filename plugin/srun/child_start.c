/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* child_start.c - a process beside srun, and the ends of what connects them */
#include "config.h"

#include "plugin/srun/child.h"

#include "base/error_set.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
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

/* What its signals did in srun they do not in a program. */
static void reset_signals(void)
{
    const struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t none;

    for (int i = 1; i < NSIG; i++)
        sigaction(i, &action, NULL);
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void answer(const struct child_question *question)
{
    struct mapcore_error err = {.text = ""};
    FILE *out;
    int error;

    answering = true;
    out = fdopen(STDOUT_FILENO, "w");
    error = out ? question->answer(out, question->subject, &err) : MAPCORE_EIO;
    if (error < 0)
        child_asks(err.text);
    _exit(out && fflush(out) == 0 && error == 0 ? 0 : 1);
}

/* argv is not written to: execve only lacks the const. */
static _Noreturn void execute(const char *const *argv)
{
    char refusal[] = {CHILD_REFUSED, 0};
    ssize_t ignored;

    execve(argv[0], (char *const *)(uintptr_t)argv, environ);
    refusal[1] = (char)errno;
    ignored = write(STDERR_FILENO, refusal, sizeof(refusal));
    (void)ignored;
    _exit(127);
}

/* In a fork, whose other threads are not there, and what they have locked
 * remains so: before a program runs only what signal handlers may call is
 * called; a function has its deadline. In a group of its own, so that what it
 * starts can be ended with it. Nothing of srun's stays open, for a process that
 * waits for a file system cannot be killed: it would keep the job, and the
 * reader of what srun prints, as long as it lives. */
static _Noreturn void run(const struct child_question *question,
                          int its_end,
                          int stderr_file)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    reset_signals();
    dup2(its_end, STDIN_FILENO);
    dup2(its_end, STDOUT_FILENO);
    dup2(stderr_file, STDERR_FILENO);
    close_from(STDERR_FILENO + 1);
    if (question->answer)
        answer(question);
    execute(question->argv);
}

/* Not posix_spawn, which waits until the program's file has been opened. No
 * signal finds srun's handlers in the fork. */
static int fork_child(struct child_process *child,
                      const struct child_question *question,
                      int its_end)
{
    sigset_t all, mask;
    int error;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mask);
    child->pid = fork();
    error = errno;
    if (child->pid == 0)
        run(question, its_end, child->stderr_file);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    if (child->pid < 0)
        return error;
    setpgid(child->pid, child->pid);
    return 0;
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
        error = fork_child(child, question, ends[1]);
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
