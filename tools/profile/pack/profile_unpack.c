/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_unpack.c - topomap profile unpack: a profile that somebody has packed
 * comes into the user's own catalogue. tar(1) lists the archive, and unpacks it
 * only when each name, kind and size in it is one of a profile; nothing that
 * its files say is believed before a reader has seen it */
#include "config.h"

#include "tools/profile/profile_paths.h"

#include "base/buffer.h"
#include "base/file_read.h"
#include "base/process.h"
#include "base/text.h"
#include "profiles/catalogue/catalogue_trust.h"
#include "tools/profile/pack/packed.h"
#include "json/json.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LIST_MOST = 1 << 24, /* bytes that a list of a profile's files may have */
};

struct unpack {
    const char *name; /* of the archive, for messages */
    int fd;
    char *top; /* the one folder that all of it is in; owned */
    struct profile *profile;
    char *folder; /* the version that begins; owned */
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

/* What tar says of the archive when it is run so; *out is cleared by
 * process_output_clear. */
static int run_tar(struct process_output *out,
                   const struct unpack *unpack,
                   char *const words[],
                   size_t most,
                   struct mapcore_error *err)
{
    const struct process process = {.words = words, .in = unpack->fd};
    const struct process_listener listener = {.most = most, .hears_err = true};
    const char *said;
    int error;

    if (lseek(unpack->fd, 0, SEEK_SET) < 0)
        return error_set(err, MAPCORE_EIO, "%.400s: %s", unpack->name,
                         strerror(errno));
    error = process_listen(out, &process, &listener, err);
    said = error == 0 && out->said.bytes ? out->said.bytes : "tar fails";
    if (error == 0 && out->status != 0)
        error = error_set(err, MAPCORE_EPARSE, "%.400s: %.*s", unpack->name,
                          (int)strcspn(said, "\n"), said);
    return error;
}

/* TOP/NAME, TOP being the same of all, or a folder's TOP/. */
static bool is_place(struct unpack *unpack, const char *path, bool is_folder)
{
    const size_t n = strcspn(path, "/");

    if (!unpack->top && !(unpack->top = strndup(path, n)))
        return false;
    return n > 0 && path[0] != '.' && strlen(unpack->top) == n &&
           strncmp(unpack->top, path, n) == 0 && path[n] == '/' &&
           (is_folder ? path[n + 1] == '\0' : packed_is_file(path + n + 1));
}

/* Of a line "-rw-r--r-- 0/0 123 2026-11-21 02:30 TOP/NAME". *left: the bytes
 * that its files may still have. */
static int check_member(struct unpack *unpack,
                        uint64_t *left,
                        char *line,
                        struct mapcore_error *err)
{
    const char kind = line[0];
    uint64_t size = 0;

    for (int i = 0; i < 5; i++) {
        const char *word = text_take_word(&line);

        if (i == 2 && word && kind == '-' && !text_parse_u64(word, &size))
            size = UINT64_MAX;
    }
    line += *line == ' ';
    if (kind != '-' && kind != 'd')
        return error_set(err, MAPCORE_EINVAL,
                         "%.200s: %.250s is no regular file, and only those "
                         "are taken",
                         unpack->name, line);
    if (!is_place(unpack, line, kind == 'd'))
        return error_set(err, MAPCORE_EINVAL,
                         "%.200s: %.250s is no file of a packed profile",
                         unpack->name, line);
    if (size > *left)
        return error_set(err, MAPCORE_ERANGE,
                         "%.200s: its files are larger than %" PRIu64
                         " GiB together",
                         unpack->name, PACKED_MOST >> 30);
    *left -= size;
    return 0;
}

static int check_members(struct unpack *unpack, struct mapcore_error *err)
{
    static char tar[] = "tar", list[] = "-tvf-", numeric[] = "--numeric-owner",
                quoting[] = "--quoting-style=escape";
    char *const words[] = {tar, list, numeric, quoting, NULL};
    struct process_output said = {0};
    uint64_t left = PACKED_MOST;
    char *save = NULL;
    int error = run_tar(&said, unpack, words, LIST_MOST, err);

    for (char *line = error == 0 && said.out.bytes
                          ? strtok_r(said.out.bytes, "\n", &save)
                          : NULL;
         error == 0 && line; line = strtok_r(NULL, "\n", &save))
        error = check_member(unpack, &left, line, err);
    if (error == 0 && !unpack->top)
        error = error_set(err, MAPCORE_EINVAL,
                          "%.400s: no " PACKED_FIRST " is in it", unpack->name);
    process_output_clear(&said);
    return error;
}

/* profile.json, which says where the rest belongs. */
static int read_first(struct unpack *unpack, struct mapcore_error *err)
{
    static char tar[] = "tar", print[] = "-xOf-", end[] = "--";
    struct process_output said = {0};
    struct buffer name = {0};
    int error = buffer_printf(&name, err, "%s/" PACKED_FIRST, unpack->top);

    if (error == 0) {
        char *const words[] = {tar, print, end, name.bytes, NULL};

        error = run_tar(&said, unpack, words, JSON_BYTES_MAX, err);
    }
    if (error == 0)
        error = name_archive(unpack,
                             profile_parse(&unpack->profile, PACKED_FIRST,
                                           said.out.bytes ? said.out.bytes : "",
                                           said.out.n, err),
                             err);
    process_output_clear(&said);
    buffer_clear(&name);
    return error;
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

/* All of it, into a version that has begun. */
static int fill_folder(const struct unpack *unpack, struct mapcore_error *err)
{
    static char tar[] = "tar", extract[] = "-xkf-",
                strip[] = "--strip-components=1", owner[] = "--no-same-owner",
                mode[] = "--no-same-permissions", in[] = "-C";
    char *const words[] = {tar,  extract, strip,          owner,
                           mode, in,      unpack->folder, NULL};
    struct process_output said = {0};
    int error = run_tar(&said, unpack, words, LIST_MOST, err);

    process_output_clear(&said);
    return error < 0
               ? error
               : name_archive(unpack, packed_check_folder(unpack->folder, err),
                              err);
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
        error = catalogue_commit(&version, unpack->folder, time, profile->job,
                                 NULL, err);
    if (error == 0)
        error = profile_say_filed(options, version, err);
    free(version);
    return error;
}

static int unpack_archive(struct unpack *unpack,
                          const struct profile_options *options,
                          struct mapcore_error *err)
{
    char *root = NULL;
    const struct profile *profile;
    int error = check_members(unpack, err);

    if (error == 0)
        error = read_first(unpack, err);
    profile = unpack->profile;
    if (error == 0)
        error = name_archive(unpack, check_names(profile, err), err);
    if (error == 0)
        error = profile_root_to_write(&root, &options->catalogues, err);
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

/* What comes by a pipe, in a file that can be read again; *out is the caller's
 * to close. */
static int spool(int *out,
                 int from,
                 const char *name,
                 struct mapcore_error *err)
{
    FILE *file = tmpfile();
    struct buffer bytes = {0};
    uint64_t n = 0;
    bool more = true;
    int error = 0;

    if (!file)
        return error_set(err, MAPCORE_EIO, "cannot make a temporary file: %s",
                         strerror(errno));
    while (error == 0 && more) {
        bytes.n = 0;
        error = file_read_some(&bytes, &more, from, name, SIZE_MAX, err);
        n += bytes.n;
        if (error == 0 && n > PACKED_MOST)
            error = error_set(err, MAPCORE_ERANGE, "%.400s: too large", name);
        if (error == 0)
            fwrite(bytes.bytes, 1, bytes.n, file);
    }
    if (error == 0 && (fflush(file) != 0 || ferror(file) ||
                       (*out = fcntl(fileno(file), F_DUPFD_CLOEXEC, 0)) < 0))
        error = error_set(err, MAPCORE_EIO, "cannot write a temporary file: %s",
                          strerror(errno));
    buffer_clear(&bytes);
    fclose(file);
    return error;
}

static int open_archive(struct unpack *unpack, struct mapcore_error *err)
{
    int fd, error;

    if (strcmp(unpack->name, "-") == 0) {
        unpack->name = "stdin";
        return spool(&unpack->fd, STDIN_FILENO, unpack->name, err);
    }
    if ((error = file_open_at(&fd, AT_FDCWD, unpack->name, FILE_ANY, err)) < 0)
        return error;
    if (lseek(fd, 0, SEEK_CUR) == 0) {
        unpack->fd = fd;
        return 0;
    }
    error = spool(&unpack->fd, fd, unpack->name, err);
    close(fd);
    return error;
}

int profile_unpack_run(const struct profile_options *options)
{
    struct unpack unpack = {.name = options->operand, .fd = -1};
    struct mapcore_error err;
    int error = open_archive(&unpack, &err);

    if (error == 0)
        error = unpack_archive(&unpack, options, &err);
    if (unpack.fd >= 0)
        close(unpack.fd);
    profile_destroy(unpack.profile);
    free(unpack.folder);
    free(unpack.top);
    return error < 0 ? tool_fail("%s", err.text) : TOOL_OK;
}
