/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_keep.c - topomap profile list, rm and prune: which catalogues and
 * which version are meant; catalogue.py does it */
#include "config.h"

#include "tools/profile/profile_tool.h"

#include "tools/common/script.h"
#include "tools/site/site.h"

#include <stdlib.h>
#include <string.h>

#define SCRIPT "catalogue.py"

/* own: the user's own, where owners count. */
static int add_root(struct tool_list *words,
                    const char *root,
                    bool own,
                    struct mapcore_error *err)
{
    return script_add(words, own ? "own" : "root", root, err);
}

int profile_list_run(const struct profile_options *options)
{
    struct tool_list words = {0};
    struct profile_roots roots;
    int error = profile_roots_open(&roots, &options->catalogues,
                                   options->config, options->err);

    if (error < 0)
        return error;
    for (size_t r = 0; error == 0 && r < roots.list.n; r++)
        error = add_root(&words, roots.list.item[r], roots.own && r == 0,
                         options->err);
    if (error == 0)
        error =
            profile_become(SCRIPT, "list", options, &words, options->operand);
    free(words.item);
    profile_roots_close(&roots);
    return error;
}

static int find_version(struct catalogue_entry *out,
                        const struct profile_options *options,
                        char *root)
{
    const char *item[] = {root};
    const struct profile_roots roots = {
        .list = {.n = 1, .item = item},
        .own = options->catalogues.n == 0 ? root : NULL};
    int error = profile_select(out, &roots, options->operand, options->err);

    if (error < 0)
        return error;
    if (!out->version)
        return error_set(options->err, MAPCORE_EINVAL,
                         "%.400s is not in a catalogue: remove it by hand",
                         out->path);
    /* A path means that file's build, a bare name any. */
    if (out->other_build && strchr(options->operand, '/'))
        return error_set(options->err, MAPCORE_ENOENT,
                         "%.200s has another build than its profiles; to "
                         "remove one, name its folder %.200s",
                         options->operand, out->path);
    return 0;
}

int profile_rm_run(const struct profile_options *options)
{
    struct catalogue_entry entry = {0};
    struct tool_list words = {0};
    char *root = NULL;
    int error =
        profile_root_to_write(&root, &options->catalogues, options->err);

    if (error == 0)
        error = find_version(&entry, options, root);
    if (error == 0)
        error =
            add_root(&words, root, options->catalogues.n == 0, options->err);
    if (error == 0)
        error = profile_become(SCRIPT, "rm", options, &words, entry.path);
    catalogue_entry_clear(&entry);
    free(words.item);
    free(root);
    return error;
}

int profile_prune_run(const struct profile_options *options)
{
    struct tool_list words = {0};
    struct site_file *site = NULL;
    char *root = NULL, keep[16];
    int error = 0;

    if (options->users || options->config)
        error = site_read(&site, options->config, options->err);
    if (error == 0 && options->users && !site->catalogue_root)
        error = error_set(options->err, MAPCORE_EINVAL,
                          "the site file has no catalogue_root");
    if (error == 0 && options->users)
        error = script_add(&words, "users", site->catalogue_root, options->err);
    if (error == 0 && site)
        site_root_export(site);
    if (error == 0 && !options->users)
        error =
            profile_root_to_write(&root, &options->catalogues, options->err);
    snprintf(keep, sizeof(keep), "%u", options->keep);
    if (error == 0 && root)
        error =
            add_root(&words, root, options->catalogues.n == 0, options->err);
    if (error == 0)
        error = script_add(&words, "keep", keep, options->err);
    if (error == 0)
        error =
            profile_become(SCRIPT, "prune", options, &words, options->operand);
    free(words.item);
    free(root);
    site_close(site);
    return error;
}
