/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_show.c - topomap profile show */
#include "config.h"

#include "tools/profile/profile_tool.h"

#include "profiles/profile.h"

#include <stdlib.h>

/* For people tables looks at what topomap tune has measured of it, and at what
 * production runs have shown, which is in the user's own catalogue. */
static int print(const struct profile_options *options,
                 const struct catalogue_entry *entry)
{
    struct profile *profile = NULL;
    struct answer answer;
    struct json_writer *writer;
    char *own = NULL;
    int error = profile_read(&profile, entry->path, options->err);

    if (error == 0 && !(writer = answer_begin(&answer, stdout, &options->form,
                                              "show", NULL, options->err)))
        error = MAPCORE_ENOMEM;
    if (error == 0) {
        json_put_string(writer, "folder", entry->path);
        json_put_string(writer, "catalogue", entry->root);
        json_put_string(writer, "version", entry->version);
        if (profile->partial)
            json_put_string(writer, "partial", profile->partial);
        profile_put(writer, profile);
        if (!options->form.json && catalogue_user_root(&own, NULL) == 0)
            json_put_string(writer, "own", own);
        error = answer_end(&answer, error, options->err);
    }
    free(own);
    profile_destroy(profile);
    return error;
}

int profile_show_run(const struct profile_options *options)
{
    struct catalogue_entry entry = {0};
    int error = profile_find(&entry, &options->catalogues, options->config,
                             options->operand, true, options->err);

    if (error == 0)
        error = print(options, &entry);
    catalogue_entry_clear(&entry);
    return error;
}
