/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tool.c - messages, option arguments and output files of every subcommand */
#include "config.h"

#include "tools/tool.h"

#include "base/array.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int tool_usage(const char *command, const char *format, ...)
{
    const char *gap = *command != '\0' ? " " : "";
    va_list args;

    fprintf(stderr, "topomap%s%s: ", gap, command);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "; try 'topomap%s%s --help'\n", gap, command);
    return TOOL_USAGE;
}

int tool_fail(const char *format, ...)
{
    va_list args;

    fputs("topomap: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return TOOL_FAILED;
}

void tool_note(const char *format, ...)
{
    va_list args;

    fputs("topomap: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

int tool_list_add(struct tool_list *list,
                  const char *item,
                  struct mapcore_error *err)
{
    int error = array_reserve(&list->item, &list->capacity, list->n + 1,
                              sizeof(*list->item), err);

    if (error < 0)
        return error;
    list->item[list->n++] = item;
    return 0;
}

/* Writing through a symlink must change the file behind it, not the link. */
static char *final_path(const char *path)
{
    char *real = realpath(path, NULL);

    return real ? real : strdup(path);
}

int tool_output_open(struct tool_output *out,
                     const char *path,
                     struct mapcore_error *err)
{
    struct tool_output made = {0};
    struct stat st;
    size_t size;
    int fd;

    made.path = final_path(path);
    if (!made.path)
        return error_set(err, MAPCORE_ENOMEM, "no memory");
    if (strcmp(path, "-") == 0) {
        fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    } else if (stat(made.path, &st) == 0 && !S_ISREG(st.st_mode)) {
        fd = open(made.path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    } else {
        size = strlen(made.path) + 32;
        made.temporary = malloc(size);
        if (!made.temporary) {
            free(made.path);
            return error_set(err, MAPCORE_ENOMEM, "no memory");
        }
        snprintf(made.temporary, size, "%s.new-%ld", made.path, (long)getpid());
        fd =
            open(made.temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    made.file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!made.file) {
        error_set(err, MAPCORE_EIO, "cannot write %s: %s", path,
                  strerror(errno));
        if (fd >= 0) {
            close(fd);
            if (made.temporary)
                unlink(made.temporary);
        }
        free(made.temporary);
        free(made.path);
        return MAPCORE_EIO;
    }
    *out = made;
    return 0;
}

int tool_output_commit(struct tool_output *out, struct mapcore_error *err)
{
    bool broken = ferror(out->file) != 0;
    int error = 0;

    errno = 0;
    if (fflush(out->file) != 0)
        broken = true;
    /* What cannot be synced (a pipe, a terminal) says EINVAL. */
    if (!broken && out->temporary && fsync(fileno(out->file)) != 0 &&
        errno != EINVAL)
        broken = true;
    if (broken)
        error = error_set(err, MAPCORE_EIO, "cannot write %s: %s", out->path,
                          strerror(errno != 0 ? errno : EIO));
    if (fclose(out->file) != 0 && error == 0)
        error = error_set(err, MAPCORE_EIO, "cannot write %s: %s", out->path,
                          strerror(errno));
    out->file = NULL;
    if (error == 0 && out->temporary && rename(out->temporary, out->path) != 0)
        error = error_set(err, MAPCORE_EIO, "cannot rename %s to %s: %s",
                          out->temporary, out->path, strerror(errno));
    if (error == 0) {
        free(out->temporary);
        out->temporary = NULL;
    }
    tool_output_abandon(out);
    return error;
}

void tool_output_abandon(struct tool_output *out)
{
    if (out->file)
        fclose(out->file);
    if (out->temporary)
        unlink(out->temporary);
    free(out->temporary);
    free(out->path);
    *out = (struct tool_output){0};
}

unsigned tool_cpus(unsigned most)
{
    cpu_set_t set;
    int n;

    /* Fails on machines with more CPUs than cpu_set_t holds. */
    if (sched_getaffinity(0, sizeof(set), &set) != 0)
        return most;
    n = CPU_COUNT(&set);
    if (n < 1)
        return 1;
    return (unsigned)n < most ? (unsigned)n : most;
}

double tool_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void tool_print_word(const char *text)
{
    for (; *text != '\0'; text++)
        putchar((unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text);
}
