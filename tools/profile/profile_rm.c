/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_rm.c - topomap profile rm */
#include "config.h"

#include "tools/profile/profile_paths.h"

#include "profiles/catalogue/catalogue_remove.h"

#include <stdlib.h>
#include <string.h>

static int remove_one(struct catalogue_entry *entry,
                      const struct profile_options *options,
                      struct profile_paths *paths,
                      struct mapcore_error *err)
{
    int error;

    entry->own = options->catalogues.n == 0;
    error = options->dry_run ? catalogue_check_removal(entry, err)
                             : catalogue_remove(entry, err);
    if (error == 0)
        profile_paths_add(paths, entry->path);
    return error;
}

/* The current version goes last: until then readers find it. What cannot be
 * removed does not keep the others; *failed counts it. */
static int remove_all(const struct catalogue_entry *entry,
                      const struct profile_options *options,
                      struct profile_paths *paths,
                      unsigned *failed,
                      struct mapcore_error *err)
{
    struct catalogue_entry *list = NULL;
    struct mapcore_error why;
    size_t n = 0;
    int error = catalogue_list(&list, &n, entry->root,
                               options->catalogues.n == 0, true, err);

    for (int current = 0; current < 2; current++)
        for (size_t i = 0; error == 0 && i < n; i++)
            if (list[i].current == (current == 1) &&
                catalogue_is_sibling(&list[i], entry) &&
                remove_one(&list[i], options, paths, &why) < 0) {
                tool_fail("%s", why.text);
                ++*failed;
            }
    for (size_t i = 0; i < n; i++)
        catalogue_entry_clear(&list[i]);
    free(list);
    return error;
}

int profile_rm_run(const struct profile_options *options)
{
    struct catalogue_entry entry = {0};
    struct mapcore_error err, ended;
    struct profile_paths paths;
    char *root = NULL;
    unsigned failed = 0;
    int error = profile_root_to_write(&root, &options->catalogues, &err);

    if (error == 0) {
        const char *item[] = {root};
        const struct profile_roots roots = {
            .list = {.n = 1, .item = item},
            .own = options->catalogues.n == 0 ? root : NULL};

        error = profile_select(&entry, &roots, options->operand, &err);
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
        error = catalogue_check_root(entry.root, &err);
    if (error == 0) {
        profile_paths_begin(&paths, options, "removed");
        error = options->all_versions
                    ? remove_all(&entry, options, &paths, &failed, &err)
                    : remove_one(&entry, options, &paths, &err);
        if (profile_paths_end(&paths, &ended) < 0 && error == 0) {
            error = MAPCORE_EIO;
            err = ended;
        }
    }
    catalogue_entry_clear(&entry);
    free(root);
    if (error < 0)
        return tool_fail("%s", err.text);
    return failed > 0 ? TOOL_FAILED : TOOL_OK;
}
