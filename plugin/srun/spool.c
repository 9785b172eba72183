/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* spool.c - folders and a file on the storage of a catalogue, by a fork with a
 * deadline: lookup.h says why */
#include "config.h"

#include "plugin/srun/spool.h"

#include "base/buffer.h"
#include "base/error_set.h"
#include "launch/catalogue_root.h"
#include "launch/spool_folder.h"
#include "plugin/srun/child.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a profile of some hundred tasks takes. */
#define ROOM (256 << 10)

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
    char here[PATH_MAX], *root = NULL;
    int error = 0;

    if (request->catalogue)
        error = buffer_printf(out, err, "%s", request->catalogue);
    else if ((error = catalogue_root_find(&root, getenv, err)) == 0 &&
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
static int try_room(const struct own_folder *spool, struct mapcore_error *err)
{
    static const char name[] = "room";
    char bytes[4096];
    struct stat st;
    int fd, error = own_folder_append(&fd, &st, spool, name, 0600, err);

    if (error < 0)
        return error;
    memset(bytes, 0, sizeof(bytes));
    for (size_t i = 0; error == 0 && i < ROOM; i += sizeof(bytes)) {
        errno = ENOSPC;
        if (write(fd, bytes, sizeof(bytes)) != (ssize_t)sizeof(bytes))
            error = errno;
    }
    if (error == 0 && fsync(fd) < 0)
        error = errno;
    if (close(fd) < 0 && error == 0)
        error = errno;
    (void)own_folder_remove(spool, name);
    errno = error;
    return error == 0 ? 0 : fail(err, "write into", own_folder_path(spool));
}

static int write_step(const struct own_folder *spool,
                      const struct spool_request *request,
                      struct mapcore_error *err)
{
    FILE *file = NULL;
    struct stat st;
    int fd, error = try_room(spool, err);

    if (error == 0)
        error = own_folder_append(&fd, &st, spool, "step", 0600, err);
    if (error < 0)
        return error;
    if (!(file = fdopen(fd, "w"))) {
        close(fd);
        return fail(err, "write into", own_folder_path(spool));
    }
    fprintf(file, "nodes %" PRIu32 "\ntasks %" PRIu32 "\n", request->nhosts,
            request->ntasks);
    if (request->every)
        fprintf(file, "every %s\n", request->every);
    if (fclose(file) != 0)
        error = fail(err, "write into", own_folder_path(spool));
    return error;
}

static int make(FILE *out, const void *subject, struct mapcore_error *err)
{
    const struct spool_request *request = subject;
    struct own_folder *spool = NULL;
    struct buffer root = {0};
    char name[64];
    int error = find_root(&root, request, err);

    snprintf(name, sizeof(name), "%s%" PRIu32 ".%" PRIu32,
             request->times ? "time-" : "", request->job, request->step);
    if (error == 0) {
        child_asks(root.bytes);
        if (make_folders(root.bytes) < 0)
            error = fail(err, "make the folder", root.bytes);
    }
    if (error == 0)
        error = spool_folder_make(&spool, root.bytes, name, err);
    if (error == 0 && !request->times &&
        (error = write_step(spool, request, err)) < 0)
        (void)spool_folder_remove(own_folder_path(spool));
    if (error == 0)
        fputs(own_folder_path(spool), out);
    own_folder_close(spool);
    buffer_clear(&root);
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
    int error = child_ask(out, &n, &question, err);

    if (error == 0 && (n == 0 || strlen(*out) != n)) {
        free(*out);
        *out = NULL;
        error = error_set(err, MAPCORE_EIO, "no spool was made");
    }
    return error;
}
