/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_rm.c - topomap profile rm */
#include "config.h"

#include "tools/profile/profile_tool.h"

#include <stdlib.h>
#include <string.h>

/* The current version goes last: until then readers find it. */
static int remove_all(const struct catalogue_entry *entry,
                      struct mapcore_error *err)
{
    struct catalogue_entry *list = NULL;
    size_t n = 0;
    int error = catalogue_list(&list, &n, entry->root, true, err);

    for (int current = 0; current < 2; current++)
        for (size_t i = 0; error == 0 && i < n; i++)
            if (list[i].current == (current == 1) &&
                catalogue_is_sibling(&list[i], entry))
                error = catalogue_remove(&list[i], err);
    for (size_t i = 0; i < n; i++)
        catalogue_entry_clear(&list[i]);
    free(list);
    return error;
}

int profile_rm_run(const struct profile_options *options)
{
    struct catalogue_entry entry = {0};
    struct mapcore_error err;
    char *root = NULL;
    int error = profile_root_to_write(&root, options, &err);

    if (error == 0) {
        const char *roots[] = {root};

        error = profile_select(&entry, roots, 1, options->operand, &err);
    }
    if (error == 0 && !entry.version)
        error = error_set(&err, MAPCORE_EINVAL,
                          "%.400s is not in a catalogue: remove it by hand",
                          entry.path);
    /* A path means that file's build, a bare name any. */
    if (error == 0 && entry.other_build && strchr(options->operand, '/'))
        error = error_set(&err, MAPCORE_ENOENT,
                          "%.200s has another build than its profiles; to "
                          "remove one, name its folder %.200s",
                          options->operand, entry.path);
    if (error == 0)
        error = options->all_versions ? remove_all(&entry, &err)
                                      : catalogue_remove(&entry, &err);
    catalogue_entry_clear(&entry);
    free(root);
    return error < 0 ? tool_fail("%s", err.text) : TOOL_OK;
}
