/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_prune.c - topomap profile prune: old versions go, the newest stay */
#include "config.h"

#include "tools/profile/profile_tool.h"

#include "profiles/catalogue/catalogue_remove.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What went and what could not, a line each; the status of the command. */
static void say(void *status, const char *path, const char *why)
{
    if (why)
        *(int *)status = tool_fail("%s", why);
    else
        puts(path);
}

/* From the newest down, build by build. Only a true version counts as one that
 * stays: nobody makes others go by putting something newer beside them. */
static int prune(struct catalogue_entry *list,
                 size_t n,
                 const struct profile_options *options)
{
    struct mapcore_error err;
    int error, status = TOOL_OK;
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
        say(&status, list[i].path, error < 0 ? err.text : NULL);
    }
    return status;
}

int profile_prune_run(const struct profile_options *options)
{
    struct catalogue_entry *list = NULL;
    struct mapcore_error err;
    char *root = NULL;
    size_t n = 0;
    int error, status = TOOL_OK;

    error = profile_root_to_write(&root, options, &err);
    if (error == 0)
        error = catalogue_check_root(root, &err);
    if (error == 0)
        error = catalogue_list(&list, &n, root, options->catalogues.n == 0,
                               true, &err);
    if (error == 0) {
        status = prune(list, n, options);
        error =
            catalogue_clean(root, options->catalogues.n == 0, options->dry_run,
                            (int64_t)time(NULL), say, &status, &err);
    }
    for (size_t i = 0; i < n; i++)
        catalogue_entry_clear(&list[i]);
    free(list);
    free(root);
    return error < 0 ? tool_fail("%s", err.text) : status;
}
