/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* node_report.c - memory that slurmstepd shares with its tasks, and one fork
 * that writes it as the user when they have ended: no launch waits for storage,
 * and slurmstepd, which is root, neither reads nor writes files */
#include "config.h"

#include "plugin/task/node_report.h"

#include "launch/kept.h"
#include "launch/plain_name.h"
#include "launch/step_files.h"
#include "plugin/handoff/handoff.h"
#include "plugin/task/affinity.h"
#include "plugin/task/hardware.h"
#include "plugin/task/user_fork.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Slurm waits for the last task's hook, and srun for Slurm: long for counters,
 * of which there is no other copy. */
#define COUNTERS_SECONDS 10
#define WRITE_SECONDS    1
/* every=: milliseconds of it are an int. */
#define EVERY_MOST 1000000
/* More than any shell script's own descriptors, and less than any limit. */
#define HIGH_DESCRIPTOR 100

/* What tasks write for the fork. */
struct node_shared {
    _Atomic uint32_t differs; /* from the tree that was planned for */
    char name[NODE_NAME];
    char line[][TOLD_CPUS_LINE]; /* [ntasks] */
};

/* slurmstepd's own; a task is a fork of it. */
static struct node_report {
    uint32_t ntasks; /* 0: srun asks for nothing */
    uint32_t node, nended;
    struct user_fork user;
    struct node_shared *shared;           /* NULL: neither CPUs nor a tree */
    char cpus[PATH_MAX];                  /* their folder; "": not asked for */
    char tree[NODE_FILE_MOST + PATH_MAX]; /* srun's text, cut into: */
    const char *kind, *levels, *tree_folder;
    bool asks_tree;
    char spool[PATH_MAX]; /* of the counters */
    int counters;         /* a file without a name, a region a task; -1: none */
    int every;            /* seconds, 0: counters are written at the end only */
    int saver_fd;         /* -1: there is none */
    pid_t saver;
} topomap_report = {.counters = -1, .saver_fd = -1};

/* The regions cannot change their size: nothing that a task does to them can
 * harm their reader. */
static int make_counters(uint32_t ntasks)
{
    int fd = (int)syscall(SYS_memfd_create, "topomap",
                          MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd >= 0 && (ftruncate(fd, (off_t)(ntasks * KEPT_REGION)) < 0 ||
                    fcntl(fd, F_ADD_SEALS,
                          F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* ---- in a fork: user_fork_begin() says what it may call */

/* The bytes of a task's region to write; 0: none. */
static uint64_t region_used(uint32_t task)
{
    struct kept_head head;

    if (pread(topomap_report.counters, &head, sizeof(head),
              (off_t)(task * KEPT_REGION)) != (ssize_t)sizeof(head))
        return 0;
    if (head.state != KEPT_COUNTING && head.ended != 0)
        return sizeof(head);
    if (head.magic != KEPT_MAGIC || head.state != KEPT_COUNTING ||
        head.used < sizeof(head) || head.used > KEPT_REGION)
        return 0;
    return head.used;
}

/* A task that still runs may use more by now, or none. */
static bool copy_region(struct user_file *out, uint32_t task, uint64_t used)
{
    static _Alignas(struct kept_head) char bytes[1 << 16];
    struct kept_head *const head = (struct kept_head *)(void *)bytes;
    const uint64_t from = task * KEPT_REGION;

    for (uint64_t at = 0; at < used;) {
        size_t n = used - at < sizeof(bytes) ? used - at : sizeof(bytes);
        ssize_t got =
            pread(topomap_report.counters, bytes, n, (off_t)(from + at));
        if (got <= 0)
            return false;
        if (at == 0) {
            if (got < (ssize_t)sizeof(*head) ||
                (used > sizeof(*head) &&
                 (head->magic != KEPT_MAGIC || head->used < used)))
                return false;
            head->magic = KEPT_MAGIC;
            head->used = used;
        }
        if (!user_file_write(out, bytes, (size_t)got))
            return false;
        at += (uint64_t)got;
    }
    return true;
}

/* As node.end; where no task has counted there is no such file. */
static bool write_counters(int folder, const char *node, const char *end)
{
    struct user_file out = {.fd = -1};
    bool whole = folder >= 0;
    uint64_t used;

    for (uint32_t i = 0; whole && i < topomap_report.ntasks; i++)
        if ((used = region_used(i)) > 0)
            whole = (out.fd >= 0 || user_file_open(&out, folder, node, end)) &&
                    copy_region(&out, i, used);
    if (out.fd >= 0)
        return user_file_close(&out, whole);
    stpcpy(stpcpy(out.name, node), end);
    if (whole)
        unlinkat(folder, out.name, 0);
    return whole;
}

static void write_cpus(const char *node)
{
    const int folder = user_fork_folder(topomap_report.cpus);
    struct user_file out;
    bool whole = true;

    if (folder < 0 || !user_file_open(&out, folder, node, ""))
        return;
    for (uint32_t i = 0; whole && i < topomap_report.ntasks; i++) {
        const char *line = topomap_report.shared->line[i];

        whole = user_file_write(&out, line, strnlen(line, TOLD_CPUS_LINE));
    }
    user_file_close(&out, whole);
}

static void write_tree(void)
{
    const char *const names[] = {topomap_report.kind,
                                 topomap_report.shared->name};
    const char *const ends[] = {NODE_FILE NODE_KIND, NODE_FILE};
    const int folder = user_fork_folder(topomap_report.tree_folder);
    const struct hardware *hardware = NULL;
    char text[NODE_FILE_MOST], *levels = NULL;
    struct user_file out;
    int n;

    if (folder < 0 || !plain_name_check(names[1], NODE_NAME - 1) ||
        hardware_open(&hardware, NULL) < 0)
        return;
    if (hardware->levels(&levels, NULL) < 0)
        levels = NULL;
    n = snprintf(text, sizeof(text), NODE_HEAD "node %s\nlevels %s\n", names[1],
                 levels ? levels : NODE_UNKNOWN);
    if (n <= 0 || (size_t)n >= sizeof(text))
        return;
    for (int i = 0; i < 2; i++)
        if (strcmp(names[i], NODE_UNKNOWN) != 0 &&
            user_file_open(&out, folder, ends[i], names[i]))
            user_file_close(&out, user_file_write(&out, text, (size_t)n));
}

/* Keeps fd, which becomes 4; or -1. */
static void leave_slurmstepd(int fd)
{
    const int keep[] = {topomap_report.counters, fd};

    user_fork_begin(&topomap_report.user, keep,
                    topomap_report.counters < 0 ? 0
                    : fd < 0                    ? 1
                                                : 2);
    if (topomap_report.counters >= 0)
        topomap_report.counters = 3;
}

/* Counters first, of which there is no other copy; the tree last, for hwloc
 * takes longest. */
static void be_the_writer(bool has_counters, bool has_tree)
{
    char node[24], older[sizeof(node) + 16];
    int folder;

    leave_slurmstepd(-1);
    user_fork_number(stpcpy(node, TOLD_CPUS_FILE), topomap_report.node);
    if (has_counters) {
        folder = user_fork_folder(topomap_report.spool);
        stpcpy(stpcpy(older, node), "." KEPT_SO_FAR);
        if (write_counters(folder, node, "." KEPT_END))
            unlinkat(folder, older, 0);
    }
    if (*topomap_report.cpus)
        write_cpus(node);
    if (has_tree)
        write_tree();
    _exit(0);
}

static void save(void)
{
    int folder = user_fork_folder(topomap_report.spool);
    char node[24];

    user_fork_number(stpcpy(node, TOLD_CPUS_FILE), topomap_report.node);
    write_counters(folder, node, "." KEPT_SO_FAR);
    if (folder >= 0)
        close(folder);
}

/* Until slurmstepd writes a byte; without one it is gone, and no other process
 * will write the counters. */
static void be_the_saver(int fd)
{
    struct pollfd end = {.fd = 4, .events = POLLIN};
    char byte;
    int n;

    leave_slurmstepd(fd);
    while ((n = poll(&end, 1, topomap_report.every * 1000)) == 0 ||
           (n < 0 && errno == EINTR))
        if (n == 0)
            save();
    if (read(4, &byte, 1) != 1)
        save();
    _exit(0);
}

/* ---- in slurmstepd, before the tasks */

/* A process of its own, for a thread of slurmstepd's, or a timer, could not
 * wait for storage; and nothing in the tasks, which it costs nothing. */
static void start_saver(void)
{
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return;
    topomap_report.saver = fork();
    if (topomap_report.saver == 0)
        be_the_saver(ends[1]);
    close(ends[1]);
    if (topomap_report.saver < 0)
        close(ends[0]);
    else
        topomap_report.saver_fd = ends[0];
}

static bool take(char *out, size_t size, spank_t spank, enum handoff_name name)
{
    if (spank_getenv(spank, handoff_names[name], out, (int)size) ==
        ESPANK_SUCCESS)
        return true;
    *out = '\0';
    return false;
}

static bool take_folder(char *out, spank_t spank, enum handoff_name name)
{
    if (take(out, PATH_MAX, spank, name) && out[0] == '/')
        return true;
    *out = '\0';
    return false;
}

/* What text begins with is cut off at end; the rest, or NULL. */
static char *cut(char *text, char end)
{
    char *rest = text ? strchr(text, end) : NULL;

    if (rest)
        *rest++ = '\0';
    return rest;
}

/* "ask KIND" or "check KIND LEVELS", a newline, the folder. One node answers
 * for those that no plan knows. */
static bool take_tree(struct node_report *out, spank_t spank)
{
    const size_t ask = strlen(NODE_ASK), check = strlen(NODE_CHECK);
    char *kind = out->tree;

    out->levels = NULL;
    if (!take(out->tree, sizeof(out->tree), spank, HANDOFF_TREE))
        return false;
    out->tree_folder = cut(kind, '\n');
    out->asks_tree = strncmp(kind, NODE_ASK, ask) == 0;
    if (!out->asks_tree && strncmp(kind, NODE_CHECK, check) != 0)
        return false;
    kind += out->asks_tree ? ask : check;
    if (!out->asks_tree)
        out->levels = cut(kind, ' ');
    out->kind = kind;
    return out->tree_folder && out->tree_folder[0] == '/' &&
           (out->asks_tree ? out->node == 0 : out->levels != NULL) &&
           plain_name_check(kind, NODE_NAME - 1);
}

static size_t shared_size(uint32_t ntasks)
{
    return sizeof(struct node_shared) + (size_t)ntasks * TOLD_CPUS_LINE;
}

static void open_shared(struct node_report *report, bool has_tree)
{
    void *shared = MAP_FAILED;

    if (has_tree || *report->cpus)
        shared = mmap(NULL, shared_size(report->ntasks), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    report->shared = shared == MAP_FAILED ? NULL : shared;
    if (!report->shared)
        *report->cpus = '\0';
    if (!report->shared || !has_tree)
        report->kind = report->levels = NULL;
}

static void open_counters(struct node_report *report, spank_t spank)
{
    char every[32];
    unsigned long seconds;

    if ((report->counters = make_counters(report->ntasks)) < 0 ||
        !take(every, sizeof(every), spank, HANDOFF_EVERY))
        return;
    seconds = strtoul(every, NULL, 10);
    report->every = seconds < EVERY_MOST ? (int)seconds : EVERY_MOST;
    if (report->every > 0)
        start_saver();
}

void node_report_open(spank_t spank)
{
    struct node_report *report = &topomap_report;
    bool has_tree, is_recorded;
    char recorder[8];
    uint32_t ntasks;

    if (report->ntasks > 0 || !user_fork_is_told(spank) ||
        spank_get_item(spank, S_JOB_NODEID, &report->node) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_LOCAL_TASK_COUNT, &ntasks) !=
            ESPANK_SUCCESS)
        return;
    has_tree = take_tree(report, spank);
    is_recorded = take_folder(report->spool, spank, HANDOFF_SPOOL) &&
                  spank_getenv(spank, handoff_names[HANDOFF_RECORDER], recorder,
                               sizeof(recorder)) != ESPANK_ENV_NOEXIST;
    if ((!take_folder(report->cpus, spank, HANDOFF_CPUS) && !has_tree &&
         !is_recorded) ||
        !user_fork_know(&report->user, spank))
        return;
    report->ntasks = ntasks;
    open_shared(report, has_tree);
    if (is_recorded && ntasks > 0)
        open_counters(report, spank);
}

/* ---- in a task */

/* A program that closes what it did not open (Python's subprocess does) counts
 * in its heap. */
void node_report_give(spank_t spank, uint32_t local)
{
    char place[128];
    struct stat st;
    int fd;

    if (topomap_report.counters < 0)
        return;
    spank_setenv(spank, "COMMPROF_SPOOL", topomap_report.spool, 1);
    if ((fd = fcntl(topomap_report.counters, F_DUPFD, HIGH_DESCRIPTOR)) < 0)
        fd = fcntl(topomap_report.counters, F_DUPFD, 10);
    if (fd < 0 || fstat(fd, &st) < 0)
        return;
    snprintf(place, sizeof(place), "%d %" PRIu64 " %llu %llu", fd,
             local * KEPT_REGION, (unsigned long long)st.st_dev,
             (unsigned long long)st.st_ino);
    spank_setenv(spank, "COMMPROF_KEEP", place, 1);
}

void node_report_cpus(spank_t spank, uint32_t local, uint32_t rank)
{
    struct node_shared *shared = topomap_report.shared;
    char *mask = NULL, line[TOLD_CPUS_LINE];
    int n;

    if (!shared || local >= topomap_report.ntasks)
        return;
    if (local == 0 && spank_getenv(spank, "SLURMD_NODENAME", shared->name,
                                   sizeof(shared->name)) != ESPANK_SUCCESS)
        shared->name[0] = '\0';
    if (!*topomap_report.cpus || affinity_current(&mask, NULL) < 0)
        return;
    n = snprintf(line, sizeof(line), "%" PRIu32 " %s\n", rank, mask);
    if (n > 0 && (size_t)n < sizeof(line))
        memcpy(shared->line[local], line, (size_t)n + 1);
    free(mask);
}

const char *node_report_planned(void)
{
    return topomap_report.levels;
}

void node_report_differs(void)
{
    if (topomap_report.shared)
        topomap_report.shared->differs = 1;
}

/* ---- in slurmstepd, after the tasks */

/* The recorded profile says how its tasks ended. */
static void note_end(spank_t spank)
{
    uint32_t ended;
    int task, status;
    off_t at;

    if (spank_get_item(spank, S_TASK_ID, &task) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_TASK_EXIT_STATUS, &status) != ESPANK_SUCCESS ||
        status == 0 || task < 0 || (uint32_t)task >= topomap_report.ntasks)
        return;
    at = (off_t)((uint64_t)task * KEPT_REGION +
                 offsetof(struct kept_head, ended));
    if (pread(topomap_report.counters, &ended, sizeof(ended), at) !=
        sizeof(ended))
        return;
    ended |= (uint32_t)status & 0xffff;
    (void)!pwrite(topomap_report.counters, &ended, sizeof(ended), at);
}

void node_report_task_ended(spank_t spank)
{
    if (topomap_report.counters >= 0)
        note_end(spank);
    /* srun need not wait for a tree alone. */
    if (++topomap_report.nended >= topomap_report.ntasks &&
        (topomap_report.counters >= 0 || *topomap_report.cpus))
        node_report_close();
}

/* Only the socket tells that it has ended: slurmstepd, which waits for whatever
 * child ends, may have had its number, and given it to another one. */
static void end_saver(void)
{
    struct pollfd end = {.fd = topomap_report.saver_fd, .events = POLLIN};

    if (send(end.fd, "", 1, MSG_NOSIGNAL) == 1)
        poll(&end, 1, COUNTERS_SECONDS * 1000);
    close(end.fd);
    user_fork_has_ended(topomap_report.saver);
}

void node_report_close(void)
{
    struct node_report *report = &topomap_report;
    bool has_counters = report->saver_fd >= 0, has_tree;
    pid_t pid;

    if (report->ntasks == 0)
        return;
    if (report->saver_fd >= 0)
        end_saver();
    for (uint32_t i = 0; report->counters >= 0 && i < report->ntasks; i++)
        has_counters = has_counters || region_used(i) > 0;
    has_tree = report->kind && (report->asks_tree || report->shared->differs);
    if (has_counters || *report->cpus || has_tree) {
        if ((pid = fork()) == 0)
            be_the_writer(has_counters, has_tree);
        if (pid > 0)
            user_fork_wait(pid,
                           has_counters ? COUNTERS_SECONDS : WRITE_SECONDS);
    }
    if (report->counters >= 0)
        close(report->counters);
    if (report->shared)
        munmap(report->shared, shared_size(report->ntasks));
    user_fork_forget(&report->user);
    *report = (struct node_report){.counters = -1, .saver_fd = -1};
}
