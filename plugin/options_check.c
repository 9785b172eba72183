/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* options_check.c - the files that options name, looked at before the
 * allocation */
#include "config.h"

#include "plugin/options_check.h"

#include "base/error_set.h"
#include "launch/plan_words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_readable(const char *path, void (*asks)(const char *path))
{
    asks(path);
    return access(path, R_OK) == 0;
}

static bool is_folder(const char *path, void (*asks)(const char *path))
{
    struct stat status;

    asks(path);
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode) &&
           access(path, X_OK) == 0;
}

static bool some_catalogue(const struct plugstack *plugstack,
                           const struct catalogue_env *env,
                           void (*asks)(const char *path))
{
    char *own = NULL;
    bool found =
        catalogue_root_find(&own, env, NULL) == 0 && is_folder(own, asks);

    free(own);
    for (int i = 0; !found && i < plugstack->ncatalogues; i++)
        found = is_folder(plugstack->catalogue[i], asks);
    return found;
}

int options_check(const struct options *options,
                  const struct plugstack *plugstack,
                  const struct catalogue_env *env,
                  const char *site_file,
                  void (*asks)(const char *path),
                  struct mapcore_error *err)
{
    bool profile = options->mode == OPTIONS_PROFILE;
    bool is_file = options->graph && graph_word_is_file(options->graph);
    const char *plan = options->graph ? graph_word_plan(options->graph) : NULL;
    bool is_told = is_file || plan ||
                   (options->graph && graph_word_is_pattern(options->graph));
    const char *const files[] = {
        is_file ? options->graph : plan,
        options->exe,
        profile && !options_recorder_word(options) ? options->recorder : NULL,
        plugstack->config,
        options->catalogue,
    };

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        if (files[i] && !is_readable(files[i], asks))
            return error_set(err, MAPCORE_ENOENT, "%s: %s", files[i],
                             strerror(errno));
    if (!profile && !is_told && !plugstack->config &&
        !is_readable(site_file, asks) && !some_catalogue(plugstack, env, asks))
        return error_set(err, MAPCORE_ENOENT,
                         "there is no catalogue, neither the user's own nor "
                         "the site's: record a profile with "
                         "--topomap=profile first");
    return 0;
}
