/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_show.c - topomap profile show */
#include "config.h"

#include "tools/profile/profile_tool.h"

#include "profiles/catalogue/catalogue_beside.h"
#include "profiles/evaluation.h"
#include "profiles/history/history_evaluation.h"
#include "profiles/profile.h"
#include "tools/table/answer.h"

#include <string.h>

/* Whether topomap tune has measured it. */
static bool is_measured(const struct catalogue_entry *entry)
{
    struct evaluation *evaluation = NULL;
    struct mapcore_error why;
    int error = evaluation_read(&evaluation, entry->path, &why);

    evaluation_destroy(evaluation);
    if (error < 0 && error != MAPCORE_ENOENT)
        tool_note("%s", why.text);
    return error == 0;
}

/* What production runs have shown of it, if --topomap=learn looked. */
static int put_learnt(struct json_writer *writer,
                      const struct catalogue_entry *entry,
                      const struct profile_roots *roots,
                      struct mapcore_error *err)
{
    struct history_evaluation *learnt = NULL;
    struct own_folder *folder = NULL;
    size_t n = 0;
    int error = 0;

    if (roots->own &&
        catalogue_beside(&folder, roots->own, HISTORY_FOLDER, err) == 0)
        error = history_evaluations_read(&learnt, &n, folder, err);
    json_begin_array(writer, "learnt");
    for (size_t i = 0; error == 0 && i < n; i++) {
        const struct history_line *of = &learnt[i].of;

        if (of->ntasks != entry->ntasks ||
            strcmp(of->program, entry->program) != 0 || !of->identity ||
            strcmp(of->identity, entry->identity) != 0)
            continue;
        json_begin_object(writer, NULL);
        history_evaluation_put(writer, &learnt[i]);
        json_end_object(writer);
    }
    json_end_array(writer);
    history_evaluations_clear(learnt, n);
    own_folder_close(folder);
    return error;
}

static int print(const struct profile_options *options,
                 const struct catalogue_entry *entry,
                 const struct profile_roots *roots,
                 struct mapcore_error *err)
{
    const char *view = options->json  ? NULL
                       : options->csv ? "show-csv"
                                      : "show";
    struct profile *profile = NULL;
    struct answer answer;
    struct json_writer *writer;
    int error = profile_read(&profile, entry->path, err);

    if (error == 0 && entry->other_build)
        tool_note("this profile is of another build of %s", entry->program);
    if (error == 0 &&
        !(writer = answer_begin_view(&answer, stdout, view, NULL, err)))
        error = MAPCORE_ENOMEM;
    if (error == 0) {
        json_begin_object(writer, NULL);
        json_put_string(writer, "folder", entry->path);
        json_put_string(writer, "catalogue", entry->root);
        json_put_string(writer, "version", entry->version);
        if (profile->partial)
            json_put_string(writer, "partial", profile->partial);
        profile_put(writer, profile);
        if (!options->json && !options->csv) {
            json_put_bool(writer, "is_measured", is_measured(entry));
            error = put_learnt(writer, entry, roots, err);
        }
        json_end_object(writer);
        error = answer_end(&answer, error, err);
    }
    profile_destroy(profile);
    return error;
}

int profile_show_run(const struct profile_options *options)
{
    struct catalogue_entry entry = {0};
    struct profile_roots roots;
    struct mapcore_error err;
    int error =
        profile_roots_open(&roots, &options->catalogues, options->config, &err);

    if (error == 0)
        error = profile_select(&entry, &roots, options->operand, &err);
    if (error == 0)
        error = print(options, &entry, &roots, &err);
    catalogue_entry_clear(&entry);
    profile_roots_close(&roots);
    return error < 0 ? tool_fail("%s", err.text) : TOOL_OK;
}
