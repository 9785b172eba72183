/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mpi_run.c - srun, run and listened to on both its streams: what it says of a
 * launch that fails is what a person must read */
#include "config.h"

#include "tools/doctor/trial.h"

#include "base/file_read.h"
#include "tools/common/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

#define MOST ((size_t)1 << 20)

enum { WORDS_MOST = 30 };

static int spawn(pid_t *pid, char *const words[], int out, int said)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    int error;

    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
                                     O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, said, STDERR_FILENO);
    /* Ours ignores these; others must not inherit that. */
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    error = posix_spawnp(pid, words[0], &actions, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* srun: job 12 queued and waiting for resources */
static void show_waiting(const struct buffer *said, size_t from)
{
    const char *line = said->n > from
                           ? strstr(said->bytes + from, "queued and waiting")
                           : NULL;

    if (!line)
        return;
    while (line > said->bytes && line[-1] != '\n')
        line--;
    tool_note("%.*s", (int)strcspn(line, "\n"), line);
}

/* Milliseconds until then, for poll(); -1: there is no end. */
static int milliseconds_to(double end)
{
    double left = end > 0 ? (end - tool_now()) * 1e3 : -1;

    return end > 0 ? (left > 0 ? (int)left + 1 : 0) : -1;
}

/* Both streams, until both are closed. end: by tool_now(); 0: none. */
static int listen_to(struct command_trial *run,
                     const char *name,
                     double end,
                     int out,
                     int said,
                     struct mapcore_error *err)
{
    struct pollfd ready[2] = {{.fd = out, .events = POLLIN},
                              {.fd = said, .events = POLLIN}};
    struct buffer *const into[2] = {&run->out, &run->said};

    while (ready[0].fd >= 0 || ready[1].fd >= 0) {
        int n = poll(ready, 2, milliseconds_to(end));

        if (n < 0 && errno != EINTR)
            return error_set(err, MAPCORE_EIO, "poll: %s", strerror(errno));
        if (n == 0)
            return error_set(err, MAPCORE_EIO, "%s does not end", name);
        for (int i = 0; i < 2; i++) {
            size_t from = into[i]->n;
            bool more = true;
            int error;

            if (ready[i].fd < 0 || ready[i].revents == 0)
                continue;
            error =
                file_read_some(into[i], &more, ready[i].fd, name, MOST, err);
            if (error < 0)
                return error;
            if (!more)
                ready[i].fd = -1;
            else if (i == 1)
                show_waiting(into[i], from);
        }
    }
    return 0;
}

static int open_pipes(int ends[4], struct mapcore_error *err)
{
    if (pipe2(ends, O_CLOEXEC) != 0)
        return error_set(err, MAPCORE_EIO, "cannot make a pipe: %s",
                         strerror(errno));
    if (pipe2(ends + 2, O_CLOEXEC) != 0) {
        close(ends[0]);
        close(ends[1]);
        return error_set(err, MAPCORE_EIO, "cannot make a pipe: %s",
                         strerror(errno));
    }
    return 0;
}

/* One that is killed may hang all the same, in storage that does not answer:
 * it is left to init then. */
static void end_child(pid_t pid)
{
    const struct timespec pause = {.tv_nsec = 10000000};

    kill(pid, SIGKILL);
    for (int i = 0; i < 20 && waitpid(pid, NULL, WNOHANG) == 0; i++)
        nanosleep(&pause, NULL);
}

int trial_run(struct command_trial *out,
              double seconds,
              char *const words[],
              struct mapcore_error *err)
{
    double end = seconds > 0 ? tool_now() + seconds : 0;
    struct command_trial run = {0};
    int ends[4], error;
    pid_t pid;

    if ((error = open_pipes(ends, err)) < 0)
        return error;
    error = spawn(&pid, words, ends[1], ends[3]);
    close(ends[1]);
    close(ends[3]);
    if (error != 0) {
        error = error_set(err, MAPCORE_EIO, "cannot run %s: %s", words[0],
                          strerror(error));
    } else {
        error = listen_to(&run, words[0], end, ends[0], ends[2], err);
        if (error < 0 && end > 0) {
            end_child(pid);
        } else {
            if (error < 0)
                kill(pid, SIGTERM);
            while (waitpid(pid, &run.status, 0) < 0 && errno == EINTR)
                ;
        }
    }
    close(ends[0]);
    close(ends[2]);
    if (error < 0) {
        trial_clear(&run);
        return error;
    }
    *out = run;
    return 0;
}

int trial_words(struct command_trial *out,
                double seconds,
                struct mapcore_error *err,
                const char *command,
                ...)
{
    char *words[WORDS_MOST + 1];
    const char *word = command;
    va_list args;
    size_t n = 0;

    va_start(args, command);
    /* posix_spawn() changes none of them. */
    for (; word && n < WORDS_MOST; word = va_arg(args, const char *))
        words[n++] = (char *)(uintptr_t)word;
    va_end(args);
    words[n] = NULL;
    return trial_run(out, seconds, words, err);
}

bool trial_is_good(const struct command_trial *run)
{
    return WIFEXITED(run->status) && WEXITSTATUS(run->status) == 0;
}

const char *trial_last_line(size_t *n, const struct command_trial *run)
{
    static const char own[] = "topomap: ";
    const struct buffer *text = run->said.n > 0 ? &run->said : &run->out;
    size_t end = text->n, start;

    while (end > 0 && text->bytes[end - 1] == '\n')
        end--;
    for (start = end; start > 0 && text->bytes[start - 1] != '\n';)
        start--;
    if (end - start > sizeof(own) - 1 &&
        strncmp(text->bytes + start, own, sizeof(own) - 1) == 0)
        start += sizeof(own) - 1;
    *n = end - start;
    return text->bytes ? text->bytes + start : "";
}

void trial_clear(struct command_trial *run)
{
    buffer_clear(&run->out);
    buffer_clear(&run->said);
    *run = (struct command_trial){0};
}
