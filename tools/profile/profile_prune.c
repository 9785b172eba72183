/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_prune.c - topomap profile prune: old versions go, the newest stay */
#include "config.h"

#include "tools/profile/profile_paths.h"

#include "profiles/catalogue/catalogue_remove.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct pruning {
    struct profile_paths paths;
    int status; /* of the command */
};

/* What went and what could not. */
static void say(void *data, const char *path, const char *why)
{
    struct pruning *pruning = data;

    if (why)
        pruning->status = tool_fail("%s", why);
    else
        profile_paths_add(&pruning->paths, path);
}

/* From the newest down, build by build. Only a true version counts as one that
 * stays: nobody makes others go by putting something newer beside them. */
static void prune(struct pruning *pruning,
                  struct catalogue_entry *list,
                  size_t n,
                  const struct profile_options *options)
{
    struct mapcore_error err;
    int error;
    size_t newer = 0;

    for (size_t i = n; i-- > 0;) {
        if (i + 1 < n && !catalogue_is_sibling(&list[i], &list[i + 1]))
            newer = 0;
        if (options->operand && strcmp(options->operand, list[i].program) != 0)
            continue;
        error = catalogue_check_removal(&list[i], &err);
        newer += error == 0;
        if (list[i].current || newer + (error < 0) <= options->keep)
            continue;
        if (error == 0 && !options->dry_run)
            error = catalogue_remove(&list[i], &err);
        say(pruning, list[i].path, error < 0 ? err.text : NULL);
    }
}

int profile_prune_run(const struct profile_options *options)
{
    struct catalogue_entry *list = NULL;
    struct mapcore_error err;
    struct pruning pruning = {.status = TOOL_OK};
    char *root = NULL;
    size_t n = 0;
    int error;

    error = profile_root_to_write(&root, &options->catalogues, &err);
    if (error == 0)
        error = catalogue_check_root(root, &err);
    if (error == 0)
        error = catalogue_list(&list, &n, root, options->catalogues.n == 0,
                               true, &err);
    if (error == 0) {
        profile_paths_begin(&pruning.paths, options, "removed");
        prune(&pruning, list, n, options);
        error =
            catalogue_clean(root,
                            &(struct catalogue_cleaning){
                                options->catalogues.n == 0, options->dry_run,
                                (int64_t)time(NULL), say, &pruning},
                            &err);
        if (error == 0)
            error = profile_paths_end(&pruning.paths, &err);
    }
    for (size_t i = 0; i < n; i++)
        catalogue_entry_clear(&list[i]);
    free(list);
    free(root);
    return error < 0 ? tool_fail("%s", err.text) : pruning.status;
}
