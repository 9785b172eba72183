/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* recorder_file.c - what ld.so would say of a file to preload, asked before
 * each task of a step says it, or hangs in it */
#include "config.h"

#include "plugin/handoff/recorder_file.h"

#include "base/error_set.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* No library has more: the recorders have eleven. */
#define SEGMENTS_MOST 64

int recorder_file_check_path(const char *path, struct mapcore_error *err)
{
    for (const char *c = path; *c; c++)
        if (*c == ':' || *c == ' ' || (unsigned char)*c < ' ' || *c == 0x7f)
            return error_set(err, MAPCORE_EINVAL,
                             "%.300s: a recorder's path has no colon, blank or "
                             "control character, where ld.so divides paths",
                             path);
    return 0;
}

static bool read_at(int fd, off_t offset, void *out, size_t n)
{
    return pread(fd, out, n, offset) == (ssize_t)n;
}

/* Of the process that asks. */
static bool same_machine(const ElfW(Ehdr) * header)
{
    ElfW(Ehdr) own;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    bool known = fd >= 0 && read_at(fd, 0, &own, sizeof(own));

    if (fd >= 0)
        close(fd);
    return known && memcmp(header->e_ident, own.e_ident, EI_DATA + 1) == 0 &&
           header->e_machine == own.e_machine;
}

/* NULL: it is a library. */
static const char *what_is_wrong(int fd, off_t size)
{
    ElfW(Ehdr) header;
    ElfW(Phdr) segment[SEGMENTS_MOST];

    if (!read_at(fd, 0, &header, sizeof(header)) ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        return "not a shared object";
    if (!same_machine(&header))
        return "a shared object for another machine";
    if (header.e_type != ET_DYN)
        return "not a shared object";
    if (header.e_phnum == 0 || header.e_phnum > SEGMENTS_MOST ||
        header.e_phentsize != sizeof(segment[0]) ||
        header.e_phoff > (uint64_t)size ||
        !read_at(fd, (off_t)header.e_phoff, segment,
                 header.e_phnum * sizeof(segment[0])))
        return "cut off";
    for (int i = 0; i < header.e_phnum; i++) {
        if (segment[i].p_type == PT_INTERP)
            return "a program, and no library to preload";
        if (segment[i].p_type == PT_LOAD &&
            (segment[i].p_filesz > (uint64_t)size ||
             segment[i].p_offset > (uint64_t)size - segment[i].p_filesz))
            return "cut off";
    }
    return NULL;
}

int recorder_file_check(const char *path, struct mapcore_error *err)
{
    const char *wrong = "not a regular file";
    struct stat status;
    int fd, error = recorder_file_check_path(path, err);

    if (error < 0)
        return error;
    /* Opening a pipe or a device may wait, or do something. */
    fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) < 0) {
        error =
            error_set(err, MAPCORE_EIO, "%.400s: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return error;
    }
    if (S_ISREG(status.st_mode))
        wrong = what_is_wrong(fd, status.st_size);
    close(fd);
    return wrong ? error_set(err, MAPCORE_EINVAL,
                             "%.400s is no recorder: it is %s", path, wrong)
                 : 0;
}

int recorder_file_check_program(const char *program, struct mapcore_error *err)
{
    struct stat status;
    bool other_user, other_group;

    if (stat(program, &status) < 0)
        return 0;
    other_user = (status.st_mode & S_ISUID) && status.st_uid != getuid();
    /* Without the group's x it means something else. */
    other_group = (status.st_mode & S_ISGID) && (status.st_mode & S_IXGRP) &&
                  status.st_gid != getgid();
    if (other_user || other_group)
        return error_set(err, MAPCORE_ENOTSUP,
                         "%.400s runs as another %s: nothing is preloaded into "
                         "it",
                         program, other_user ? "user" : "group");
    /* root's programs have all of them anyway. */
    if (getuid() != 0 && getxattr(program, "security.capability", NULL, 0) > 0)
        return error_set(err, MAPCORE_ENOTSUP,
                         "%.400s has capabilities: nothing is preloaded into "
                         "it",
                         program);
    return 0;
}
