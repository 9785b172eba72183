/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_pack.c - topomap profile pack: one profile, in one file for others,
 * which archives.py writes when all of it can be read */
#include "config.h"

#include "tools/profile/profile_tool.h"

#include "tools/common/script.h"
#include "tools/profile/pack/packed.h"

#include <stdlib.h>
#include <unistd.h>

static int become_script(void *arg,
                         const struct profile_options *options,
                         const struct catalogue_entry *entry,
                         const struct profile *profile)
{
    struct tool_list words = {0};
    int error = packed_check_folder(entry->path, options->err);

    (void)arg;
    (void)profile;
    if (error == 0 && options->output)
        error = script_add(&words, "output", options->output, options->err);
    if (error == 0)
        error =
            profile_become("archives.py", "pack", options, &words, entry->path);
    free(words.item);
    return error;
}

int profile_pack_run(const struct profile_options *options)
{
    if (answer_word(&options->form) && !options->output)
        return tool_usage("profile", "pack --%s tells what -o FILE has got",
                          answer_word(&options->form));
    if (!options->output && isatty(STDOUT_FILENO))
        return tool_usage(
            "profile", "pack writes an archive, not for a terminal: -o FILE");
    return profile_with(options, become_script, NULL);
}
