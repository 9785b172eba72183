/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_prune.c - topomap profile prune: old versions go, the newest stay */
#include "config.h"

#include "tools/profile/profile_tool.h"

#include <stdlib.h>
#include <string.h>

/* How many versions of the same build and size are newer; the list is sorted,
 * versions last. */
static size_t count_newer(const struct catalogue_entry *list,
                          size_t n,
                          size_t i)
{
    size_t newer = 0;

    for (size_t k = i + 1; k < n && catalogue_is_sibling(&list[i], &list[k]);
         k++)
        newer++;
    return newer;
}

static int prune(const struct catalogue_entry *list,
                 size_t n,
                 const struct profile_options *options,
                 struct mapcore_error *err)
{
    int error = 0;

    for (size_t i = 0; error == 0 && i < n; i++) {
        if ((options->operand &&
             strcmp(options->operand, list[i].program) != 0) ||
            list[i].current || count_newer(list, n, i) < options->keep)
            continue;
        if (!options->dry_run)
            error = catalogue_remove(&list[i], err);
        if (error == 0)
            puts(list[i].path);
    }
    return error;
}

int profile_prune_run(const struct profile_options *options)
{
    struct catalogue_entry *list = NULL;
    struct mapcore_error err;
    char *root = NULL;
    size_t n = 0;
    int error;

    error = profile_root_to_write(&root, options, &err);
    if (error == 0)
        error = catalogue_list(&list, &n, root, true, &err);
    if (error == 0)
        error = prune(list, n, options, &err);
    for (size_t i = 0; i < n; i++)
        catalogue_entry_clear(&list[i]);
    free(list);
    free(root);
    return error < 0 ? tool_fail("%s", err.text) : TOOL_OK;
}
