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

/* Opens stdout, or what is no regular file, to be written as it is. */
static int open_directly(struct tool_output *out,
                         const char *path,
                         struct mapcore_error *err)
{
    int fd = strcmp(path, "-") == 0
                 ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
                 : open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    int error = MAPCORE_ENOMEM;

    out->path = array_copy(path, strlen(path) + 1, 1, err);
    out->file = fd >= 0 && out->path ? fdopen(fd, "w") : NULL;
    if (out->file)
        return 0;
    if (out->path)
        error = error_set(err, MAPCORE_EIO, "cannot write %s: %s", path,
                          strerror(errno));
    if (fd >= 0)
        close(fd);
    free(out->path);
    return error;
}

int tool_output_open(struct tool_output *out,
                     const char *path,
                     struct mapcore_error *err)
{
    struct tool_output made = {0};
    struct stat st;
    char *final;
    int error;

    if (strcmp(path, "-") == 0 ||
        (stat(path, &st) == 0 && !S_ISREG(st.st_mode))) {
        error = open_directly(&made, path, err);
    } else if (!(final = final_path(path))) {
        error = error_set(err, MAPCORE_ENOMEM, "no memory");
    } else {
        error = file_replace_open(&made.beside, final, 0666, err);
        made.file = made.beside.file;
        free(final);
    }
    if (error == 0)
        *out = made;
    return error;
}

int tool_output_commit(struct tool_output *out, struct mapcore_error *err)
{
    bool broken;
    int error = 0;

    if (out->beside.file) {
        error = file_replace_commit(&out->beside, err);
    } else {
        errno = 0;
        broken = ferror(out->file) != 0;
        if (fclose(out->file) != 0 || broken)
            error = error_set(err, MAPCORE_EIO, "cannot write %s: %s",
                              out->path, strerror(errno != 0 ? errno : EIO));
    }
    free(out->path);
    *out = (struct tool_output){0};
    return error;
}

void tool_output_abandon(struct tool_output *out)
{
    if (out->beside.file)
        file_replace_abandon(&out->beside);
    else if (out->file)
        fclose(out->file);
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
