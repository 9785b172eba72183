/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz.h - what the fuzz targets share: the entry that libFuzzer and driver.c
 * call, checks that end the program, bytes as a file */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold of any input that was accepted. */
#define EXPECT(truth)                                                          \
    do {                                                                       \
        if (!(truth)) {                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__,         \
                    #truth);                                                   \
            abort();                                                           \
        }                                                                      \
    } while (0)

/* The bytes as a file in memory, for readers that want a path. */
struct fuzz_file {
    int fd;
    char path[32];
};

static inline void fuzz_file_open(struct fuzz_file *out,
                                  const uint8_t *data,
                                  size_t size)
{
    out->fd = memfd_create("fuzz", MFD_CLOEXEC);
    EXPECT(out->fd >= 0);
    EXPECT(write(out->fd, data, size) == (ssize_t)size);
    snprintf(out->path, sizeof(out->path), "/proc/self/fd/%d", out->fd);
}

static inline void fuzz_file_close(struct fuzz_file *file)
{
    close(file->fd);
}

/* The bytes as a string of the caller's, to be freed. */
static inline char *fuzz_string(const uint8_t *data, size_t size)
{
    char *string = malloc(size + 1);

    EXPECT(string != NULL);
    if (size > 0)
        memcpy(string, data, size);
    string[size] = '\0';
    return string;
}

#endif
