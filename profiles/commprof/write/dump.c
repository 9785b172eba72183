/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dump.c - writes a task's rows with nothing but system calls, since a signal
 * may come at any time; `topomap profile merge` reads them */
#include "config.h"

#include "commprof/write/dump.h"

#include "commprof/count/record.h"
#include "commprof/count/regions.h"
#include "commprof/forked.h"
#include "commprof/settings.h"
#include "commprof/write/report.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Everything is made ready in MPI_Init. Where the file system can do it, the
 * file gets its name when it is whole: a task that is killed while it writes
 * leaves nothing. Elsewhere it leaves the part under a name that nobody reads.
 */
static char part_path[PATH_MAX + 64], path[PATH_MAX + 64];
static bool nameless;
static char head[REPORT_WHOSE];
static size_t head_size;
static uint64_t began_ns;
static int armed; /* 1 from dump_begin to the first dump_write */

static struct {
    int fd;
    bool failed;
    size_t used;
    char text[1 << 14];
} out;

static void flush_out(void)
{
    for (size_t at = 0; at < out.used && !out.failed;) {
        const ssize_t n = write(out.fd, out.text + at, out.used - at);
        if (n <= 0)
            out.failed = true;
        else
            at += (size_t)n;
    }
    out.used = 0;
}

static void put(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (out.used == sizeof(out.text))
            flush_out();
        out.text[out.used++] = text[i];
    }
}

static void put_text(const char *text)
{
    put(text, strlen(text));
}

/* The number's digits at the end of text[DIGITS]; where they begin. */
enum { DIGITS = 24 };
static size_t write_digits(char *text, uint64_t number)
{
    size_t at = DIGITS;

    do {
        text[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return at;
}

static void put_number(uint64_t number)
{
    char text[DIGITS];
    const size_t at = write_digits(text, number);

    put(" ", 1);
    put(text + at, sizeof(text) - at);
}

/* "p2p", or "p2p@2" of a phase that has a name. */
static void put_type(uint32_t type, uint32_t phase)
{
    char text[DIGITS];
    size_t at;

    put_text(type_names[type]);
    if (phase == 0)
        return;
    at = write_digits(text, phase);
    put("@", 1);
    put(text + at, sizeof(text) - at);
}

static void put_stats(const struct call_stats *stats, void *data)
{
    (void)data;
    put_text("use ");
    put_type(stats->type, stats->phase);
    put_number(stats->size);
    put_number(stats->communicators);
    put_number(stats->calls);
    put_number(stats->bytes);
    put_number(stats->paired);
    put_number(stats->large);
    put_number(stats->ns);
    put_text("\n");
}

static void put_message(const struct message *message, void *data)
{
    (void)data;
    put_text("row ");
    put_type(message->type, message->phase);
    put_number(message->from);
    put_number(message->to);
    put_number(message->size_class);
    put_number(message->count);
    put_number(message->bytes);
    put_number(message->order);
    put_text("\n");
}

static void put_regions(const struct region_names *names)
{
    const char *name;

    for (uint32_t phase = PHASES_LEVELS;
         names && (name = region_names_get(names, phase)); phase++) {
        put_text("region");
        put_number(phase);
        put_text(" ");
        put_text(name);
        put_text("\n");
    }
}

static int open_part(void)
{
    return nameless
               ? open(settings.dump, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644)
               : open(part_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
}

/* Gives the file its name, in place of what an earlier run has left. */
static void close_part(void)
{
    char self[64] = "/proc/self/fd/", number[DIGITS];
    const size_t at = write_digits(number, (uint64_t)out.fd);

    if (!nameless) {
        if (close(out.fd) < 0 || out.failed || rename(part_path, path) < 0)
            unlink(part_path);
        return;
    }
    memcpy(self + strlen(self), number + at, sizeof(number) - at);
    if (!out.failed) {
        unlink(path);
        out.failed =
            linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) < 0;
    }
    close(out.fd);
}

static int write_rows(struct forked_result *result, const void *subject)
{
    (void)result;
    (void)subject;
    out.fd = open_part();
    if (out.fd < 0)
        return -1;
    put_text("commprof-rows 1\n");
    put(head, head_size);
    put_text("elapsed");
    put_number(record_clock_ns() - began_ns);
    put_text("\n");
    put_regions(regions_names());
    record_walk(put_stats, put_message, NULL);
    put_text("end\n");
    flush_out();
    close_part();
    return 0;
}

/* In a copy, so that storage that does not answer keeps nobody; here where
 * there can be none. */
void dump_write(void)
{
    struct forked_result result;

    if (__atomic_exchange_n(&armed, 0, __ATOMIC_ACQ_REL) == 0)
        return;
    record_alive = record_prepares = false;
    record_watch = WATCH_NOTHING;
    if (forked_run_bare(&result, write_rows, NULL, settings.wait) ==
        FORKED_FAILED) {
        if (!nameless)
            unlink(part_path); /* of a copy that died */
        (void)write_rows(&result, NULL);
    }
}

void dump_end(void)
{
    __atomic_store_n(&armed, 0, __ATOMIC_RELEASE);
}

/* The program dies as it would have. */
static void on_term(int number)
{
    dump_write();
    signal(number, SIG_DFL);
    raise(number);
}

/* Whether files can be made without a name, and be given one. */
static int can_be_nameless(struct forked_result *result, const void *subject)
{
    const int fd = open(settings.dump, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644);

    (void)result;
    (void)subject;
    return fd >= 0 && close(fd) == 0 && access("/proc/self/fd", X_OK) == 0;
}

void dump_begin(uint32_t rank, uint32_t ntasks)
{
    struct forked_result result;
    struct sigaction action;

    head_size = report_whose(head, sizeof(head), rank, ntasks);
    if (head_size == 0 ||
        snprintf(path, sizeof(path), "%.4000s/commprof-%u.rows", settings.dump,
                 (unsigned)rank) < 0 ||
        snprintf(part_path, sizeof(part_path), "%.4000s/.commprof-%u.%ld.part",
                 settings.dump, (unsigned)rank, (long)getpid()) < 0)
        return;
    nameless = forked_run_bare(&result, can_be_nameless, NULL, settings.wait) ==
                   FORKED_DONE &&
               result.status != 0;
    began_ns = record_clock_ns();
    armed = 1;
    atexit(dump_write);
    if (sigaction(SIGTERM, NULL, &action) == 0 &&
        !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL) {
        memset(&action, 0, sizeof(action));
        action.sa_handler = on_term;
        sigemptyset(&action.sa_mask);
        sigaction(SIGTERM, &action, NULL);
    }
}
