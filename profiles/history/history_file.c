/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* history_file.c - lines and maps written into a folder by any number of
 * processes, none of which waits for another */
#include "config.h"

#include "profiles/history/history_file.h"

#include "base/buffer.h"
#include "base/fnv.h"
#include "profiles/bounded_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Of one user in a folder: where a stranger has taken a name, each line is a
 * file. */
#define STEPS_FILES 1024

static int fail(struct mapcore_error *err, const char *what, const char *path)
{
    return error_set(err, MAPCORE_EIO, "cannot %s %.300s: %s", what, path,
                     strerror(errno));
}

/* steps-<uid>-<host>, with any characters in the host's name. */
static int name_file(struct buffer *out)
{
    char host[65] = "";

    (void)gethostname(host, sizeof(host) - 1);
    host[strcspn(host, ".")] = '\0';
    if (!plain_name_check(host, sizeof(host) - 1))
        snprintf(host, sizeof(host), "host");
    return buffer_printf(out, HISTORY_STEPS "%lu-%s", (unsigned long)geteuid(),
                         host);
}

/* A name that no other process takes, of the same origin. */
static int name_aside(struct buffer *out, const char *name)
{
    return buffer_printf(out, "%s.%lld-%ld", name, (long long)time(NULL),
                         (long)getpid());
}

static void make_room(const struct own_folder *folder)
{
    char mine[64];
    const struct bounded_folder bounds = {.prefix = mine,
                                          .files = STEPS_FILES,
                                          .bytes = HISTORY_LINES_MOST -
                                                   HISTORY_FILE_MOST};

    snprintf(mine, sizeof(mine), HISTORY_STEPS "%lu-",
             (unsigned long)geteuid());
    bounded_folder_make_room(folder, &bounds);
}

/* Where two do this at once, the second puts a short file aside, and nothing is
 * lost. A process that still has it open appends there. */
static void put_aside(const struct own_folder *folder,
                      const char *name,
                      const struct stat *st)
{
    struct buffer aside = {0};
    struct stat now;

    if (own_folder_stat(&now, folder, name) == 0 && now.st_ino == st->st_ino &&
        now.st_dev == st->st_dev && name_aside(&aside, name) == 0)
        (void)own_folder_rename(folder, name, aside.bytes);
    buffer_clear(&aside);
    make_room(folder);
}

/* Only the writer may read its lines, and in a log's folder with the set-group
 * bit those whom the site has put into that group. */
static unsigned mode_in(const struct own_folder *folder)
{
    struct stat st;
    const unsigned log = S_ISGID | S_ISVTX;

    return own_folder_stat(&st, folder, ".") == 0 && (st.st_mode & log) == log
               ? 0640
               : 0600;
}

/* In a log's folder a stranger may have taken the name: then the line gets a
 * file of its own. */
static int open_file(int *fd,
                     struct stat *st,
                     const struct own_folder *folder,
                     struct buffer *name,
                     struct mapcore_error *err)
{
    const unsigned mode = mode_in(folder);
    struct buffer other = {.err = err};
    struct stat there;
    int error = own_folder_append(fd, st, folder, name->bytes, mode, err);

    if (error < 0 && own_folder_stat(&there, folder, name->bytes) == 0 &&
        there.st_uid != geteuid() && name_aside(&other, name->bytes) == 0) {
        make_room(folder);
        error = own_folder_append(fd, st, folder, other.bytes, mode, err);
    }
    buffer_clear(&other);
    return error;
}

/* Behind what somebody could not write whole on a full disk a new line
 * begins. */
static int write_line(int fd,
                      const char *path,
                      const char *line,
                      size_t n,
                      off_t size,
                      struct mapcore_error *err)
{
    struct buffer text = {.err = err};
    char last = '\n';
    ssize_t written = -1;
    int error;

    if (size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n')
        buffer_append(&text, "\n", 1);
    if ((error = buffer_append(&text, line, n)) == 0) {
        errno = ENOSPC;
        written = write(fd, text.bytes, text.n);
        if (written != (ssize_t)text.n)
            error = fail(err, "write", path);
    }
    /* Part of a line is known by its missing end; if that can be written. */
    if (written > 0 && error < 0)
        (void)!write(fd, "\n", 1);
    buffer_clear(&text);
    return error;
}

int history_append(const struct own_folder *folder,
                   const char *line,
                   size_t n,
                   struct mapcore_error *err)
{
    struct buffer name = {.err = err};
    struct stat st;
    int fd = -1, error = name_file(&name);

    if (error == 0)
        error = open_file(&fd, &st, folder, &name, err);
    if (error == 0 && st.st_size > 0 &&
        (uint64_t)st.st_size + n > HISTORY_FILE_MOST) {
        put_aside(folder, name.bytes, &st);
        close(fd);
        fd = -1;
        error = open_file(&fd, &st, folder, &name, err);
    }
    if (error == 0)
        error = write_line(fd, name.bytes, line, n, st.st_size, err);
    if (fd >= 0 && close(fd) < 0 && error == 0)
        error = fail(err, "write", name.bytes);
    buffer_clear(&name);
    return error;
}

/* What the name of a map, or of CPUs, begins with; NULL: it is neither's. */
static const char *prefix_of(const char *name)
{
    static const char *const prefixes[] = {HISTORY_MAPS, HISTORY_CPUS};

    for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0 &&
            plain_name_check(name, NAME_MAX))
            return prefixes[i];
    return NULL;
}

/* A folder is looked through, file by file, which is what a file server has
 * least to spare of, where its turn has come: one small map in this number, and
 * each large one. */
static bool has_turn(const char *name, size_t n)
{
    enum { TURN = 32 };

    return n > HISTORY_MAPS_MOST / HISTORY_MAPS_COUNT ||
           (fnv1a(name, strlen(name)) >> 32) % TURN == 0;
}

int history_keep_map(const struct own_folder *folder,
                     const char *name,
                     const char *text,
                     struct mapcore_error *err)
{
    const struct bounded_folder bounds = {.prefix = prefix_of(name),
                                          .files = HISTORY_MAPS_COUNT - 1,
                                          .bytes = HISTORY_MAPS_MOST -
                                                   HISTORY_MAP_MOST};

    if (!bounds.prefix)
        return error_set(err, MAPCORE_EINVAL, "%.64s: no name of a map", name);
    if (strlen(text) > HISTORY_MAP_MOST)
        return error_set(err, MAPCORE_ERANGE, "a map too large to be kept");
    if (has_turn(name, strlen(text)))
        bounded_folder_make_room(folder, &bounds);
    return own_folder_write(folder, name, text, err);
}

int history_read_map(char **out,
                     size_t *n,
                     const struct own_folder *folder,
                     const char *name,
                     struct mapcore_error *err)
{
    struct buffer text = {0};
    int error;

    if (!prefix_of(name))
        return error_set(err, MAPCORE_EINVAL, "%.64s: no name of a map", name);
    error = own_folder_read(&text, NULL, folder, name, HISTORY_MAP_MOST, err);
    if (error == 0)
        *n = text.n;
    return buffer_finish(out, &text, error);
}
