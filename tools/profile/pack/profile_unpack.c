/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_unpack.c - topomap profile unpack: a profile that somebody has packed
 * comes into the user's own catalogue. archives.py makes a folder of it, and
 * comes back; nothing that its files say is believed before a reader has seen
 * it */
#include "config.h"

#include "tools/profile/profile_tool.h"

#include "base/file_read.h"
#include "base/text.h"
#include "profiles/catalogue/catalogue_trust.h"
#include "tools/common/script.h"
#include "tools/profile/pack/packed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

/* What a reader said of a file, with the archive in front: the folder that it
 * was read from is nothing to the user, and soon gone. */
static int name_archive(const struct profile_options *options,
                        const char *folder,
                        int error)
{
    struct mapcore_error said = *options->err;
    const size_t n = strlen(folder);
    const char *text = said.text;

    if (error == 0)
        return 0;
    if (strncmp(text, folder, n) == 0)
        text += n + strspn(text + n, "/: ");
    return error_set(options->err, error, "%.200s: %s", options->operand, text);
}

/* What a catalogue would not hold under these names, none could remove. */
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

static int copy_file(const char *from,
                     const char *to,
                     const char *name,
                     struct mapcore_error *err)
{
    char *source = catalogue_join(from, name, err);
    char *target = catalogue_join(to, name, err);
    struct file_replace output = {0};
    ssize_t n = 0;
    int fd = -1, error = source && target ? 0 : MAPCORE_ENOMEM;

    if (error == 0 && !packed_is_file(name))
        error = error_set(err, MAPCORE_EINVAL,
                          "%.250s is no file of a packed profile", name);
    if (error == 0)
        error = file_open_at(&fd, AT_FDCWD, source, FILE_REGULAR | FILE_NO_LINK,
                             err);
    if (error == 0)
        error = file_replace_open(&output, target, 0644, err);
    while (error == 0 &&
           (n = sendfile(fileno(output.file), fd, NULL, 1 << 30)) > 0)
        ;
    if (n < 0)
        error = error_set(err, MAPCORE_EIO, "cannot write %.400s: %s", target,
                          strerror(errno));
    if (error == 0)
        error = file_replace_commit(&output, err);
    file_replace_abandon(&output);
    if (fd >= 0)
        close(fd);
    free(source);
    free(target);
    return error;
}

/* All of it, into a version that has begun. */
static int fill_folder(const char *folder,
                       const char *from,
                       struct mapcore_error *err)
{
    char **names = NULL;
    size_t n = 0;
    int error = catalogue_names(&names, &n, from, NULL, err);

    for (size_t i = 0; error == 0 && i < n; i++)
        error = copy_file(from, folder, names[i], err);
    catalogue_names_free(names, n);
    return error < 0 ? error : packed_check_folder(folder, err);
}

static int file_profile(const struct profile_options *options,
                        const struct profile *profile,
                        const char *root)
{
    const char *identity = strcmp(profile->identity, CATALOGUE_NAMED) == 0
                               ? NULL
                               : profile->identity;
    char *folder = NULL, *version = NULL;
    int64_t time = 0;
    int error = catalogue_check_place(root, options->catalogues.n == 0,
                                      profile->program, identity,
                                      profile->ntasks, options->err);

    if (error == 0 && !options->replace)
        error = profile_check_replaces(root, profile->program, identity,
                                       profile->ntasks, "what was packed",
                                       options->err);
    if (error == 0)
        error = name_archive(options, "",
                             packed_find_time(&time, profile, options->err));
    if (error == 0)
        error = catalogue_begin(&folder, root, profile->program, identity,
                                profile->ntasks, options->err);
    if (error < 0)
        return error;
    error = name_archive(options, folder,
                         fill_folder(folder, options->folder, options->err));
    if (error < 0)
        catalogue_abandon(folder);
    else
        error = catalogue_commit(&version, folder, time, profile->job, NULL,
                                 options->err);
    if (error == 0)
        error = profile_say_filed(options, version);
    free(folder);
    free(version);
    return error;
}

static int become_script(const struct profile_options *options)
{
    struct tool_list words = {0};
    int error = options->catalogues.n > 0
                    ? script_add(&words, "catalogue",
                                 options->catalogues.item[0], options->err)
                    : 0;

    if (error == 0)
        error = profile_become("archives.py", "unpack", options, &words,
                               options->operand);
    free(words.item);
    return error;
}

int profile_unpack_run(const struct profile_options *options)
{
    struct profile *profile = NULL;
    char *root = NULL;
    int error =
        profile_root_to_write(&root, &options->catalogues, options->err);

    if (error == 0 && !options->folder)
        error = become_script(options);
    if (error == 0)
        error =
            name_archive(options, options->folder,
                         profile_read(&profile, options->folder, options->err));
    if (error == 0)
        error = name_archive(options, "", check_names(profile, options->err));
    if (error == 0)
        error = file_profile(options, profile, root);
    profile_destroy(profile);
    free(root);
    return error;
}
