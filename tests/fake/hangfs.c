/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hangfs.c - storage that never answers: a FUSE file system that takes every
 * request and leaves it lying, so that the caller cannot even be killed.
 *   hangfs FOLDER SECONDS [stat|open|exec|read SOURCE]
 * mounts it over FOLDER and says so on stdout. With the name of an operation it
 * shows the files of SOURCE, to be read, until somebody does that. After the
 * time, with its parent
 * or by TERM it unmounts and ends, and with its descriptor the kernel ends all
 * that waits: no process hangs longer than we live. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the kernel adds to the flags of a file that it opens to execute it. */
#define FOR_EXEC 0x20

static volatile sig_atomic_t ended;

static void end(int signal)
{
    (void)signal;
    ended = 1;
}

/* Without this answer no request would reach us, and a process that waits for
 * that can be killed. */
static const struct fuse_init_out greeting = {
    .major = FUSE_KERNEL_VERSION,
    .minor = 31,
    .max_readahead = 4096,
    .max_write = 4096,
};

static int fuse;           /* /dev/fuse */
static const char *hangs;  /* the operation, or NULL: all of them */
static char *paths[65536]; /* of nodes, [FUSE_ROOT_ID] is SOURCE */
static uint64_t npaths;

static void reply(const struct fuse_in_header *in, const void *data, size_t n)
{
    static char out[sizeof(struct fuse_out_header) + (1 << 17)];
    const struct fuse_out_header header = {
        .len = (uint32_t)(sizeof(header) + n), .unique = in->unique};

    memcpy(out, &header, sizeof(header));
    if (n > 0)
        memcpy(out + sizeof(header), data, n);
    if (write(fuse, out, header.len) < 0)
        perror("reply");
}

static void refuse(const struct fuse_in_header *in, int error)
{
    const struct fuse_out_header header = {
        .len = sizeof(header), .error = -error, .unique = in->unique};

    if (write(fuse, &header, sizeof(header)) < 0)
        perror("refuse");
}

static int read_attributes(struct fuse_attr *out, uint64_t node)
{
    struct stat st;

    if (stat(paths[node], &st) < 0)
        return errno;
    *out = (struct fuse_attr){
        .ino = node,
        .size = (uint64_t)st.st_size,
        .blocks = (uint64_t)st.st_blocks,
        .mode = st.st_mode,
        .nlink = 1,
        .uid = st.st_uid,
        .gid = st.st_gid,
        .blksize = 4096,
    };
    return 0;
}

/* Nothing is cached: each look comes here. */
static void look_up(const struct fuse_in_header *in, const char *name)
{
    struct fuse_entry_out entry = {.nodeid = npaths};
    int error = 0;

    if (npaths == sizeof(paths) / sizeof(paths[0]) ||
        asprintf(&paths[npaths], "%s/%s", paths[in->nodeid], name) < 0)
        error = ENOMEM;
    if (error == 0 && (error = read_attributes(&entry.attr, npaths)) == 0) {
        npaths++;
        reply(in, &entry, sizeof(entry));
    } else
        refuse(in, error);
}

static void read_file(const struct fuse_in_header *in,
                      const struct fuse_read_in *read)
{
    static char bytes[1 << 17];
    int fd = open(paths[in->nodeid], O_RDONLY | O_CLOEXEC);
    size_t most = read->size < sizeof(bytes) ? read->size : sizeof(bytes);
    ssize_t n = fd < 0 ? -1 : pread(fd, bytes, most, (off_t)read->offset);

    if (n < 0)
        refuse(in, EIO);
    else
        reply(in, bytes, (size_t)n);
    if (fd >= 0)
        close(fd);
}

/* Whether a request is of the operation that is never answered. */
static bool is_it(const struct fuse_in_header *in)
{
    const struct fuse_open_in *file = (const void *)(in + 1);
    const char *is = in->opcode == FUSE_GETATTR ? "stat"
                     : in->opcode == FUSE_READ  ? "read"
                     : in->opcode != FUSE_OPEN  ? ""
                     : (file->flags & FOR_EXEC) ? "exec"
                                                : "open";

    return !hangs || strcmp(is, hangs) == 0;
}

static void answer(const struct fuse_in_header *in)
{
    const struct fuse_open_out opened = {.open_flags = 0};
    struct fuse_attr_out attributes = {0};

    switch (in->opcode) {
    case FUSE_LOOKUP:
        look_up(in, (const char *)(in + 1));
        break;
    case FUSE_GETATTR:
        if (read_attributes(&attributes.attr, in->nodeid) == 0)
            reply(in, &attributes, sizeof(attributes));
        else
            refuse(in, ENOENT);
        break;
    case FUSE_OPEN:
    case FUSE_OPENDIR:
        reply(in, &opened, sizeof(opened));
        break;
    case FUSE_READ:
        read_file(in, (const void *)(in + 1));
        break;
    case FUSE_RELEASE:
    case FUSE_RELEASEDIR:
        reply(in, NULL, 0);
        break;
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT:
        break;
    default:
        refuse(in, ENOSYS);
    }
}

static void take_all(void)
{
    /* The least that the kernel lets a request be read into is 8 KiB. */
    static char request[1 << 17];

    while (!ended) {
        ssize_t n = read(fuse, request, sizeof(request));
        const struct fuse_in_header *in = (const void *)request;

        if (n < 0 && errno != EINTR && errno != ENOENT && errno != EAGAIN)
            return;
        if (n < (ssize_t)sizeof(*in))
            continue;
        if (in->opcode == FUSE_INIT)
            reply(in, &greeting, sizeof(greeting));
        else if (!is_it(in))
            answer(in);
    }
}

int main(int argc, char **argv)
{
    /* No SA_RESTART: read() is to be interrupted. */
    struct sigaction action = {.sa_handler = end};
    char options[128];

    fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    if ((argc != 3 && argc != 5) || fuse < 0) {
        perror("/dev/fuse");
        return 1;
    }
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
    snprintf(options, sizeof(options),
             "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fuse);
    hangs = argv[3];
    paths[FUSE_ROOT_ID] = hangs ? argv[4] : NULL;
    npaths = FUSE_ROOT_ID + 1;
    if (mount("hangfs", argv[1], "fuse", MS_NOSUID | MS_NODEV, options) < 0) {
        perror(argv[1]);
        return 1;
    }
    alarm((unsigned)atoi(argv[2]));
    puts("mounted");
    fflush(stdout);
    take_all();
    umount2(argv[1], MNT_DETACH);
    return 0;
}
