/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tune_profile.c - the profile whose graphs topomap tune tries: found in a
 * catalogue, or filed from the first run */
#include "config.h"

#include "tools/tune/tune.h"

#include "base/array.h"
#include "base/buffer.h"
#include "tools/site/site.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <time.h>
#include <unistd.h>

static int copy_file(int to_folder,
                     int from_folder,
                     const char *name,
                     struct mapcore_error *err)
{
    int from = openat(from_folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    int to = from < 0 ? -1
                      : openat(to_folder, name,
                               O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    ssize_t n = to < 0 ? -1 : 1;
    int error = 0;

    while (n > 0)
        n = sendfile(to, from, NULL, 1 << 30);
    if (n < 0)
        error = error_set(err, MAPCORE_EIO, "cannot copy %.200s: %s", name,
                          strerror(errno));
    if (from >= 0)
        close(from);
    if (to >= 0 && close(to) < 0 && error == 0)
        error = error_set(err, MAPCORE_EIO, "cannot copy %.200s: %s", name,
                          strerror(errno));
    return error;
}

/* The files of a version; there are no folders in one. */
static int copy_files(const char *to,
                      const char *from,
                      struct mapcore_error *err)
{
    int folder = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = opendir(from);
    struct dirent *entry;
    int error = 0;

    if (folder < 0 || !dir)
        error = error_set(err, MAPCORE_EIO, "cannot copy %.200s to %.200s: %s",
                          from, to, strerror(errno));
    while (error == 0 && (entry = readdir(dir)))
        if (entry->d_name[0] != '.')
            error = copy_file(folder, dirfd(dir), entry->d_name, err);
    if (dir)
        closedir(dir);
    if (folder >= 0)
        close(folder);
    return error;
}

/* When it was recorded, as seconds; now when it does not say. */
static int64_t time_of(const struct profile *profile)
{
    struct tm tm = {0};
    const char *end = strptime(profile->recorded, "%Y-%m-%dT%H:%M:%SZ", &tm);

    return end && *end == '\0' ? (int64_t)timegm(&tm) : (int64_t)time(NULL);
}

/* A copy in the user's own catalogue, as the current version there. */
static int file_copy(char **folder,
                     const struct tune *tune,
                     const struct catalogue_entry *entry,
                     struct mapcore_error *err)
{
    bool is_named = strcmp(entry->identity, "named") == 0;
    struct profile *profile = NULL;
    char *made = NULL, *version = NULL;
    struct buffer path = {0};
    int error = profile_read(&profile, entry->path, err);

    if (error == 0)
        error = catalogue_begin(&made, tune->own, entry->program,
                                is_named ? NULL : entry->identity,
                                entry->ntasks, err);
    if (error == 0) {
        error = copy_files(made, entry->path, err);
        if (error < 0)
            catalogue_abandon(made);
    }
    if (error == 0)
        error = catalogue_commit(&version, made, time_of(profile), profile->job,
                                 err);
    if (error == 0)
        error = buffer_printf(&path, err, "%.*s/%s",
                              (int)(strrchr(made, '/') - made), made, version);
    if (error == 0)
        *folder = buffer_steal(&path);
    profile_destroy(profile);
    free(made);
    free(version);
    buffer_clear(&path);
    return error;
}

/* Looks where --topomap=auto will look. */
static int look_up(struct catalogue_entry *out,
                   const struct tune *tune,
                   const struct catalogue_entry *recording,
                   struct mapcore_error *err)
{
    bool is_named = strcmp(recording->identity, "named") == 0;
    struct tool_list roots = {0};
    struct site_file *site = NULL;
    const char *const *others;
    size_t n;
    int error = site_read(&site, tune->config, err);

    if (error == 0)
        error = tool_list_add(&roots, tune->own, err);
    for (size_t i = 0; error == 0 && i < tune->catalogues.n; i++)
        error = tool_list_add(&roots, tune->catalogues.item[i], err);
    others = error == 0 ? site_catalogues(site, &n) : NULL;
    for (size_t i = 0; error == 0 && i < n; i++)
        error = tool_list_add(&roots, others[i], err);
    if (error == 0)
        error = catalogue_find(
            out,
            &(struct catalogue_query){
                .roots = roots.item,
                .nroots = roots.n,
                .own_first = true,
                .program = recording->program,
                .identity = is_named ? NULL : recording->identity,
            },
            recording->ntasks, err);
    free(roots.item);
    site_close(site);
    return error;
}

int tune_find_profile(struct tune *tune,
                      const struct catalogue_entry *recording,
                      struct mapcore_error *err)
{
    struct catalogue_entry entry = {0};
    int error =
        tune->fresh ? MAPCORE_ENOENT : look_up(&entry, tune, recording, err);

    if (error == MAPCORE_ENOENT || (error == 0 && entry.other_build)) {
        error = file_copy(&tune->folder, tune, recording, err);
    } else if (error == 0 && access(entry.path, W_OK) == 0) {
        tune->folder = array_copy(entry.path, strlen(entry.path) + 1, 1, err);
        error = tune->folder ? 0 : MAPCORE_ENOMEM;
    } else if (error == 0) {
        error = file_copy(&tune->folder, tune, &entry, err);
        if (error == 0)
            tool_note("%s is not yours to write: a copy in %s is evaluated",
                      entry.path, tune->own);
    }
    catalogue_entry_clear(&entry);
    return error < 0 ? error : profile_read(&tune->profile, tune->folder, err);
}
