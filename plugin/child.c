/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* child.c - one child process with a deadline, inside srun: whose signals,
 * descriptors and SIGCHLD are not ours */
#include "config.h"

#include "child.h"

#include "base/buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A plan of 16 million ranks, none beside its neighbour, is 200 MB: no launch
 * has come near a quarter of that. */
#define ANSWER_MOST (64U << 20)
/* What is kept of its stderr: one line for the user. */
#define COMPLAINT_MOST 1024
/* Signals are looked at this often, should one slip in before poll() begins. */
#define SLICE_MS 50
/* srun forgets a signal that arrives during this hook; after half a second it
 * has left it. */
#define REPLAY_NS 500000000L

extern char **environ;

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
#define NSIGNALS (sizeof(ending_signals) / sizeof(ending_signals[0]))

/* The last signal that arrived while we waited, 0: none. */
static volatile sig_atomic_t topomap_caught;

struct signal_watch {
    struct sigaction old[NSIGNALS];
    sigset_t mask;
};

struct child {
    pid_t pid;
    int answer;    /* its stdin and stdout, -1: closed */
    int complaint; /* its stderr, -1: closed */
    size_t written;
    struct buffer out;
    char line[COMPLAINT_MOST];
    size_t nline;
    struct timespec deadline;
};

static void note_signal(int number)
{
    topomap_caught = number;
}

static void watch_signals(struct signal_watch *watch)
{
    struct sigaction action = {.sa_handler = note_signal};
    sigset_t ours;

    topomap_caught = 0;
    sigemptyset(&action.sa_mask);
    sigemptyset(&ours);
    for (size_t i = 0; i < NSIGNALS; i++) {
        sigaction(ending_signals[i], NULL, &watch->old[i]);
        /* nohup: what is ignored stays ignored. */
        if (watch->old[i].sa_handler == SIG_IGN)
            continue;
        sigaction(ending_signals[i], &action, NULL);
        sigaddset(&ours, ending_signals[i]);
    }
    pthread_sigmask(SIG_UNBLOCK, &ours, &watch->mask);
}

static void unwatch_signals(const struct signal_watch *watch)
{
    pthread_sigmask(SIG_SETMASK, &watch->mask, NULL);
    for (size_t i = 0; i < NSIGNALS; i++)
        sigaction(ending_signals[i], &watch->old[i], NULL);
}

/* The timer lives as long as srun, which is to end by it. */
static void replay_signal(int number)
{
    struct sigevent event = {
        .sigev_notify = SIGEV_SIGNAL,
        .sigev_signo = number,
    };
    struct itimerspec when = {.it_value = {.tv_nsec = REPLAY_NS}};
    timer_t timer;

    if (number != SIGINT)
        when.it_interval.tv_sec = 1;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
        timer_settime(timer, 0, &when, NULL);
}

static int milliseconds_until(const struct timespec *deadline)
{
    struct timespec now;
    int64_t ms;

    clock_gettime(CLOCK_MONOTONIC, &now);
    ms = (int64_t)(deadline->tv_sec - now.tv_sec) * 1000 +
         (deadline->tv_nsec - now.tv_nsec) / 1000000;
    return ms < 0 ? 0 : ms > 1000000 ? 1000000 : (int)ms;
}

static void set_deadline(struct timespec *deadline, double seconds)
{
    clock_gettime(CLOCK_MONOTONIC, deadline);
    deadline->tv_sec += (time_t)seconds;
    deadline->tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
    if (deadline->tv_nsec >= 1000000000L) {
        deadline->tv_sec++;
        deadline->tv_nsec -= 1000000000L;
    }
}

/* Both ends above stderr, so that dup2 in the child cannot hit one of them. */
static int make_pair(int pair[2])
{
    int raw[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, raw) < 0)
        return -1;
    for (int i = 0; i < 2; i++) {
        pair[i] = fcntl(raw[i], F_DUPFD_CLOEXEC, 3);
        close(raw[i]);
    }
    if (pair[0] >= 0 && pair[1] >= 0)
        return 0;
    for (int i = 0; i < 2; i++)
        if (pair[i] >= 0)
            close(pair[i]);
    return -1;
}

static int add_descriptors(posix_spawn_file_actions_t *actions,
                           int answer,
                           int complaint)
{
    int error;

    if ((error = posix_spawn_file_actions_adddup2(actions, answer, 0)) ||
        (error = posix_spawn_file_actions_adddup2(actions, answer, 1)) ||
        (error = posix_spawn_file_actions_adddup2(actions, complaint, 2)))
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

static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t all, none;
    int error;

    sigfillset(&all);
    sigemptyset(&none);
    if ((error = posix_spawnattr_setsigdefault(attributes, &all)) ||
        (error = posix_spawnattr_setsigmask(attributes, &none)) ||
        (error = posix_spawnattr_setpgroup(attributes, 0)))
        return error;
    return posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF |
                                                    POSIX_SPAWN_SETSIGMASK |
                                                    POSIX_SPAWN_SETPGROUP);
}

static int spawn(pid_t *pid, char *const *argv, int answer, int complaint)
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
    if (!(error = add_descriptors(&actions, answer, complaint)) &&
        !(error = set_attributes(&attributes)))
        error = posix_spawn(pid, argv[0], &actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static int start(struct child *child,
                 const struct child_question *question,
                 struct mapcore_error *err)
{
    int answer[2], complaint[2];
    int error;

    if (make_pair(answer) < 0)
        return error_set(err, MAPCORE_ENOENT, "no socket: %s", strerror(errno));
    if (make_pair(complaint) < 0) {
        close(answer[0]);
        close(answer[1]);
        return error_set(err, MAPCORE_ENOENT, "no socket: %s", strerror(errno));
    }
    error = spawn(&child->pid, question->argv, answer[1], complaint[1]);
    close(answer[1]);
    close(complaint[1]);
    child->answer = answer[0];
    child->complaint = complaint[0];
    fcntl(child->answer, F_SETFL, O_NONBLOCK);
    fcntl(child->complaint, F_SETFL, O_NONBLOCK);
    if (error)
        return error_set(err, MAPCORE_ENOENT, "%s cannot be started: %s",
                         question->argv[0], strerror(error));
    return 0;
}

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void write_input(struct child *child,
                        const struct child_question *question)
{
    ssize_t n = send(child->answer, question->input + child->written,
                     question->ninput - child->written, MSG_NOSIGNAL);

    if (n > 0)
        child->written += (size_t)n;
    else if (n < 0 && errno != EAGAIN && errno != EINTR)
        child->written = question->ninput; /* it does not listen */
    if (child->written == question->ninput)
        shutdown(child->answer, SHUT_WR);
}

static int read_answer(struct child *child, struct mapcore_error *err)
{
    char bytes[65536];
    ssize_t n = read(child->answer, bytes, sizeof(bytes));

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (n <= 0) {
        close_end(&child->answer);
        return 0;
    }
    if (child->out.n + (size_t)n > ANSWER_MOST)
        return error_set(err, MAPCORE_EIO, "topomap's answer is too long");
    return buffer_append(&child->out, err, bytes, (size_t)n);
}

static void read_complaint(struct child *child)
{
    char bytes[COMPLAINT_MOST];
    ssize_t n = read(child->complaint, bytes, sizeof(bytes));
    size_t room = sizeof(child->line) - 1 - child->nline;

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        close_end(&child->complaint);
        return;
    }
    room = room < (size_t)n ? room : (size_t)n;
    memcpy(child->line + child->nline, bytes, room);
    child->nline += room;
}

static bool is_answered(const struct child *child,
                        const struct child_question *question)
{
    const struct buffer *out = &child->out;

    return question->complete && out->n > 0 && out->bytes[out->n - 1] == '\n' &&
           question->complete(out->bytes, out->n) > 0;
}

/* Until the answer is whole, or both ends are closed. */
static int converse(struct child *child,
                    const struct child_question *question,
                    struct mapcore_error *err)
{
    int error = 0;

    while (error == 0 && (child->answer >= 0 || child->complaint >= 0)) {
        struct pollfd ends[2] = {
            {.fd = child->answer, .events = POLLIN},
            {.fd = child->complaint, .events = POLLIN},
        };
        int left = milliseconds_until(&child->deadline);

        if (topomap_caught)
            return error_set(err, MAPCORE_EIO, "a signal came");
        if (left == 0)
            return error_set(err, MAPCORE_EIO,
                             "topomap did not answer within %.3g s",
                             question->seconds);
        if (child->written < question->ninput)
            ends[0].events |= POLLOUT;
        if (poll(ends, 2, left < SLICE_MS ? left : SLICE_MS) <= 0)
            continue;
        if (ends[0].revents & POLLOUT)
            write_input(child, question);
        if (ends[0].revents & (POLLIN | POLLHUP | POLLERR)) {
            error = read_answer(child, err);
            if (error == 0 && is_answered(child, question))
                return 0;
        }
        if (ends[1].revents & (POLLIN | POLLHUP | POLLERR))
            read_complaint(child);
    }
    return error;
}

/* Waits for the end until the deadline, then kills. Returns waitpid's status,
 * 0 when somebody else has taken it (SIGCHLD ignored). */
static int reap(struct child *child, bool kill_now)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    int status = 0;

    for (;;) {
        pid_t done;

        if (kill_now || topomap_caught ||
            milliseconds_until(&child->deadline) == 0)
            /* Its own group: also what it has started. */
            if (kill(-child->pid, SIGKILL) < 0)
                kill(child->pid, SIGKILL);
        done = waitpid(child->pid, &status, WNOHANG);
        if (done == child->pid)
            return status;
        if (done < 0 && errno != EINTR)
            return 0;
        nanosleep(&pause, NULL);
    }
}

static int judge(const struct child *child,
                 int status,
                 struct mapcore_error *err)
{
    const char *line = child->line;

    if (WIFSIGNALED(status))
        return error_set(err, MAPCORE_EIO, "topomap was ended by signal %d",
                         WTERMSIG(status));
    if (WEXITSTATUS(status) == 0)
        return 0;
    if (strncmp(line, "topomap: ", strlen("topomap: ")) == 0)
        line += strlen("topomap: ");
    if (*line)
        return error_set(err, MAPCORE_EIO, "%.*s", (int)strcspn(line, "\n"),
                         line);
    return error_set(err, MAPCORE_EIO, "topomap ended with status %d",
                     WEXITSTATUS(status));
}

int child_ask(char **out,
              size_t *n,
              const struct child_question *question,
              struct mapcore_error *err)
{
    struct child child = {.answer = -1, .complaint = -1};
    struct signal_watch watch;
    int status, error;

    set_deadline(&child.deadline, question->seconds);
    watch_signals(&watch);
    error = start(&child, question, err);
    if (error == 0) {
        bool whole;

        if (question->ninput == 0)
            shutdown(child.answer, SHUT_WR);
        error = converse(&child, question, err);
        whole = error == 0 && is_answered(&child, question);
        status = reap(&child, error < 0 || whole);
        if (error == 0 && !whole)
            error = judge(&child, status, err);
    }
    unwatch_signals(&watch);
    if (topomap_caught)
        replay_signal(topomap_caught);
    close_end(&child.answer);
    close_end(&child.complaint);
    if (error == 0 && !child.out.bytes)
        error = buffer_append(&child.out, err, "", 0);
    if (error == 0) {
        *n = child.out.n;
        *out = buffer_steal(&child.out);
    }
    buffer_clear(&child.out);
    return error;
}
