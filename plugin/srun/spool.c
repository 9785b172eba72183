/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* spool.c - folders and a file on the storage of a catalogue, by a fork with a
 * deadline: lookup.h says why */
#include "config.h"

#include "plugin/srun/spool.h"

#include "base/buffer.h"
#include "base/error_set.h"
#include "base/own_folder.h"
#include "launch/catalogue_root.h"
#include "plugin/srun/child.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a profile of some hundred tasks takes. */
#define ROOM (256 << 10)
/* A requeued job has the numbers of the one before. */
#define TRIES 100
/* A profile of very many tasks is read, merged and written. */
#define COLLECT_SECONDS 60

static int fail(struct mapcore_error *err, const char *what, const char *path)
{
    return error_set(err, MAPCORE_EIO, "cannot %s %.300s: %s", what, path,
                     strerror(errno));
}

/* Those above it as well, as the recorder would make them. */
static int make_folders(char *path)
{
    int refused = 0;

    for (char *p = path + 1;; p++) {
        char held = *p;

        if (held != '/' && held != '\0')
            continue;
        *p = '\0';
        if (mkdir(path, 0755) == 0 || errno == EEXIST)
            refused = 0;
        else if (refused == 0 || errno != ENOENT)
            refused = errno;
        *p = held;
        if (held == '\0')
            break;
    }
    errno = refused;
    return refused == 0 ? 0 : -1;
}

static int find_root(struct buffer *out,
                     const struct spool_request *request,
                     struct mapcore_error *err)
{
    const struct catalogue_env env = {
        .own = getenv("TOPOMAP_CATALOGUE"),
        .data = getenv("XDG_DATA_HOME"),
        .home = getenv("HOME"),
    };
    char here[PATH_MAX], *root = NULL;
    int error = 0;

    if (request->catalogue)
        error = buffer_printf(out, err, "%s", request->catalogue);
    else if ((error = catalogue_root_find(&root, &env, err)) == 0 &&
             root[0] == '/')
        error = buffer_printf(out, err, "%s", root);
    else if (error == 0)
        error = getcwd(here, sizeof(here))
                    ? buffer_printf(out, err, "%s/%s", here, root)
                    : fail(err, "find the folder of", root);
    free(root);
    return error;
}

/* Room is what was really written: a quota may let a file grow by a hole. */
static int try_room(const char *path, struct mapcore_error *err)
{
    char bytes[4096];
    int fd =
        open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    int error = fd < 0 ? errno : 0;

    memset(bytes, 0, sizeof(bytes));
    for (size_t i = 0; error == 0 && i < ROOM; i += sizeof(bytes)) {
        errno = ENOSPC;
        if (write(fd, bytes, sizeof(bytes)) != (ssize_t)sizeof(bytes))
            error = errno;
    }
    if (fd >= 0 && error == 0 && fsync(fd) < 0)
        error = errno;
    if (fd >= 0 && close(fd) < 0 && error == 0)
        error = errno;
    unlink(path);
    errno = error;
    return error == 0 ? 0 : fail(err, "write", path);
}

static int write_step(const char *folder,
                      const struct spool_request *request,
                      struct mapcore_error *err)
{
    char path[PATH_MAX];
    FILE *file;
    int error = 0;

    if ((size_t)snprintf(path, sizeof(path), "%s/room", folder) >= sizeof(path))
        return error_set(err, MAPCORE_EIO, "%.300s: too long a path", folder);
    if ((error = try_room(path, err)) < 0)
        return error;
    snprintf(path, sizeof(path), "%s/step", folder);
    if (!(file = fopen(path, "wxe")))
        return fail(err, "write", path);
    fprintf(file, "nodes %" PRIu32 "\ntasks %" PRIu32 "\n", request->nhosts,
            request->ntasks);
    if (request->every)
        fprintf(file, "every %s\n", request->every);
    if (fclose(file) != 0)
        error = fail(err, "write", path);
    return error;
}

static int make(FILE *out, const void *subject, struct mapcore_error *err)
{
    const struct spool_request *request = subject;
    struct buffer root = {0}, path = {0};
    int error = find_root(&root, request, err);
    bool made = false;

    if (error == 0) {
        child_asks(root.bytes);
        if (make_folders(root.bytes) < 0)
            error = fail(err, "make the folder", root.bytes);
    }
    if (error == 0)
        error = buffer_printf(&path, err, "%s/.spool-%lu", root.bytes,
                              (unsigned long)geteuid());
    if (error == 0)
        error = own_folder_make(path.bytes, err);
    for (int i = 1; error == 0 && !made; i++) {
        buffer_clear(&path);
        error = buffer_printf(
            &path, err, "%s/.spool-%lu/%s%" PRIu32 ".%" PRIu32 "-%d",
            root.bytes, (unsigned long)geteuid(), request->times ? "time-" : "",
            request->job, request->step, i);
        if (error == 0 && mkdir(path.bytes, 0700) == 0)
            made = true;
        else if (error == 0 && (errno != EEXIST || i >= TRIES))
            error = fail(err, "make the folder", path.bytes);
    }
    if (error == 0 && !request->times &&
        (error = write_step(path.bytes, request, err)) < 0)
        rmdir(path.bytes);
    if (error == 0)
        fputs(path.bytes, out);
    buffer_clear(&root);
    buffer_clear(&path);
    return error;
}

int spool_make(char **out,
               const struct spool_request *request,
               double seconds,
               struct mapcore_error *err)
{
    const struct child_question question = {
        .answer = make, .subject = request, .seconds = seconds};
    size_t n = 0;
    int error = child_ask(out, &n, &question, NULL, err);

    if (error == 0 && (n == 0 || strlen(*out) != n)) {
        free(*out);
        *out = NULL;
        error = error_set(err, MAPCORE_EIO, "no spool was made");
    }
    return error;
}

int spool_collect(char **answer,
                  const char *program,
                  const char *spool,
                  struct mapcore_error *err)
{
    const char *const argv[] = {program, "profile", "collect", spool, NULL};
    const struct child_question question = {.argv = argv,
                                            .seconds = COLLECT_SECONDS};
    size_t n;

    return child_ask(answer, &n, &question, NULL, err);
}
