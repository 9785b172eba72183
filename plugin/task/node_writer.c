/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* node_writer.c - from slurmstepd, which is root and has threads, to a process
 * that is the user's and only writes: no launch waits for storage, and
 * slurmstepd neither reads nor writes files */
#include "config.h"

#include "plugin/task/node_writer.h"

#include "launch/kept.h"
#include "launch/plain_name.h"
#include "plugin/task/hardware.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Where the writer has its descriptors. */
enum { REGION_FD = 3, END_FD };

static bool become_user(const struct node_report *report)
{
    uid_t real, effective, saved;

    if (geteuid() != 0 && seteuid(0) < 0 && errno != EPERM)
        return false;
    if (geteuid() == 0 &&
        (syscall(SYS_setgroups, (size_t)report->ngroups, report->groups) < 0 ||
         syscall(SYS_setresgid, report->gid, report->gid, report->gid) < 0 ||
         syscall(SYS_setresuid, report->uid, report->uid, report->uid) < 0))
        return false;
    return getresuid(&real, &effective, &saved) == 0 && real == report->uid &&
           effective == report->uid && saved == report->uid;
}

/* In the fork, which has only the calls that a signal handler has, for other
 * threads of slurmstepd may hold the locks of the rest: nothing of slurmstepd
 * is left but the region and the socket, and the user's rights are all that it
 * has. Ends the process where that cannot be. */
static void leave_slurmstepd(struct node_report *report, int end)
{
    const int keep[] = {report->region.fd, end};
    int moved[2];
    sigset_t none;

    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    /* Neither may be where the other one goes. */
    for (int i = 0; i < 2; i++)
        if ((moved[i] = fcntl(keep[i], F_DUPFD, END_FD + 1)) < 0)
            _exit(1);
    for (int i = 0; i < 2; i++)
        if (dup2(moved[i], REGION_FD + i) < 0)
            _exit(1);
    /* A process that hangs here must not keep open what others wait for. */
    close(0), close(1), close(2);
#ifdef SYS_close_range
    if (syscall(SYS_close_range, END_FD + 1U, ~0U, 0U) < 0)
#endif
        for (int other = END_FD + 1; other < 4096; other++)
            close(other);
    if (!become_user(report))
        _exit(1);
    report->region.fd = REGION_FD;
}

/* A folder to which the user alone can write, or -1. */
static int open_folder(const char *path)
{
    const int folder =
        open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;

    if (folder < 0 || (fstat(folder, &st) == 0 && st.st_uid == geteuid() &&
                       !(st.st_mode & (S_IWGRP | S_IWOTH))))
        return folder;
    close(folder);
    return -1;
}

/* Its digits, 11 bytes at most. Not snprintf, which may want locks of others.
 */
static void put_number(char *out, uint32_t number)
{
    char digits[11], *digit = digits + sizeof(digits) - 1;

    *digit = '\0';
    for (; number > 0 || !*digit; number /= 10)
        *--digit = (char)('0' + number % 10);
    stpcpy(out, digit);
}

/* A file gets its name when it is whole; another node may write the same. */
struct user_file {
    int folder, fd;
    char name[100], part[140];
};

/* name and end, together shorter than name; a file that was there goes. */
static bool open_file(struct user_file *out,
                      int folder,
                      const char *name,
                      const char *end)
{
    out->folder = folder;
    stpcpy(stpcpy(out->name, name), end);
    put_number(stpcpy(stpcpy(out->part, out->name), ".part-"),
               (uint32_t)getpid());
    out->fd =
        openat(folder, out->part,
               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    return out->fd >= 0;
}

static bool write_file(struct user_file *file, const void *bytes, size_t n)
{
    ssize_t put;

    for (size_t done = 0; done < n; done += (size_t)put)
        if ((put = write(file->fd, (const char *)bytes + done, n - done)) <= 0)
            return false;
    return true;
}

/* Whether it has its name; what is not whole is removed. */
static bool close_file(struct user_file *file, bool is_whole)
{
    if (close(file->fd) == 0 && is_whole &&
        renameat(file->folder, file->part, file->folder, file->name) == 0)
        return true;
    unlinkat(file->folder, file->part, 0);
    return false;
}

uint64_t node_writer_used(const struct node_region *region, uint32_t task)
{
    struct kept_head head;

    if (pread(region->fd, &head, sizeof(head), (off_t)(task * KEPT_REGION)) !=
        (ssize_t)sizeof(head))
        return 0;
    if (head.state != KEPT_COUNTING && head.ended != 0)
        return sizeof(head);
    if (head.magic != KEPT_MAGIC || head.state != KEPT_COUNTING ||
        head.used < sizeof(head) || head.used > KEPT_REGION)
        return 0;
    return head.used;
}

/* A task that still runs may use more by now, or none. */
static bool copy_region(struct user_file *out,
                        const struct node_region *region,
                        uint32_t task,
                        uint64_t used)
{
    static _Alignas(struct kept_head) char bytes[1 << 16];
    struct kept_head *const head = (struct kept_head *)(void *)bytes;
    const uint64_t from = task * KEPT_REGION;

    for (uint64_t at = 0; at < used;) {
        size_t n = used - at < sizeof(bytes) ? used - at : sizeof(bytes);
        ssize_t got = pread(region->fd, bytes, n, (off_t)(from + at));
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
        if (!write_file(out, bytes, (size_t)got))
            return false;
        at += (uint64_t)got;
    }
    return true;
}

/* As node.end; where no task has counted there is no such file. The states
 * before go with the end of the step. */
static void write_counters(const struct node_report *report,
                           const char *node,
                           const char *end)
{
    const int folder = open_folder(report->spool);
    struct user_file out = {.fd = -1};
    bool whole = folder >= 0;
    uint64_t used;

    for (uint32_t i = 0; whole && i < report->region.ncounters; i++)
        if ((used = node_writer_used(&report->region, i)) > 0)
            whole = (out.fd >= 0 || open_file(&out, folder, node, end)) &&
                    copy_region(&out, &report->region, i, used);
    if (out.fd >= 0)
        whole = close_file(&out, whole);
    else if (whole) {
        stpcpy(stpcpy(out.name, node), end);
        unlinkat(folder, out.name, 0);
    }
    if (whole && strcmp(end, "." KEPT_END) == 0) {
        stpcpy(stpcpy(out.name, node), "." KEPT_SO_FAR);
        unlinkat(folder, out.name, 0);
    }
    if (folder >= 0)
        close(folder);
}

static void write_cpus(const struct node_report *report, const char *node)
{
    const int folder = open_folder(report->cpus);
    struct user_file out;
    bool whole = true;

    if (folder < 0 || !open_file(&out, folder, node, ""))
        return;
    for (uint32_t i = 0; whole && i < report->ntasks; i++) {
        const char *line = report->region.head->line[i];

        whole = write_file(&out, line, strnlen(line, STEP_CPUS_LINE));
    }
    close_file(&out, whole);
}

static void write_tree(const struct node_report *report)
{
    const char *const names[] = {report->kind, report->region.head->name};
    const char *const ends[] = {NODE_FILE NODE_KIND, NODE_FILE};
    const int folder = open_folder(report->tree_folder);
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
            open_file(&out, folder, ends[i], names[i]))
            close_file(&out, write_file(&out, text, (size_t)n));
}

/* What slurmstepd sends; without it slurmstepd is gone, and no other process
 * will write the counters. */
enum order { ORDER_GONE, ORDER_WRITE, ORDER_TREE };

/* Counters first, of which there is no other copy; the tree last, for hwloc
 * takes longest. */
static _Noreturn void run(struct node_report *report, int end)
{
    struct pollfd wait = {.fd = END_FD, .events = POLLIN};
    char node[24], order = ORDER_GONE;
    int n;

    leave_slurmstepd(report, end);
    put_number(stpcpy(node, STEP_CPUS_FILE), report->node);
    while ((n = poll(&wait, 1,
                     report->every > 0 ? report->every * 1000 : -1)) == 0 ||
           (n < 0 && errno == EINTR))
        if (n == 0)
            write_counters(report, node, "." KEPT_SO_FAR);
    if (read(END_FD, &order, 1) != 1)
        order = ORDER_GONE;
    if (report->region.ncounters > 0)
        write_counters(report, node,
                       order == ORDER_GONE ? "." KEPT_SO_FAR : "." KEPT_END);
    if (report->cpus && order != ORDER_GONE)
        write_cpus(report, node);
    if (order == ORDER_TREE)
        write_tree(report);
    _exit(0);
}

/* A process of its own, for a thread of slurmstepd's, or a timer, could not
 * wait for storage; and nothing in the tasks, which it costs nothing. */
void node_writer_begin(struct node_report *report)
{
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return;
    if ((report->writer = fork()) == 0)
        run(report, ends[1]);
    close(ends[1]);
    if (report->writer < 0)
        close(ends[0]);
    else
        report->writer_fd = ends[0];
}

/* Only the socket tells that it has ended: slurmstepd, which waits for any
 * child, may have had its number, and given it to another one. */
void node_writer_end(struct node_report *report, bool has_tree, int seconds)
{
    struct pollfd end = {.fd = report->writer_fd, .events = POLLIN};
    const char order = has_tree ? ORDER_TREE : ORDER_WRITE;

    if (report->writer_fd < 0)
        return;
    if (send(end.fd, &order, 1, MSG_NOSIGNAL) == 1)
        poll(&end, 1, seconds * 1000);
    close(end.fd);
    waitpid(report->writer, NULL, WNOHANG);
    report->writer_fd = -1;
}
