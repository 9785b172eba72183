/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* process.c - other programs, by posix_spawn, which does not copy this process:
 * a network card may know its memory page by page */
#include "config.h"

#include "base/process.h"

#include "base/error_set.h"
#include "base/file_read.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* A process that is killed may hang all the same, in storage that does not
 * answer: after this it is left to init. */
#define KILLED_SECONDS 0.2

double process_clock(void)
{
    struct timespec at;

    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static void set_stream(posix_spawn_file_actions_t *actions, int fd, int stream)
{
    if (fd >= 0)
        posix_spawn_file_actions_adddup2(actions, fd, stream);
    else
        posix_spawn_file_actions_addopen(actions, stream, "/dev/null", O_RDWR,
                                         0);
}

int process_start(pid_t *pid,
                  const struct process *process,
                  struct mapcore_error *err)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults, mask;
    int error;

    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    set_stream(&actions, process->in, STDIN_FILENO);
    set_stream(&actions, process->out, STDOUT_FILENO);
    set_stream(&actions, process->err, STDERR_FILENO);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGXFSZ);
    sigaddset(&defaults, SIGCHLD);
    sigemptyset(&mask);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setsigmask(&attributes, &mask);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes,
        (short)(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                (process->leads_group ? POSIX_SPAWN_SETPGROUP : 0)));
    /* posix_spawn only lacks the const. */
    error = posix_spawnp(pid, process->words[0], &actions, &attributes,
                         (char *const *)(uintptr_t)process->words,
                         process->environment ? process->environment : environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error == 0 ? 0
                      : error_set(err, MAPCORE_EIO, "cannot run %s: %s",
                                  process->words[0], strerror(error));
}

/* Milliseconds until then, for poll(); -1: there is no end. */
static int milliseconds_to(double end)
{
    const double left = end > 0 ? (end - process_clock()) * 1e3 : 0;

    return end > 0 ? (left > 0 ? (int)left + 1 : 0) : -1;
}

/* Both streams, until both are closed. */
static int read_streams(struct process_output *out,
                        const int fd[2],
                        const char *name,
                        const struct process_listener *listener,
                        double end,
                        struct mapcore_error *err)
{
    struct pollfd ready[2] = {{.fd = fd[0], .events = POLLIN},
                              {.fd = fd[1], .events = POLLIN}};
    struct buffer *const into[2] = {&out->out, &out->said};

    while (ready[0].fd >= 0 || ready[1].fd >= 0) {
        int n = poll(ready, 2, milliseconds_to(end));

        if (n < 0 && errno != EINTR)
            return error_set(err, MAPCORE_EIO, "poll: %s", strerror(errno));
        if (n == 0)
            return error_set(err, MAPCORE_EIO, "%s does not end", name);
        for (int i = 0; n > 0 && i < 2; i++) {
            const size_t from = into[i]->n;
            bool more = true;
            int error;

            if (ready[i].fd < 0 || ready[i].revents == 0)
                continue;
            error = file_read_some(into[i], &more, ready[i].fd, name,
                                   listener->most, err);
            if (error < 0)
                return error == MAPCORE_ERANGE
                           ? error_set(err, MAPCORE_EIO,
                                       "%s answers without end", name)
                           : error;
            if (!more)
                ready[i].fd = -1;
            else if (i == 1 && listener->heard)
                listener->heard(into[i], from);
        }
    }
    return 0;
}

/* Whether it has ended by then; end 0: it is waited for. */
static bool reap(int *status, pid_t pid, double end)
{
    pid_t ended;

    *status = 0;
    while ((ended = waitpid(pid, status, end > 0 ? WNOHANG : 0)) == 0 ||
           (ended < 0 && errno == EINTR))
        if (end > 0) {
            if (process_clock() >= end)
                return false;
            poll(NULL, 0, 1);
        }
    return true;
}

static int open_pipes(int fd[4], bool both)
{
    fd[2] = fd[3] = -1;
    if (pipe2(fd, O_CLOEXEC) == 0) {
        if (!both || pipe2(fd + 2, O_CLOEXEC) == 0)
            return 0;
        close(fd[0]);
        close(fd[1]);
    }
    return -1;
}

static void close_pipe(int fd)
{
    if (fd >= 0)
        close(fd);
}

int process_listen(struct process_output *out,
                   const struct process *process,
                   const struct process_listener *listener,
                   struct mapcore_error *err)
{
    const double end =
        listener->seconds > 0 ? process_clock() + listener->seconds : 0;
    struct process child = *process;
    struct process_output said = {0};
    int fd[4], error;
    pid_t pid;

    if (open_pipes(fd, listener->hears_err) < 0)
        return error_set(err, MAPCORE_EIO, "cannot make a pipe: %s",
                         strerror(errno));
    child.out = fd[1];
    child.err = fd[3];
    error = process_start(&pid, &child, err);
    close_pipe(fd[1]);
    close_pipe(fd[3]);
    if (error == 0) {
        const int ours[] = {fd[0], fd[2]};

        error = read_streams(&said, ours, child.words[0], listener, end, err);
        if (error == 0 && !reap(&said.status, pid, end))
            error =
                error_set(err, MAPCORE_EIO, "%s does not end", child.words[0]);
        if (error < 0) {
            kill(pid, end > 0 ? SIGKILL : SIGTERM);
            reap(&said.status, pid,
                 end > 0 ? process_clock() + KILLED_SECONDS : 0);
        }
    }
    close_pipe(fd[0]);
    close_pipe(fd[2]);
    if (error < 0)
        process_output_clear(&said);
    else
        *out = said;
    return error;
}

void process_output_clear(struct process_output *output)
{
    buffer_clear(&output->out);
    buffer_clear(&output->said);
}
