/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* handoff_file.c - slots that are too many for an environment string: in a file
 * of the user's, whose path and digest are handed on instead */
#include "config.h"

#include "plugin/handoff/handoff_file.h"

#include "base/buffer.h"
#include "base/file_read.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char prefix[] = "file ";
/* The slots' own checksum, their last word. */
#define NDIGEST 16
/* The slots of sixteen million tasks, in no order at all. */
#define FILE_MOST (256L << 20)
/* Jobs that come again are few. */
#define TRIES 100

static int make_path(char **out,
                     const char *kind,
                     const struct handoff_place *place,
                     struct mapcore_error *err)
{
    bool is_set = place->cache && *place->cache == '/';
    struct buffer path = {.err = err};
    static const char *const folders[] = {"", "/topomap"};

    if (!is_set && (!place->home || *place->home != '/'))
        return error_set(err, MAPCORE_EIO,
                         "there is no home to write the %s to", kind);
    buffer_printf(&path, "%s%s", is_set ? place->cache : place->home,
                  is_set ? "" : "/.cache");
    for (int i = 0; i < 2; i++)
        if (buffer_printf(&path, "%s", folders[i]) == 0)
            mkdir(path.bytes, 0700);
    buffer_printf(&path, "/%s-", kind);
    return buffer_finish(out, &path, step_name_add(&path, &place->name));
}

static bool write_all(int fd, const char *text, size_t n)
{
    while (n > 0) {
        ssize_t written = write(fd, text, n);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        text += written;
        n -= (size_t)written;
    }
    return true;
}

/* A file of that name may be of a killed srun whose job came again, or of a
 * cluster of the same name: it stays what it is. */
static int open_new(char **path, int *fd, struct mapcore_error *err)
{
    struct buffer name = {.err = err};
    int error = buffer_printf(&name, "%s", *path);

    *fd = -1;
    for (int i = 1; error == 0 && *fd < 0; i++) {
        *fd = open(name.bytes,
                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (*fd < 0 && (errno != EEXIST || i == TRIES))
            error = error_set(err, MAPCORE_EIO, "%s: %s", name.bytes,
                              strerror(errno));
        else if (*fd < 0) {
            buffer_clear(&name);
            error = buffer_printf(&name, "%s-%d", *path, i);
        }
    }
    if (error == 0)
        free(*path);
    return buffer_finish(path, &name, error);
}

#define LEFTOVERS_DAYS 30
#define DAY_SECONDS    ((time_t)86400)
/* A folder of more files serves another purpose. */
#define ENTRIES_MOST 10000

/* KIND-JOB.STEP, as older releases named them, or KIND-JOB.STEP-CLUSTER. */
static bool is_alike(const char *name, const char *kind)
{
    const char *rest = text_after(name, kind);

    rest = rest ? text_after_form(rest, "-#.#") : NULL;
    return rest && (*rest == '\0' || *rest == '-');
}

static bool is_left(int folder, const char *name, time_t now)
{
    struct stat st;

    return fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
           st.st_mtime < now - LEFTOVERS_DAYS * DAY_SECONDS;
}

/* Removes from the folder of path, a file that was just made, files of steps
 * whose srun was killed before it removed them: those that are named alike
 * (KIND-JOB.STEP...), belong to the caller, and have not been written for
 * LEFTOVERS_DAYS: a program may look at its step's list as long as it runs.
 * What cannot be removed stays. */
static void remove_leftovers(const char *path, const char *kind)
{
    char *folder = strndup(path, (size_t)(strrchr(path, '/') - path));
    DIR *dir = folder ? opendir(folder) : NULL;
    const struct dirent *entry;
    time_t now = time(NULL);

    for (int i = 0; dir && i < ENTRIES_MOST && (entry = readdir(dir)); i++)
        if (is_alike(entry->d_name, kind) &&
            is_left(dirfd(dir), entry->d_name, now))
            unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir)
        closedir(dir);
    free(folder);
}

int handoff_file_write(char **path,
                       const char *kind,
                       const char *text,
                       const struct handoff_place *place,
                       struct mapcore_error *err)
{
    char *file = NULL;
    bool written;
    int fd, error = make_path(&file, kind, place, err);

    if (error == 0 && (error = open_new(&file, &fd, err)) == 0) {
        written = write_all(fd, text, strlen(text));
        if (close(fd) < 0 || !written) {
            error =
                error_set(err, MAPCORE_EIO, "%s: %s", file, strerror(errno));
            unlink(file);
        }
    }
    if (error < 0) {
        free(file);
        return error;
    }
    remove_leftovers(file, kind);
    *path = file;
    return 0;
}

int handoff_file_name(char **out,
                      const char *slots,
                      const char *path,
                      struct mapcore_error *err)
{
    struct buffer text = {.err = err};

    return buffer_finish(out, &text,
                         buffer_printf(&text, "%s%s %s", prefix,
                                       slots + strlen(slots) - NDIGEST, path));
}

static int read_open(struct buffer *out,
                     int fd,
                     const char *path,
                     const char *digest,
                     struct mapcore_error *err)
{
    struct stat status;
    int error;

    if (fstat(fd, &status) < 0 || status.st_uid != geteuid() ||
        status.st_size < NDIGEST || status.st_size > FILE_MOST)
        return error_set(err, MAPCORE_ETRUST, "%s is not what srun wrote",
                         path);
    error = file_read_rest(out, fd, path, FILE_MOST, err);
    if (error == 0 && (out->n < NDIGEST || memcmp(out->bytes + out->n - NDIGEST,
                                                  digest, NDIGEST) != 0))
        error =
            error_set(err, MAPCORE_ETRUST, "%s is not what srun wrote", path);
    return error;
}

int handoff_file_read(char **out, const char *plan, struct mapcore_error *err)
{
    struct buffer text = {0};
    const char *digest = text_after(plan, prefix), *path;
    int fd, error;

    if (!digest)
        return text_copy(out, plan, err);
    if (strlen(digest) < NDIGEST + 2)
        return error_set(err, MAPCORE_EPARSE, "no file of slots is named");
    path = digest + NDIGEST + 1;
    error = file_open_at(&fd, AT_FDCWD, path, FILE_REGULAR | FILE_NO_LINK, err);
    if (error < 0)
        return error;
    error = read_open(&text, fd, path, digest, err);
    error = buffer_finish(out, &text, error);
    close(fd);
    return error;
}
