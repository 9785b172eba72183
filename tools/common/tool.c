/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tool.c - messages, option arguments and output files of every subcommand */
#include "config.h"

#include "tools/common/tool.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/printable.h"
#include "base/process.h"
#include "base/text.h"
#include "json/json.h"

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

/* Links followed one after another, as the kernel does. */
enum { MOST_LINKS = 40 };

/* topomap-mpi is a program of its own: its name is "-mpi". */
static const char *before(const char *command)
{
    return *command == '\0' || *command == '-' ? "" : " ";
}

/* Said once, before anything can fail. */
static bool errors_are_json;

void tool_errors_as_json(bool yes)
{
    errors_are_json = yes;
}

static void print_json(int status, const char *text)
{
    struct json_writer writer;
    struct mapcore_error ignored;

    json_writer_start_lines(&writer, stderr);
    json_begin_object(&writer, NULL);
    json_put_string(&writer, "error", text);
    json_put_u64(&writer, "status", (uint64_t)status);
    json_end_line(&writer);
    (void)json_writer_end(&writer, &ignored);
}

/* "topomap COMMAND: " and the text, of any length, which the terminal only
 * shows; TOOL_OK is no error. */
__attribute__((format(printf, 3, 0))) static int say(int status,
                                                     const char *command,
                                                     const char *format,
                                                     va_list args)
{
    char *text = NULL;
    const char *shown =
        vasprintf(&text, format, args) >= 0 ? text : "out of memory";

    if (errors_are_json && status != TOOL_OK) {
        print_json(status, shown);
    } else {
        fprintf(stderr, "topomap%s%s: ", before(command), command);
        printable_write(stderr, shown);
        if (status == TOOL_USAGE)
            fprintf(stderr, "%s 'topomap%s%s --help'",
                    shown[strlen(shown) - 1] == '?' ? " Try" : "; try",
                    before(command), command);
        fputc('\n', stderr);
    }
    if (shown == text)
        free(text);
    return status;
}

int tool_usage(const char *command, const char *format, ...)
{
    va_list args;
    int status;

    va_start(args, format);
    status = say(TOOL_USAGE, command, format, args);
    va_end(args);
    return status;
}

int tool_fail(const char *format, ...)
{
    va_list args;
    int status;

    va_start(args, format);
    status = say(TOOL_FAILED, "", format, args);
    va_end(args);
    return status;
}

void tool_note(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)say(TOOL_OK, "", format, args);
    va_end(args);
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

/* A link that somebody else put into a folder where all may (sticky, as /tmp
 * is) leads where he wants: the kernel refuses to follow it
 * (protected_symlinks), and so do we, who look where it leads instead of
 * opening it. */
static bool may_follow(const char *link, const struct stat *st)
{
    const char *slash = strrchr(link, '/');
    size_t n = slash ? (size_t)(slash - link) + 1 : 1;
    char *folder = strndup(slash ? link : ".", n);
    struct stat above;
    bool may = folder && stat(folder, &above) == 0 &&
               (!(above.st_mode & S_ISVTX) || !(above.st_mode & S_IWOTH) ||
                st->st_uid == geteuid() || st->st_uid == above.st_uid);

    free(folder);
    return may;
}

/* Writing through a symlink must change the file behind it, not the link: *out
 * (owned) is what path leads to in the end, whether it exists or not. */
static int final_path(char **out, const char *path, struct mapcore_error *err)
{
    char *at, *slash;
    struct buffer next = {.err = err};
    char target[PATH_MAX];
    struct stat st;
    ssize_t n;
    int error = text_copy(&at, path, err);

    for (int i = 0; error == 0 && lstat(at, &st) == 0 && S_ISLNK(st.st_mode);
         i++) {
        n = readlink(at, target, sizeof(target) - 1);
        if (n < 0 || i == MOST_LINKS)
            error = error_set(err, MAPCORE_EIO, "cannot write %s: %s", path,
                              strerror(n < 0 ? errno : ELOOP));
        else if (!may_follow(at, &st))
            error = error_set(err, MAPCORE_ETRUST,
                              "cannot write %s: the link %s is of user %lu, in "
                              "a folder that all may write to",
                              path, at, (unsigned long)st.st_uid);
        if (error < 0)
            break;
        target[n] = '\0';
        slash = target[0] != '/' ? strrchr(at, '/') : NULL;
        error = buffer_printf(&next, "%.*s%s",
                              slash ? (int)(slash - at) + 1 : 0, at, target);
        free(at);
        at = buffer_steal(&next);
    }
    if (error == 0)
        *out = at;
    else
        free(at);
    return error;
}

/* Opens stdout, or what is no regular file, to be written as it is. */
static int open_directly(struct tool_output *out,
                         const char *path,
                         struct mapcore_error *err)
{
    int fd = strcmp(path, "-") == 0
                 ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
                 : open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    int error = text_copy(&out->path, path, err);

    out->file = fd >= 0 && error == 0 ? fdopen(fd, "w") : NULL;
    if (out->file)
        return 0;
    if (error == 0)
        error = error_set(err, MAPCORE_EIO, "cannot write %s: %s", path,
                          strerror(errno));
    if (fd >= 0)
        close(fd);
    free(out->path);
    return error;
}

/* What no rename replaces: a device, a FIFO, a file that has no name. */
static bool is_special(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && (!S_ISREG(st.st_mode) || st.st_nlink == 0);
}

int tool_output_open(struct tool_output *out,
                     const char *path,
                     struct mapcore_error *err)
{
    struct tool_output made = {0};
    char *final = NULL;
    int error = 0;

    path = path ? path : "-";
    if (strcmp(path, "-") != 0)
        error = final_path(&final, path, err);
    if (error == 0 && (!final || is_special(path)))
        error = open_directly(&made, path, err);
    else if (error == 0) {
        error = file_replace_open(&made.beside, final, 0666, err);
        made.file = made.beside.file;
    }
    free(final);
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

int tool_output_end(struct tool_output *out,
                    int error,
                    struct mapcore_error *err)
{
    if (error == 0)
        return tool_output_commit(out, err);
    tool_output_abandon(out);
    return error;
}

int tool_append_open(const char *path, struct mapcore_error *err)
{
    const int flags = O_WRONLY | O_APPEND | O_NOCTTY;
    char *final = NULL;
    int fd, error = final_path(&final, path, err);

    if (error < 0)
        return error;
    /* What may have been put there meanwhile is no link to be followed. */
    fd = is_special(path) ? open(path, flags)
                          : open(final, flags | O_CREAT | O_NOFOLLOW, 0666);
    free(final);
    return fd >= 0 ? fd
                   : error_set(err, MAPCORE_EIO, "cannot write %.400s: %s",
                               path, strerror(errno));
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

static bool counts_cpu_time;

void tool_count_cpu_time(void)
{
    counts_cpu_time = true;
}

double tool_now(void)
{
    struct timespec now;

    if (!counts_cpu_time || clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) < 0)
        return process_clock();
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void tool_print(const char *format, ...)
{
    char *text = NULL;
    va_list args;
    int n;

    va_start(args, format);
    n = vasprintf(&text, format, args);
    va_end(args);
    if (n < 0)
        return;
    /* The newline that ends the format; all others are words'. */
    if (n > 0 && text[n - 1] == '\n')
        text[n - 1] = '\0';
    printable_write(stdout, text);
    putchar('\n');
    free(text);
}
