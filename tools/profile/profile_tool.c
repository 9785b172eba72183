/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_tool.c - what a verb has filed, and the Python programs that some
 * verbs become */
#include "config.h"

#include "tools/profile/profile_tool.h"

#include "profiles/profile.h"
#include "tools/common/script.h"

#include <stdlib.h>
#include <string.h>

int profile_say_filed(const struct profile_options *options, const char *path)
{
    struct json_writer *writer;
    struct answer answer;

    if (!answer_word(&options->form)) {
        tool_print("%s\n", path);
        return 0;
    }
    writer = answer_begin(&answer, stdout, &options->form, NULL, "filed");
    json_begin_array(writer, "filed");
    json_put_string(writer, NULL, path);
    return answer_end(&answer, 0, options->err);
}

int profile_with(const struct profile_options *options,
                 profile_act *act,
                 void *arg)
{
    struct catalogue_entry entry = {0};
    struct profile *profile = NULL;
    int error = profile_find(&entry, &options->catalogues, options->config,
                             options->operand, true, options->err);

    if (error == 0)
        error = profile_read(&profile, entry.path, options->err);
    if (error == 0)
        error = act(arg, options, &entry, profile);
    profile_destroy(profile);
    catalogue_entry_clear(&entry);
    return error;
}

int profile_become(const char *script,
                   const char *verb,
                   const struct profile_options *options,
                   struct tool_list *words,
                   const char *operand)
{
    const struct {
        const char *name;
        bool is_given;
    } flags[] = {
        {"all", options->all_versions}, {"dry-run", options->dry_run},
        {"replace", options->replace},  {"json", options->form.json},
        {"csv", options->form.csv},
    };
    char *const command[] = {(char *)(uintptr_t)operand, NULL};
    int error = 0;

    for (size_t i = 0; error == 0 && i < sizeof(flags) / sizeof(*flags); i++)
        if (flags[i].is_given)
            error = script_add(words, flags[i].name, NULL, options->err);
    if (error == 0)
        error = script_become(script, verb, words, command, options->err);
    return error;
}
