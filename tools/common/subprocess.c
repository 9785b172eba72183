/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* subprocess.c - Slurm's own commands, asked without a shell and not for ever
 */
#include "config.h"

#include "tools/common/subprocess.h"

#include "base/array.h"
#include "base/file_read.h"
#include "tools/common/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define OUTPUT_MAX ((size_t)64 << 20)

/* Starts argv with stdin from in, -1: /dev/null, and stdout in a pipe, of which
 * *fd is our end. */
static int start(pid_t *pid,
                 int *fd,
                 char *const argv[],
                 int in,
                 struct mapcore_error *err)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults, mask;
    int ends[2], error;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return error_set(err, MAPCORE_EIO, "cannot make a pipe: %s",
                         strerror(errno));
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    if (in >= 0)
        posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    else
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
                                         O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
                                     O_WRONLY, 0);
    /* Ours ignores these; others must not inherit that. */
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGXFSZ);
    sigemptyset(&mask);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setsigmask(&attributes, &mask);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    error = posix_spawnp(pid, argv[0], &actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error != 0) {
        close(ends[0]);
        return error_set(err, MAPCORE_EIO, "cannot run %s: %s", argv[0],
                         strerror(error));
    }
    *fd = ends[0];
    return 0;
}

/* Reads all that comes before the deadline. */
static int drain(struct buffer *out,
                 int fd,
                 const char *name,
                 double deadline,
                 size_t most,
                 struct mapcore_error *err)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    bool more = true;
    double left;
    int error = 0;

    while (error == 0 && more) {
        left = deadline - tool_now();
        if (left <= 0)
            return error_set(err, MAPCORE_EIO, "%s does not answer", name);
        if (poll(&ready, 1, (int)(1 + left * 1000)) > 0)
            error = file_read_some(out, &more, fd, name, most, err);
    }
    if (error == MAPCORE_ERANGE)
        error = error_set(err, MAPCORE_EIO, "%s answers without end", name);
    return error;
}

/* Waits for a child that has closed its stdout: it may still linger. */
static int reap(pid_t pid,
                const char *name,
                double deadline,
                struct mapcore_error *err)
{
    int status;
    pid_t ended;

    while ((ended = waitpid(pid, &status, WNOHANG)) == 0 &&
           tool_now() < deadline)
        poll(NULL, 0, 1);
    if (ended == 0) {
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
        return error_set(err, MAPCORE_EIO, "%s does not end", name);
    }
    /* ECHILD: SIGCHLD is ignored, by inheritance; its output has to do. */
    if (ended < 0)
        return 0;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return error_set(err, MAPCORE_EIO, "%s fails", name);
    return 0;
}

int subprocess_filter(char **out,
                      size_t *n,
                      char *const argv[],
                      int in,
                      const struct subprocess_limits *limits,
                      struct mapcore_error *err)
{
    double deadline = tool_now() + limits->seconds;
    struct buffer bytes = {0};
    int fd, error;
    pid_t pid;

    if ((error = start(&pid, &fd, argv, in, err)) < 0)
        return error;
    error = drain(&bytes, fd, argv[0], deadline, limits->bytes, err);
    close(fd);
    if (error < 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    } else {
        error = reap(pid, argv[0], deadline, err);
    }
    if (error == 0) {
        *n = bytes.n;
        *out = buffer_steal(&bytes);
    }
    buffer_clear(&bytes);
    return error;
}

int subprocess_read(char **out,
                    size_t *n,
                    char *const argv[],
                    double seconds,
                    struct mapcore_error *err)
{
    const struct subprocess_limits limits = {seconds, OUTPUT_MAX};

    return subprocess_filter(out, n, argv, -1, &limits, err);
}

int subprocess_slurm_topology(struct mapcore_topo **out,
                              const char *name,
                              double seconds,
                              struct mapcore_error *err)
{
    char command[] = "scontrol", show[] = "show", topology[] = "topology";
    char *own = name ? array_copy(name, strlen(name) + 1, 1, err) : NULL;
    char *argv[] = {command, show, topology, own, NULL};
    char *bytes = NULL;
    size_t n;
    int error = name && !own ? MAPCORE_ENOMEM
                             : subprocess_read(&bytes, &n, argv, seconds, err);

    if (error == 0)
        error = mapcore_topo_parse_slurm(out, "scontrol show topology", bytes,
                                         n, err);
    free(bytes);
    free(own);
    return error;
}
