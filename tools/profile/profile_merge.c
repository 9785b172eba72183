/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_merge.c - topomap profile merge: the rows that tasks left behind when
 * they ended without MPI_Finalize (COMMPROF_DUMP) become one profile */
#include "config.h"

#include "tools/profile/profile_paths.h"

#include "tools/profile/recorded/recorded.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

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
    return error < 0 ? error : recorded_check(merge, folder);
}

int profile_merge_run(const struct profile_options *options)
{
    struct mapcore_error err;
    struct recorded merge = {.err = &err};
    char *root = NULL, *filed = NULL;
    int error = take_folder(&merge, options->operand);

    if (error == 0)
        error = profile_root_to_write(&root, options, &err);
    if (error == 0)
        error = recorded_file(&merge, root, &filed);
    if (error == 0)
        error = profile_say_filed(options, filed, &err);
    if (error == 0 && merge.nfound < merge.ntasks)
        tool_note("only %u of %u tasks left their rows: what the others sent "
                  "is missing",
                  merge.nfound, merge.ntasks);
    recorded_clear(&merge);
    free(filed);
    free(root);
    return error < 0 ? tool_fail("%s", err.text) : TOOL_OK;
}
