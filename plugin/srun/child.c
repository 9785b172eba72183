/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* child.c - one question with a deadline, asked from inside srun: whose
 * signals, descriptors and SIGCHLD are not ours */
#include "config.h"

#include "plugin/srun/child.h"

#include "base/buffer.h"
#include "base/error_set.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A plan of 16 million ranks, none beside its neighbour, is 200 MB: no launch
 * has come near a quarter of that. */
#define ANSWER_MOST (64U << 20)
/* Signals are looked at this often, should one slip in before poll() begins. */
#define SLICE_MS 50
/* A process that waits for a file system without an answer does not even heed
 * SIGKILL: srun leaves it after these seconds. */
#define REAP_SECONDS 0.25
/* Looks for its end come that soon, then less and less often. */
#define REAP_FIRST_NS 20000L
#define REAP_MOST_NS  1000000L

/* srun forgets a signal that arrives during this hook; after half a second it
 * has left it. */
#define REPLAY_NS 500000000L

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
#define NSIGNALS (sizeof(ending_signals) / sizeof(ending_signals[0]))

/* The last signal that arrived while we waited, 0: none. It ends srun. */
static volatile sig_atomic_t topomap_caught;
/* How many children are out, and what srun had for its signals before them. */
static unsigned topomap_watching;
static struct sigaction topomap_old[NSIGNALS];
static sigset_t topomap_mask;

static void note_signal(int number)
{
    topomap_caught = number;
}

/* INT, TERM, HUP and QUIT are noted from the first watch until each watch was
 * left; the one that came is sent again then, a moment later, when srun heeds
 * it. */
static void watch_signals(void)
{
    struct sigaction action = {.sa_handler = note_signal};
    sigset_t ours;

    if (topomap_watching++ > 0)
        return;
    sigemptyset(&action.sa_mask);
    sigemptyset(&ours);
    for (size_t i = 0; i < NSIGNALS; i++) {
        sigaction(ending_signals[i], NULL, &topomap_old[i]);
        /* nohup: what is ignored stays ignored. */
        if (topomap_old[i].sa_handler == SIG_IGN)
            continue;
        sigaction(ending_signals[i], &action, NULL);
        sigaddset(&ours, ending_signals[i]);
    }
    pthread_sigmask(SIG_UNBLOCK, &ours, &topomap_mask);
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

static void leave_signals(void)
{
    if (--topomap_watching > 0)
        return;
    pthread_sigmask(SIG_SETMASK, &topomap_mask, NULL);
    for (size_t i = 0; i < NSIGNALS; i++)
        sigaction(ending_signals[i], &topomap_old[i], NULL);
    if (topomap_caught)
        replay_signal(topomap_caught);
}

int child_signal(void)
{
    return topomap_caught;
}

static const char interrupted[] = "a signal came while srun planned";

struct child {
    struct mapcore_error *err; /* of the caller */
    struct child_process process;
    struct child_question question;
    const char *input; /* question.input, or reply */
    char *reply;       /* input, when it has asked back; owned */
    size_t ninput, written;
    struct buffer out;
    double deadline; /* child_clock() */
};

double child_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* It sees the end of its input, unless more may come. */
static void end_input(const struct child *child)
{
    if (!child->question.asks_back)
        shutdown(child->process.answer, SHUT_WR);
}

static void write_input(struct child *child)
{
    ssize_t n = send(child->process.answer, child->input + child->written,
                     child->ninput - child->written, MSG_NOSIGNAL);

    if (n > 0)
        child->written += (size_t)n;
    else if (n < 0 && errno != EAGAIN && errno != EINTR)
        child->written = child->ninput; /* it does not listen */
    if (child->written == child->ninput)
        end_input(child);
}

/* *ended: it has closed its end. */
static int read_answer(struct child *child, bool *ended)
{
    char bytes[65536];
    ssize_t n = read(child->process.answer, bytes, sizeof(bytes));

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    *ended = n <= 0;
    if (n <= 0)
        return 0;
    if (child->out.n + (size_t)n > ANSWER_MOST)
        return error_set(child->err, MAPCORE_EIO,
                         "topomap's answer is too long");
    return buffer_append(&child->out, bytes, (size_t)n);
}

static bool is_whole(const struct child *child)
{
    const struct buffer *out = &child->out;

    return child->question.complete && out->n > 0 &&
           out->bytes[out->n - 1] == '\n' &&
           child->question.complete(out->bytes, out->n) > 0;
}

static bool asks_back(const struct child *child)
{
    const char *line = child->question.asks_back;

    return line && child->out.n == strlen(line) &&
           memcmp(child->out.bytes, line, child->out.n) == 0;
}

static int reply(struct child *child)
{
    child->reply = child->question.reply(child->question.subject);
    if (!child->reply)
        return error_set(child->err, MAPCORE_ENOMEM, "no memory");
    buffer_clear(&child->out);
    child->question.asks_back = NULL;
    child->input = child->reply;
    child->ninput = strlen(child->reply);
    child->written = 0;
    return 0;
}

/* The first line of what it wrote to its stderr. */
static size_t read_stderr(const struct child *child,
                          char text[CHILD_STDERR_MOST])
{
    ssize_t n =
        pread(child->process.stderr_file, text, CHILD_STDERR_MOST - 1, 0);

    text[n > 0 ? n : 0] = '\0';
    return strcspn(text, "\n");
}

static int late_error(const struct child *child)
{
    char text[CHILD_STDERR_MOST];
    size_t n = child->question.answer ? read_stderr(child, text) : 0;

    if (n > 0)
        return error_set(child->err, MAPCORE_EIO, "%.*s does not answer",
                         (int)n, text);
    return error_set(
        child->err, MAPCORE_EIO,
        "topomap did not answer in time: give more by time=SECONDS");
}

/* Until the answer is whole, or it has closed its end. */
static int converse(struct child *child)
{
    bool ended = false;
    int error = 0;

    while (error == 0 && !ended && !is_whole(child)) {
        struct pollfd end = {.fd = child->process.answer, .events = POLLIN};
        double left = child->deadline - child_clock();

        if (child_signal())
            return error_set(child->err, MAPCORE_EIO, interrupted);
        if (left <= 0)
            return late_error(child);
        if (child->written < child->ninput)
            end.events |= POLLOUT;
        if (poll(&end, 1,
                 left * 1e3 < SLICE_MS ? (int)(left * 1e3) + 1 : SLICE_MS) <= 0)
            continue;
        if (end.revents & POLLOUT)
            write_input(child);
        if (end.revents & (POLLIN | POLLHUP | POLLERR))
            error = read_answer(child, &ended);
        if (error == 0 && asks_back(child))
            error = reply(child);
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
        pid_t done = waitpid(child->process.pid, &status, WNOHANG);
        double now = child_clock();

        if (done == child->process.pid)
            return status;
        if (done < 0 && errno != EINTR)
            return 0;
        if (child_signal() && now < killed)
            killed = now;
        if (now >= killed)
            kill(-child->process.pid, SIGKILL);
        if (now > killed + REAP_SECONDS)
            return SIGKILL;
        nanosleep(&pause, NULL);
        if ((pause.tv_nsec *= 2) > REAP_MOST_NS)
            pause.tv_nsec = REAP_MOST_NS;
    }
}

static int status_error(const struct child *child, int status)
{
    static const char own[] = "topomap: ";
    char text[CHILD_STDERR_MOST];
    const char *line = text;

    read_stderr(child, text);
    if (*line == CHILD_REFUSED && child->question.argv)
        return error_set(child->err, MAPCORE_ENOENT, "%s cannot be started: %s",
                         child->question.argv[0],
                         strerror((unsigned char)line[1]));
    /* It closed its end, and was ended by us. */
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL &&
        child_clock() >= child->deadline)
        return late_error(child);
    if (WIFSIGNALED(status))
        return error_set(child->err, MAPCORE_EIO,
                         "topomap was ended by signal %d", WTERMSIG(status));
    if (WEXITSTATUS(status) == 0)
        return 0;
    if (strncmp(line, own, strlen(own)) == 0)
        line += strlen(own);
    if (*line)
        return error_set(child->err, MAPCORE_EIO, "%.*s",
                         (int)strcspn(line, "\n"), line);
    return error_set(child->err, MAPCORE_EIO, "topomap ended with status %d",
                     WEXITSTATUS(status));
}

static int finish(char **out, size_t *n, struct child *child)
{
    bool done;
    int error, status = 0;

    if (child->ninput == 0)
        end_input(child);
    error = converse(child);
    done = error < 0 || is_whole(child);
    if (done && child->question.stays)
        kill(-child->process.pid, SIGKILL);
    else
        status = reap(child, done);
    if (!done)
        error = status_error(child, status);
    /* Never NULL, also when it said nothing. */
    if (error == 0)
        error = buffer_append(&child->out, "", 0);
    if (error == 0) {
        *n = child->out.n;
        *out = buffer_steal(&child->out);
    }
    return error;
}

int child_ask(char **out,
              size_t *n,
              const struct child_question *question,
              struct mapcore_error *err)
{
    struct child child = {
        .err = err,
        .question = *question,
        .input = question->input,
        .ninput = question->input ? strlen(question->input) : 0,
        .out = {.err = err},
        .deadline = child_clock() + question->seconds,
    };
    int error;

    if (child_signal())
        return error_set(err, MAPCORE_EIO, interrupted);
    watch_signals();
    if ((error = child_start(&child.process, question, err)) == 0)
        error = finish(out, n, &child);
    if (child.process.answer >= 0)
        close(child.process.answer);
    if (child.process.stderr_file >= 0)
        close(child.process.stderr_file);
    buffer_clear(&child.out);
    free(child.reply);
    leave_signals();
    return error;
}
