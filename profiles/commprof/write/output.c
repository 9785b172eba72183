/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* output.c - new files, and numbers written fast */
#include "config.h"

#include "commprof/write/output.h"

#include "base/error_set.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int fail(struct mapcore_error *err, const char *path)
{
    return error_set(err, MAPCORE_EIO, "cannot write %s: %s", path,
                     strerror(errno));
}

FILE *output_create(const char *path, struct mapcore_error *err)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

    if (!file) {
        fail(err, path);
        if (fd >= 0)
            close(fd);
    }
    return file;
}

int output_finish(FILE *file, const char *path, struct mapcore_error *err)
{
    const int failed = ferror(file) | fflush(file), held = errno;

    if (fclose(file) == 0 && !failed)
        return 0;
    if (failed)
        errno = held;
    return fail(err, path);
}

void output_number(FILE *file, uint64_t number, char after)
{
    char text[24];
    size_t at = sizeof(text);

    text[--at] = after;
    do {
        text[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    fwrite(text + at, 1, sizeof(text) - at, file);
}
