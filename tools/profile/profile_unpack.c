/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_unpack.c - topomap profile unpack: a profile that somebody has packed
 * comes into the user's own catalogue; nothing that the archive says is
 * believed before a reader has seen it */
#include "config.h"

#include "tools/profile/profile_paths.h"

#include "base/buffer.h"
#include "base/file_read.h"
#include "base/text.h"
#include "profiles/catalogue/catalogue_trust.h"
#include "tools/profile/pack/packed.h"
#include "tools/profile/pack/ustar.h"
#include "json/json.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct unpack {
    const char *name; /* of the archive, for messages */
    int fd;
    char *top;     /* the one folder that all of it is in; owned */
    uint64_t left; /* bytes that its files may still have */
    struct profile *profile;
    struct buffer first; /* profile.json */
    char *folder;        /* the version that begins; owned */
};

/* What a reader said of a file inside, with the archive in front: the folder
 * that it was read from is nothing to the user, and soon gone. */
static int name_archive(const struct unpack *unpack,
                        int error,
                        struct mapcore_error *err)
{
    struct mapcore_error said = *err;
    size_t n = unpack->folder ? strlen(unpack->folder) : 0;
    const char *text = said.text;

    if (error == 0)
        return 0;
    if (n > 0 && strncmp(text, unpack->folder, n) == 0)
        text += n + strspn(text + n, "/: ");
    return error_set(err, error, "%.200s: %s", unpack->name, text);
}

/* Reads n bytes, of which none may be missing. */
static int read_bytes(const struct unpack *unpack,
                      void *bytes,
                      size_t n,
                      struct mapcore_error *err)
{
    char *at = bytes;

    while (n > 0) {
        ssize_t got = read(unpack->fd, at, n);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set(err, MAPCORE_EIO, "%.400s: %s", unpack->name,
                             strerror(errno));
        if (got == 0)
            return error_set(err, MAPCORE_EPARSE, "%.400s: ends too early",
                             unpack->name);
        at += got;
        n -= (size_t)got;
    }
    return 0;
}

/* FOLDER/NAME, FOLDER being the same of all; *name is in path. */
static int take_path(const char **name,
                     struct unpack *unpack,
                     const struct ustar_header *header,
                     struct mapcore_error *err)
{
    size_t n = strcspn(header->path, "/");
    const char *rest = header->path + n + strspn(header->path + n, "/");
    bool is_plain = n > 0 && n < NAME_MAX && header->path[0] != '.';

    if (is_plain && !unpack->top && !(unpack->top = strndup(header->path, n)))
        return error_set(err, MAPCORE_ENOMEM, "no memory");
    if (!is_plain || strlen(unpack->top) != n ||
        strncmp(unpack->top, header->path, n) != 0 ||
        (header->kind == USTAR_FOLDER ? *rest != '\0' : !packed_is_file(rest)))
        return error_set(err, MAPCORE_EINVAL,
                         "%.200s: %.250s is no file of a packed profile",
                         unpack->name, header->path);
    *name = rest;
    return 0;
}

/* The next file's header; *name NULL at the end. Folders say nothing. */
static int next_file(const char **name,
                     struct ustar_header *header,
                     struct unpack *unpack,
                     struct mapcore_error *err)
{
    unsigned char block[USTAR_BLOCK];
    int error;

    do {
        if ((error = read_bytes(unpack, block, sizeof(block), err)) < 0 ||
            (error = ustar_parse(header, block, unpack->name, err)) < 0)
            return error;
        *name = NULL;
        if (header->kind == USTAR_END)
            return 0;
        if ((error = take_path(name, unpack, header, err)) < 0)
            return error;
    } while (header->kind == USTAR_FOLDER);
    if (header->size > unpack->left)
        return error_set(err, MAPCORE_ERANGE,
                         "%.200s: its files are larger than %" PRIu64
                         " GiB together",
                         unpack->name, PACKED_MOST >> 30);
    unpack->left -= header->size;
    return 0;
}

static int skip_padding(const struct unpack *unpack,
                        uint64_t size,
                        struct mapcore_error *err)
{
    char zeros[USTAR_BLOCK];

    return read_bytes(unpack, zeros, ustar_padding(size), err);
}

/* A file of that size, into memory. */
static int read_file(struct buffer *out,
                     const struct unpack *unpack,
                     uint64_t size,
                     struct mapcore_error *err)
{
    char bytes[4096];
    int error = 0;

    for (uint64_t left = size; error == 0 && left > 0;) {
        size_t n = left < sizeof(bytes) ? (size_t)left : sizeof(bytes);

        error = read_bytes(unpack, bytes, n, err);
        if (error == 0)
            error = buffer_append(out, err, bytes, n);
        left -= n;
    }
    return error < 0 ? error : skip_padding(unpack, size, err);
}

/* profile.json, which says where the rest belongs. */
static int read_first(struct unpack *unpack, struct mapcore_error *err)
{
    struct ustar_header header;
    const char *name;
    int error = next_file(&name, &header, unpack, err);

    if (error < 0)
        return error;
    if (!name || strcmp(name, PACKED_FIRST) != 0)
        return error_set(err, MAPCORE_EINVAL,
                         "%.400s: " PACKED_FIRST " must be the first file in "
                         "it, as topomap profile pack writes it",
                         unpack->name);
    if (header.size > JSON_BYTES_MAX)
        return error_set(err, MAPCORE_ERANGE,
                         "%.400s: " PACKED_FIRST " is too large", unpack->name);
    error = read_file(&unpack->first, unpack, header.size, err);
    if (error < 0)
        return error;
    error = profile_parse(&unpack->profile, PACKED_FIRST,
                          unpack->first.bytes ? unpack->first.bytes : "",
                          unpack->first.n, err);
    return name_archive(unpack, error, err);
}

/* What a catalogue would not hold under these names, nobody could remove. */
static int check_names(const struct profile *profile, struct mapcore_error *err)
{
    const char *program = profile->program;

    if (!catalogue_is_identity(profile->identity))
        return error_set(err, MAPCORE_EINVAL,
                         PACKED_FIRST ": '%.80s' is no executable's identity",
                         profile->identity);
    if (*program == '\0' || strchr(program, '/'))
        return error_set(err, MAPCORE_EINVAL,
                         PACKED_FIRST ": '%.200s' is no program's file name",
                         program);
    return 0;
}

static const char *identity_of(const struct profile *profile)
{
    return strcmp(profile->identity, CATALOGUE_NAMED) == 0 ? NULL
                                                           : profile->identity;
}

/* Makes FOLDER/NAME: what is there already was there in the archive. */
static int make_file(int *fd,
                     const struct unpack *unpack,
                     const char *name,
                     struct mapcore_error *err)
{
    char *path = catalogue_join(unpack->folder, name, err);

    if (!path)
        return MAPCORE_ENOMEM;
    *fd =
        open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    free(path);
    if (*fd >= 0)
        return 0;
    if (errno == EEXIST)
        return error_set(err, MAPCORE_EINVAL, "%.300s: %.64s is in it twice",
                         unpack->name, name);
    return error_set(err, MAPCORE_EIO, "cannot make %.300s/%.64s: %s",
                     unpack->folder, name, strerror(errno));
}

static int write_bytes(int fd,
                       const struct unpack *unpack,
                       const char *bytes,
                       size_t n,
                       struct mapcore_error *err)
{
    while (n > 0) {
        ssize_t done = write(fd, bytes, n);

        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return error_set(err, MAPCORE_EIO, "cannot write in %.400s: %s",
                             unpack->folder, strerror(errno));
        bytes += done;
        n -= (size_t)done;
    }
    return 0;
}

static int write_first(const struct unpack *unpack, struct mapcore_error *err)
{
    int fd, error = make_file(&fd, unpack, PACKED_FIRST, err);

    if (error < 0)
        return error;
    error = write_bytes(fd, unpack, unpack->first.bytes, unpack->first.n, err);
    close(fd);
    return error;
}

static int write_file(const struct unpack *unpack,
                      const char *name,
                      uint64_t size,
                      struct mapcore_error *err)
{
    char bytes[1 << 15];
    uint64_t left = size;
    int fd, error = make_file(&fd, unpack, name, err);

    if (error < 0)
        return error;
    while (error == 0 && left > 0) {
        size_t n = left < sizeof(bytes) ? (size_t)left : sizeof(bytes);

        error = read_bytes(unpack, bytes, n, err);
        if (error == 0)
            error = write_bytes(fd, unpack, bytes, n, err);
        left -= n;
    }
    close(fd);
    return error < 0 ? error : skip_padding(unpack, size, err);
}

/* All of it, into a version that has begun. */
static int fill_folder(struct unpack *unpack, struct mapcore_error *err)
{
    struct ustar_header header;
    const char *name;
    int error = write_first(unpack, err);

    while (error == 0 &&
           (error = next_file(&name, &header, unpack, err)) == 0 && name)
        error = write_file(unpack, name, header.size, err);
    if (error < 0)
        return error;
    return name_archive(unpack, packed_check_folder(unpack->folder, err), err);
}

static int file_profile(struct unpack *unpack,
                        const char *root,
                        const struct profile_options *options,
                        struct mapcore_error *err)
{
    const struct profile *profile = unpack->profile;
    char *version = NULL;
    int64_t time = 0;
    int error =
        name_archive(unpack, packed_find_time(&time, profile, err), err);

    if (error == 0)
        error = catalogue_begin(&unpack->folder, root, profile->program,
                                identity_of(profile), profile->ntasks, err);
    if (error < 0)
        return error;
    error = fill_folder(unpack, err);
    if (error < 0)
        catalogue_abandon(unpack->folder);
    else
        error =
            catalogue_commit(&version, unpack->folder, time, profile->job, err);
    if (error == 0)
        error = profile_say_version(options, unpack->folder, version, err);
    free(version);
    return error;
}

static int unpack_archive(struct unpack *unpack,
                          const struct profile_options *options,
                          struct mapcore_error *err)
{
    char *root = NULL;
    const struct profile *profile;
    int error = read_first(unpack, err);

    profile = unpack->profile;
    if (error == 0)
        error = name_archive(unpack, check_names(profile, err), err);
    if (error == 0)
        error = profile_root_to_write(&root, options, err);
    if (error == 0)
        error = catalogue_check_place(root, options->catalogues.n == 0,
                                      profile->program, identity_of(profile),
                                      profile->ntasks, err);
    if (error == 0 && !options->replace)
        error =
            profile_check_replaces(root, profile->program, identity_of(profile),
                                   profile->ntasks, "what was packed", err);
    if (error == 0)
        error = file_profile(unpack, root, options, err);
    free(root);
    return error;
}

int profile_unpack_run(const struct profile_options *options)
{
    bool is_stdin = strcmp(options->operand, "-") == 0;
    struct unpack unpack = {.name = is_stdin ? "stdin" : options->operand,
                            .fd = STDIN_FILENO,
                            .left = PACKED_MOST};
    struct mapcore_error err;
    int error = is_stdin ? 0
                         : file_open_at(&unpack.fd, AT_FDCWD, options->operand,
                                        FILE_ANY, &err);

    if (error == 0) {
        error = unpack_archive(&unpack, options, &err);
        if (!is_stdin)
            close(unpack.fd);
    }
    profile_destroy(unpack.profile);
    buffer_clear(&unpack.first);
    free(unpack.folder);
    free(unpack.top);
    return error < 0 ? tool_fail("%s", err.text) : TOOL_OK;
}
