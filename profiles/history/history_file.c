/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* history_file.c - lines and maps written into a folder by any number of
 * processes, none of which waits for another */
#include "config.h"

#include "profiles/history/history_file.h"

#include "base/buffer.h"
#include "base/file_read.h"
#include "base/file_replace.h"
#include "base/fnv.h"
#include "launch/plain_name.h"
#include "profiles/bounded_folder.h"
#include "profiles/catalogue/catalogue_beside.h"
#include "profiles/catalogue/catalogue_names.h"
#include "profiles/catalogue/catalogue_trust.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int fail(struct mapcore_error *err, const char *what, const char *path)
{
    return error_set(err, MAPCORE_EIO, "cannot %s %.300s: %s", what, path,
                     strerror(errno));
}

/* Each of them may be there already, or stand where nothing can be made: the
 * look at the last one tells. */
static void make_root_folders(const char *root)
{
    char *path = strdup(root);

    for (char *p = path ? path + 1 : NULL; p && *p; p++) {
        if (*p != '/')
            continue;
        *p = '\0';
        (void)mkdir(path, 0755);
        *p = '/';
    }
    if (path)
        (void)mkdir(path, 0755);
    free(path);
}

int history_folder(char **out,
                   const char *root,
                   bool make_root,
                   struct mapcore_error *err)
{
    char *folder = catalogue_join(root, HISTORY_FOLDER, err);
    int error = folder ? 0 : MAPCORE_ENOMEM;

    if (error == 0 && make_root && mkdir(folder, 0700) < 0 && errno == ENOENT) {
        make_root_folders(root);
        (void)mkdir(folder, 0700);
    }
    if (error == 0)
        error = catalogue_beside(out, root, HISTORY_FOLDER, err);
    free(folder);
    return error;
}

/* steps-<uid>-<host>, whatever the host's name has in it. */
static int name_file(struct buffer *out,
                     const char *folder,
                     struct mapcore_error *err)
{
    char host[65] = "";

    (void)gethostname(host, sizeof(host) - 1);
    host[strcspn(host, ".")] = '\0';
    if (!plain_name_check(host, sizeof(host) - 1))
        snprintf(host, sizeof(host), "host");
    return buffer_printf(out, err, "%s/" HISTORY_STEPS "%lu-%s", folder,
                         (unsigned long)geteuid(), host);
}

/* The file to append to, ours alone: not what somebody has put in its place. */
static int open_file(int *fd,
                     struct stat *st,
                     const char *path,
                     struct mapcore_error *err)
{
    int file = open(path,
                    O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK |
                        O_NOCTTY | O_CLOEXEC,
                    0644);

    if (file < 0)
        return fail(err, "open", path);
    if (fstat(file, st) < 0 || !S_ISREG(st->st_mode) ||
        st->st_uid != geteuid() || st->st_nlink > 1 ||
        (st->st_mode & S_IWOTH)) {
        close(file);
        return error_set(err, MAPCORE_ETRUST,
                         "%.300s is no file that is yours alone", path);
    }
    *fd = file;
    return 0;
}

/* The oldest go of those whose names begin so, until no more files and bytes
 * than that are left. */
static void make_room(const char *path,
                      const char *prefix,
                      uint32_t files,
                      uint64_t bytes)
{
    const struct bounded_folder folder = {
        .path = path, .prefix = prefix, .files = files, .bytes = bytes};

    bounded_folder_make_room(&folder);
}

/* Under a name that no other has: where two do this at once, the second puts a
 * short file aside, and nothing is lost. Who still has it open appends there.
 */
static void put_aside(const char *folder,
                      const char *path,
                      const struct stat *st)
{
    struct buffer aside = {0};
    char mine[64];
    struct stat now;

    if (lstat(path, &now) == 0 && now.st_ino == st->st_ino &&
        now.st_dev == st->st_dev &&
        buffer_printf(&aside, NULL, "%s.%lld-%ld", path, (long long)time(NULL),
                      (long)getpid()) == 0)
        (void)rename(path, aside.bytes);
    buffer_clear(&aside);
    snprintf(mine, sizeof(mine), HISTORY_STEPS "%lu-",
             (unsigned long)geteuid());
    make_room(folder, mine, UINT32_MAX, HISTORY_LINES_MOST - HISTORY_FILE_MOST);
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
    struct buffer text = {0};
    char last = '\n';
    ssize_t written = -1;
    int error = 0;

    if (size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n')
        error = buffer_append(&text, err, "\n", 1);
    if (error == 0)
        error = buffer_append(&text, err, line, n);
    if (error == 0) {
        errno = ENOSPC;
        written = write(fd, text.bytes, text.n);
        if (written != (ssize_t)text.n)
            error = fail(err, "write", path);
    }
    /* Part of a line is told by its missing end; if that can be written. */
    if (written > 0 && error < 0)
        (void)!write(fd, "\n", 1);
    buffer_clear(&text);
    return error;
}

int history_append(const char *folder,
                   const char *line,
                   size_t n,
                   struct mapcore_error *err)
{
    struct buffer path = {0};
    struct stat st;
    int fd = -1, error = name_file(&path, folder, err);

    if (error == 0)
        error = open_file(&fd, &st, path.bytes, err);
    if (error == 0 && st.st_size > 0 &&
        (uint64_t)st.st_size + n > HISTORY_FILE_MOST) {
        put_aside(folder, path.bytes, &st);
        close(fd);
        fd = -1;
        error = open_file(&fd, &st, path.bytes, err);
    }
    if (error == 0)
        error = write_line(fd, path.bytes, line, n, st.st_size, err);
    if (fd >= 0 && close(fd) < 0 && error == 0)
        error = fail(err, "write", path.bytes);
    buffer_clear(&path);
    return error;
}

/* What a name begins with, NULL where it is none of such a file. */
static const char *kind_of(const char *name)
{
    static const char *const kinds[] = {HISTORY_MAPS, HISTORY_CPUS};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strncmp(name, kinds[i], strlen(kinds[i])) == 0 &&
            plain_name_check(name, NAME_MAX))
            return kinds[i];
    return NULL;
}

/* A folder is looked through, file by file, which is what a file server has
 * least to spare of, where its turn has come: one small map in so many, and
 * each large one. */
static bool has_turn(const char *name, size_t n)
{
    enum { TURN = 32 };

    return n > HISTORY_MAPS_MOST / HISTORY_MAPS_COUNT ||
           (fnv1a(name, strlen(name)) >> 32) % TURN == 0;
}

int history_keep_map(const char *folder,
                     const char *name,
                     const char *text,
                     struct mapcore_error *err)
{
    const char *kind = kind_of(name);
    struct file_replace file = {0};
    char *path = NULL;
    int error = 0;

    if (!kind)
        return error_set(err, MAPCORE_EINVAL, "%.64s: no name of a map", name);
    if (strlen(text) > HISTORY_MAP_MOST)
        return error_set(err, MAPCORE_ERANGE, "a map too large to be kept");
    if (!(path = catalogue_join(folder, name, err)))
        return MAPCORE_ENOMEM;
    if (has_turn(name, strlen(text)))
        make_room(folder, kind, HISTORY_MAPS_COUNT - 1,
                  HISTORY_MAPS_MOST - HISTORY_MAP_MOST);
    error = file_replace_open(&file, path, 0600, err);
    if (error == 0) {
        /* The commit sees what could not be written. */
        (void)fputs(text, file.file);
        error = file_replace_commit(&file, err);
    }
    file_replace_abandon(&file);
    free(path);
    return error;
}

int history_read_map(char **out,
                     size_t *n,
                     const char *folder,
                     const char *name,
                     struct mapcore_error *err)
{
    struct buffer text = {0};
    char *path = NULL;
    int error;

    if (!kind_of(name))
        return error_set(err, MAPCORE_EINVAL, "%.64s: no name of a map", name);
    if (!(path = catalogue_join(folder, name, err)))
        return MAPCORE_ENOMEM;
    error = catalogue_read_own(&text, path, HISTORY_MAP_MOST, err);
    if (error == 0) {
        *n = text.n;
        *out = buffer_steal(&text);
    }
    buffer_clear(&text);
    free(path);
    return error;
}
