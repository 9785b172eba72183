/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* child.c - one child process with a deadline, inside srun: whose signals,
 * descriptors and SIGCHLD are not ours */
#include "config.h"

#include "plugin/srun/child.h"

#include "base/buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A plan of 16 million ranks, none beside its neighbour, is 200 MB: no launch
 * has come near a quarter of that. */
#define ANSWER_MOST (64U << 20)
/* What it may write to its stderr, of which the first line is for the user. */
#define STDERR_MOST 4096
/* Signals are looked at this often, should one slip in before poll() begins. */
#define SLICE_MS 50
/* A process that waits for a file system without an answer does not even heed
 * SIGKILL: after so many seconds it is left behind. */
#define REAP_SECONDS 0.25
/* Looks for its end come that soon, then less and less often. */
#define REAP_FIRST_NS 20000L
#define REAP_MOST_NS  1000000L
/* srun forgets a signal that arrives during this hook; after half a second it
 * has left it. */
#define REPLAY_NS 500000000L

extern char **environ;

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
#define NSIGNALS (sizeof(ending_signals) / sizeof(ending_signals[0]))

/* The last signal that arrived while we waited, 0: none. It ends srun. */
static volatile sig_atomic_t topomap_caught;
static const char interrupted[] = "a signal came while srun planned";

struct signal_watch {
    struct sigaction old[NSIGNALS];
    sigset_t mask;
};

struct child {
    pid_t pid;
    int answer;      /* a socket: its stdin and stdout */
    int stderr_file; /* a file in memory: its stderr */
    size_t written;
    struct buffer out;
    double deadline; /* child_clock() */
};

static void note_signal(int number)
{
    topomap_caught = number;
}

static void watch_signals(struct signal_watch *watch)
{
    struct sigaction action = {.sa_handler = note_signal};
    sigset_t ours;

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

/* The timer lives as long as srun, which is to end by it. The first Ctrl-C only
 * makes srun report, one more within a second ends the job. */
static void replay_signal(int number)
{
    struct sigevent event = {
        .sigev_notify = SIGEV_SIGNAL,
        .sigev_signo = number,
    };
    struct itimerspec when = {
        .it_value = {.tv_nsec = REPLAY_NS},
        .it_interval = {.tv_nsec = REPLAY_NS},
    };
    timer_t timer;

    if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
        timer_settime(timer, 0, &when, NULL);
}

double child_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

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

    if (fd >= 0 && (ftruncate(fd, STDERR_MOST) < 0 ||
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
static int spawn(struct child *child, const char *const *argv, int its_end)
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
    char line[STDERR_MOST];
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
static int fork_answer(struct child *child,
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

static int start(struct child *child,
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
    if (question->ninput == 0)
        shutdown(child->answer, SHUT_WR);
    return 0;
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

/* *ended: it has closed its end. */
static int read_answer(struct child *child,
                       bool *ended,
                       struct mapcore_error *err)
{
    char bytes[65536];
    ssize_t n = read(child->answer, bytes, sizeof(bytes));

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    *ended = n <= 0;
    if (n <= 0)
        return 0;
    if (child->out.n + (size_t)n > ANSWER_MOST)
        return error_set(err, MAPCORE_EIO, "topomap's answer is too long");
    return buffer_append(&child->out, err, bytes, (size_t)n);
}

static bool is_whole(const struct child *child,
                     const struct child_question *question)
{
    const struct buffer *out = &child->out;

    return question->complete && out->n > 0 && out->bytes[out->n - 1] == '\n' &&
           question->complete(out->bytes, out->n) > 0;
}

/* The first line of what it wrote to its stderr. */
static size_t read_stderr(const struct child *child, char text[STDERR_MOST])
{
    ssize_t n = pread(child->stderr_file, text, STDERR_MOST - 1, 0);

    text[n > 0 ? n : 0] = '\0';
    return strcspn(text, "\n");
}

static int late_error(const struct child *child,
                      const struct child_question *question,
                      struct mapcore_error *err)
{
    char text[STDERR_MOST];
    size_t n = question->answer ? read_stderr(child, text) : 0;

    if (n > 0)
        return error_set(err, MAPCORE_EIO, "%.*s does not answer", (int)n,
                         text);
    return error_set(
        err, MAPCORE_EIO,
        "topomap did not answer in time: give more by time=SECONDS");
}

/* Until the answer is whole, or it has closed its end. */
static int converse(struct child *child,
                    const struct child_question *question,
                    struct mapcore_error *err)
{
    bool ended = false;
    int error = 0;

    while (error == 0 && !ended && !is_whole(child, question)) {
        struct pollfd end = {.fd = child->answer, .events = POLLIN};
        double left = child->deadline - child_clock();

        if (topomap_caught)
            return error_set(err, MAPCORE_EIO, interrupted);
        if (left <= 0)
            return late_error(child, question, err);
        if (child->written < question->ninput)
            end.events |= POLLOUT;
        if (poll(&end, 1,
                 left * 1e3 < SLICE_MS ? (int)(left * 1e3) + 1 : SLICE_MS) <= 0)
            continue;
        if (end.revents & POLLOUT)
            write_input(child, question);
        if (end.revents & (POLLIN | POLLHUP | POLLERR))
            error = read_answer(child, &ended, err);
    }
    return error;
}

/* Waits for the end until the deadline, then kills, with all that it started.
 * Returns waitpid's status; 0 when SIGCHLD is ignored and there is none. */
static int reap(const struct child *child, bool kill_now)
{
    struct timespec pause = {.tv_nsec = REAP_FIRST_NS};
    double killed = kill_now ? child_clock() : child->deadline;
    int status = 0;

    for (;;) {
        pid_t done = waitpid(child->pid, &status, WNOHANG);
        double now = child_clock();

        if (done == child->pid)
            return status;
        if (done < 0 && errno != EINTR)
            return 0;
        if (topomap_caught && now < killed)
            killed = now;
        if (now >= killed)
            kill(-child->pid, SIGKILL);
        if (now > killed + REAP_SECONDS)
            return SIGKILL;
        nanosleep(&pause, NULL);
        if ((pause.tv_nsec *= 2) > REAP_MOST_NS)
            pause.tv_nsec = REAP_MOST_NS;
    }
}

static int status_error(const struct child *child,
                        const struct child_question *question,
                        int status,
                        struct mapcore_error *err)
{
    static const char own[] = "topomap: ";
    char text[STDERR_MOST];
    const char *line = text;

    read_stderr(child, text);
    /* It closed its end, and was ended by us. */
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL &&
        child_clock() >= child->deadline)
        return late_error(child, question, err);
    if (WIFSIGNALED(status))
        return error_set(err, MAPCORE_EIO, "topomap was ended by signal %d",
                         WTERMSIG(status));
    if (WEXITSTATUS(status) == 0)
        return 0;
    if (strncmp(line, own, strlen(own)) == 0)
        line += strlen(own);
    if (*line)
        return error_set(err, MAPCORE_EIO, "%.*s", (int)strcspn(line, "\n"),
                         line);
    return error_set(err, MAPCORE_EIO, "topomap ended with status %d",
                     WEXITSTATUS(status));
}

int child_signal(void)
{
    return topomap_caught;
}

int child_ask(char **out,
              size_t *n,
              const struct child_question *question,
              struct mapcore_error *err)
{
    struct child child = {
        .answer = -1,
        .stderr_file = -1,
        .deadline = child_clock() + question->seconds,
    };
    struct signal_watch watch;
    int error;

    if (topomap_caught)
        return error_set(err, MAPCORE_EIO, interrupted);
    watch_signals(&watch);
    error = start(&child, question, err);
    if (error == 0) {
        bool done = (error = converse(&child, question, err)) < 0 ||
                    is_whole(&child, question);
        int status = reap(&child, done);

        if (!done)
            error = status_error(&child, question, status, err);
    }
    unwatch_signals(&watch);
    if (topomap_caught)
        replay_signal(topomap_caught);
    if (child.answer >= 0)
        close(child.answer);
    if (child.stderr_file >= 0)
        close(child.stderr_file);
    /* Never NULL, also when it said nothing. */
    if (error == 0)
        error = buffer_append(&child.out, err, "", 0);
    if (error == 0) {
        *n = child.out.n;
        *out = buffer_steal(&child.out);
    }
    buffer_clear(&child.out);
    return error;
}
