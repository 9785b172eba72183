/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hangfs.c - storage that never answers: a FUSE file system that takes every
 * request and leaves it lying, so that whoever asked cannot even be killed.
 *   hangfs FOLDER SECONDS
 * mounts it over FOLDER and says so on stdout. After that time, with its parent
 * or by TERM it unmounts and ends, and with its descriptor the kernel ends all
 * that waits: nobody hangs longer than we live. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <unistd.h>

static volatile sig_atomic_t ended;

static void end(int signal)
{
    (void)signal;
    ended = 1;
}

/* The one answer: without it nobody's request would reach us, and who waits for
 * that can be killed. */
static int greet(int fd, const struct fuse_in_header *in)
{
    struct {
        struct fuse_out_header header;
        struct fuse_init_out init;
    } out;

    memset(&out, 0, sizeof(out));
    out.header.len = sizeof(out);
    out.header.unique = in->unique;
    out.init.major = FUSE_KERNEL_VERSION;
    out.init.minor = 31;
    out.init.max_readahead = 4096;
    out.init.max_write = 4096;
    return write(fd, &out, sizeof(out)) == sizeof(out) ? 0 : -1;
}

static void take_all(int fd)
{
    /* The least that the kernel lets a request be read into is 8 KiB. */
    static char request[1 << 17];

    while (!ended) {
        ssize_t n = read(fd, request, sizeof(request));
        const struct fuse_in_header *in = (const void *)request;

        if (n < 0 && errno != EINTR && errno != ENOENT && errno != EAGAIN)
            return;
        if (n >= (ssize_t)sizeof(*in) && in->opcode == FUSE_INIT)
            greet(fd, in);
    }
}

int main(int argc, char **argv)
{
    /* No SA_RESTART: read() is to be interrupted. */
    struct sigaction action = {.sa_handler = end};
    int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    char options[128];

    if (argc != 3 || fd < 0) {
        perror("/dev/fuse");
        return 1;
    }
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
    snprintf(options, sizeof(options),
             "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fd);
    if (mount("hangfs", argv[1], "fuse", MS_NOSUID | MS_NODEV, options) < 0) {
        perror(argv[1]);
        return 1;
    }
    alarm((unsigned)atoi(argv[2]));
    puts("mounted");
    fflush(stdout);
    take_all(fd);
    umount2(argv[1], MNT_DETACH);
    return 0;
}
