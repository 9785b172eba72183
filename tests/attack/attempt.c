/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* attempt.c - starts a command, keeps the first of what it prints, ends it at
 * its limit, and judges */
#include "config.h"

#include "attack/attempt.h"

#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

const char *const attempt_fault_names[ATTEMPT_FAULTS] = {
    "sound", "crash", "foreign", "lines", "controls",
    "left",  "time",  "memory",  "usage",
};

static void give_up(const char *what)
{
    perror(what);
    exit(99);
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void attempt_init(struct attempt *attempt)
{
    *attempt = (struct attempt){
        .out = specimen_new(),
        .err = specimen_new(),
    };
}

static pid_t start(char *const argv[],
                   const struct attempt_limits *limits,
                   int out,
                   int err)
{
    pid_t pid = fork();

    if (pid < 0)
        give_up("fork");
    if (pid == 0) {
        /* A second more: the clock is to be quicker, and tells it better. */
        struct rlimit cpu = {(rlim_t)limits->seconds + 1,
                             (rlim_t)limits->seconds + 2};
        struct rlimit core = {0, 0};
        int null = open("/dev/null", O_RDONLY);

        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setpgid(0, 0);
        setrlimit(RLIMIT_CPU, &cpu);
        setrlimit(RLIMIT_CORE, &core);
        dup2(null, 0);
        dup2(out, 1);
        dup2(err, 2);
        execv(argv[0], argv);
        _exit(98);
    }
    return pid;
}

/* Keeps what there is room for; false at the end. */
static bool drain(struct specimen *into, int fd)
{
    char bytes[1 << 16];
    ssize_t n = read(fd, bytes, sizeof(bytes));

    if (n <= 0)
        return false;
    if ((size_t)n > MUTATE_MOST - into->n)
        n = (ssize_t)(MUTATE_MOST - into->n);
    memcpy(into->bytes + into->n, bytes, (size_t)n);
    into->n += (size_t)n;
    into->bytes[into->n] = '\0';
    return true;
}

/* Whether it has taken CPU time since it was looked at last: then it is slow,
 * on a machine that is busy, and RLIMIT_CPU is its end. */
static bool has_worked(double *before, pid_t pid)
{
    struct timespec used = {0, 0};
    double was = *before;
    clockid_t clock;

    if (clock_getcpuclockid(pid, &clock) != 0 ||
        clock_gettime(clock, &used) < 0)
        return false;
    *before = (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
    return *before > was + 0.05;
}

/* Until it has ended and its streams, too, or it hangs: a grandchild may hold
 * them. */
static void follow(struct attempt *attempt,
                   pid_t pid,
                   int out,
                   int err,
                   double seconds)
{
    double end = now() + seconds, used = 0;
    struct pollfd polled[3] = {
        {.fd = out, .events = POLLIN},
        {.fd = err, .events = POLLIN},
        {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN},
    };

    while (polled[0].fd >= 0 || polled[1].fd >= 0 || polled[2].fd >= 0) {
        double left = end - now();

        if (left <= 0 && has_worked(&used, pid)) {
            end += seconds;
            continue;
        }
        if (left <= 0) {
            attempt->timed_out = true;
            break;
        }
        if (poll(polled, 3, (int)(left * 1000) + 1) < 0)
            give_up("poll");
        if (polled[0].revents && !drain(&attempt->out, out))
            polled[0].fd = -1;
        if (polled[1].revents && !drain(&attempt->err, err))
            polled[1].fd = -1;
        if (polled[2].revents) {
            close(polled[2].fd);
            polled[2].fd = -1;
        }
    }
    if (polled[2].fd >= 0)
        close(polled[2].fd);
}

void attempt_run(struct attempt *attempt,
                 char *const argv[],
                 const struct attempt_limits *limits)
{
    int out[2], err[2], status;
    struct rusage usage;
    pid_t pid;

    if (pipe2(out, O_CLOEXEC) < 0 || pipe2(err, O_CLOEXEC) < 0)
        give_up("pipe");
    attempt->timed_out = false;
    attempt->out.n = attempt->err.n = 0;
    attempt->out.bytes[0] = attempt->err.bytes[0] = '\0';
    pid = start(argv, limits, out[1], err[1]);
    close(out[1]);
    close(err[1]);
    follow(attempt, pid, out[0], err[0], 2 * limits->seconds);
    kill(-pid, SIGKILL);
    if (wait4(pid, &status, 0, &usage) != pid)
        give_up("wait4");
    close(out[0]);
    close(err[0]);
    attempt->status =
        WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    attempt->seconds =
        (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
        1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    attempt->peak_kib = (uint64_t)usage.ru_maxrss;
    if (attempt->status == -SIGXCPU || attempt->seconds > limits->seconds)
        attempt->timed_out = true;
}

static bool has_controls(const struct specimen *text)
{
    const unsigned char *byte = (const unsigned char *)text->bytes;

    for (size_t i = 0; i < text->n; i++)
        if ((byte[i] < 0x20 && byte[i] != '\n' && byte[i] != '\t') ||
            byte[i] == 0x7f ||
            (byte[i] == 0xc2 && byte[i + 1] >= 0x80 && byte[i + 1] <= 0x9f))
            return true;
    return false;
}

/* What a refusal is under --json, and nothing beside it. */
static bool is_json_error(const struct specimen *text)
{
    static const char head[] = "{\"error\": \"", tail[] = "}\n";

    return text->n > sizeof(head) + sizeof(tail) &&
           strncmp(text->bytes, head, sizeof(head) - 1) == 0 &&
           strcmp(text->bytes + text->n - (sizeof(tail) - 1), tail) == 0 &&
           strchr(text->bytes, '\n') == text->bytes + text->n - 1;
}

/* Lines that begin with our name; -1 when one does not, or is cut off. */
static int count_lines(const struct specimen *text)
{
    int n = 0;

    for (const char *line = text->bytes; *line; n++) {
        const char *end = strchr(line, '\n');

        if (!end || (strncmp(line, "topomap: ", 9) != 0 &&
                     strncmp(line, "topomap ", 8) != 0))
            return -1;
        line = end + 1;
    }
    return n;
}

static int is_file(const char *path,
                   const struct stat *st,
                   int flag,
                   struct FTW *ftw)
{
    (void)flag;
    /* An empty catalogue, which its marker makes, is no half one. */
    return S_ISREG(st->st_mode) && strcmp(path + ftw->base, "CATALOGUE") != 0;
}

/* By the report's innermost frame: "#0 0x... in NAME (/lib/.../libhwloc.so". */
static bool is_foreign(const struct specimen *text)
{
    const char *frame = strstr(text->bytes, "#0 0x");
    const char *end = frame ? strchr(frame, '\n') : NULL;
    const char *hwloc = frame ? strstr(frame, "/libhwloc.so") : NULL;

    return end && hwloc && hwloc < end;
}

static bool reports(const struct specimen *text)
{
    return strstr(text->bytes, "Sanitizer") ||
           strstr(text->bytes, "runtime error: ");
}

enum attempt_fault attempt_judge(const struct attempt *attempt,
                                 const struct attempt_limits *limits,
                                 const char *outcome)
{
    int lines = attempt->status != 0 && is_json_error(&attempt->err)
                    ? 1
                    : count_lines(&attempt->err);

    if (attempt->timed_out)
        return ATTEMPT_TIME;
    if (strstr(attempt->err.bytes, "hard rss limit") ||
        attempt->peak_kib > limits->peak_kib)
        return ATTEMPT_MEMORY;
    if (attempt->status < 0 || attempt->status > 2 || reports(&attempt->err))
        return is_foreign(&attempt->err) ? ATTEMPT_FOREIGN : ATTEMPT_CRASH;
    if (has_controls(&attempt->err) || has_controls(&attempt->out))
        return ATTEMPT_CONTROLS;
    /* Notes beside a success, one line when there is none; topology check says
     * what is amiss on stdout. */
    if (lines < 0 || (attempt->status != 0 && lines != 1 &&
                      (lines > 0 || attempt->out.n == 0)))
        return ATTEMPT_LINES;
    if (attempt->status != 0 && nftw(outcome, is_file, 16, FTW_PHYS) > 0)
        return ATTEMPT_LEFT;
    return ATTEMPT_SOUND;
}
