/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_merge.c - topomap profile merge: the rows that tasks left behind when
 * they ended without MPI_Finalize (COMMPROF_DUMP) become one profile */
#include "config.h"

#include "tools/profile/profile_tool.h"

#include "base/text.h"

#include "profiles/commprof/write/write.h"
#include "tools/profile/recorded.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int compare_ranks(const void *one, const void *other)
{
    const uint32_t x = *(const uint32_t *)one, y = *(const uint32_t *)other;
    return x < y ? -1 : x > y;
}

/* Every commprof-*.rows of the folder. */
static int take_folder(struct recorded *merge, const char *folder)
{
    static const char before[] = "commprof-", after[] = ".rows";
    char path[PATH_MAX];
    DIR *dir = opendir(folder);
    int error = 0;

    if (!dir)
        return error_set(merge->err, MAPCORE_EIO, "cannot read %.400s: %s",
                         folder, strerror(errno));
    for (struct dirent *item; error == 0 && (item = readdir(dir));) {
        const size_t n = strlen(item->d_name);
        if (strncmp(item->d_name, before, sizeof(before) - 1) != 0 ||
            n < sizeof(after) ||
            strcmp(item->d_name + n - (sizeof(after) - 1), after) != 0)
            continue;
        if ((size_t)snprintf(path, sizeof(path), "%s/%s", folder,
                             item->d_name) >= sizeof(path))
            error = error_set(merge->err, MAPCORE_EINVAL, "too long a path");
        else
            error = recorded_take_file(merge, path);
        if (error == MAPCORE_ETRUST) {
            tool_note("%s", merge->err->text);
            error = 0;
        }
    }
    closedir(dir);
    if (error == 0 && merge->nfound == 0)
        error = error_set(merge->err, MAPCORE_ENOENT,
                          "no task left its rows in %.400s", folder);
    if (error == 0 && (!merge->program || !merge->job || !merge->user ||
                       !merge->mpi || !merge->name))
        error =
            error_set(merge->err, MAPCORE_EPARSE,
                      "the rows in %.400s do not say of what they are", folder);
    if (error == 0)
        qsort(merge->found, merge->nfound, sizeof(*merge->found),
              compare_ranks);
    for (uint32_t i = 1; error == 0 && i < merge->nfound; i++)
        if (merge->found[i] == merge->found[i - 1])
            error = error_set(merge->err, MAPCORE_EPARSE,
                              "two files in %.400s are of task %u", folder,
                              merge->found[i]);
    if (error == 0)
        messages_sort(&merge->all.messages);
    return error;
}

static int file_away(struct recorded *merge,
                     const struct profile_options *options,
                     char *identity)
{
    const bool named = merge->name[0] != '\0';
    struct subject subject = {
        .program = named ? merge->name : text_last_part(merge->program),
        .path = merge->program,
        .identity = identity,
        .job = merge->job,
        .user = merge->user,
        .mpi = merge->mpi,
        .time = (int64_t)time(NULL),
        .elapsed_ns = merge->elapsed_ns,
        .active_ns = merge->elapsed_ns,
        .ntasks = merge->ntasks,
        .large_ppm = merge->large_ppm,
    };
    char *root = NULL, *folder = NULL;
    int error = profile_root_to_write(&root, options, merge->err);

    if (error == 0 && named)
        memcpy(identity, "named", sizeof("named"));
    else if (error == 0)
        error = identity_of_file(identity, merge->program, merge->err);
    if (error == 0)
        error =
            catalogue_begin(&folder, root, subject.program,
                            named ? NULL : identity, merge->ntasks, merge->err);
    if (error == 0) {
        error = write_profile(folder, &merge->all, &subject, merge->err);
        if (error < 0)
            catalogue_abandon(folder);
        else
            error = catalogue_commit(NULL, folder, subject.time, subject.job,
                                     merge->err);
    }
    free(folder);
    free(root);
    return error;
}

int profile_merge_run(const struct profile_options *options)
{
    struct mapcore_error err;
    struct recorded merge = {.err = &err};
    char identity[IDENTITY_MAX];
    int error = take_folder(&merge, options->operand);

    if (error == 0)
        error = file_away(&merge, options, identity);
    if (error == 0 && merge.nfound < merge.ntasks)
        tool_note("only %u of %u tasks left their rows: what the others sent "
                  "is missing",
                  merge.nfound, merge.ntasks);
    recorded_clear(&merge);
    return error < 0 ? tool_fail("%s", err.text) : TOOL_OK;
}
