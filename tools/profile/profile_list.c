/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_list.c - topomap profile list */
#include "config.h"

#include "tools/profile/profile_tool.h"

#include "base/text.h"
#include "profiles/profile.h"
#include "tools/table/answer.h"

#include <stdlib.h>
#include <string.h>

struct listing {
    const struct profile_options *options;
    struct json_writer *writer;
    bool is_text;
    size_t n;
};

/* One version and what its profile.json says, or why that is not read. */
static void put_entry(struct listing *listing,
                      const struct catalogue_entry *entry)
{
    struct json_writer *writer = listing->writer;
    struct profile *profile = NULL;
    struct mapcore_error why;
    int error = entry->refused
                    ? error_set(&why, MAPCORE_ETRUST, "%s", entry->refused)
                    : profile_read(&profile, entry->path, &why);

    listing->n++;
    json_begin_object(writer, NULL);
    json_put_string(writer, "catalogue", entry->root);
    json_put_string(writer, "program", entry->program);
    json_put_string(writer, "identity", entry->identity);
    json_put_u64(writer, "ntasks", entry->ntasks);
    json_put_string(writer, "version", entry->version);
    json_put_bool(writer, "current", entry->current);
    json_put_bool(writer, "partial", entry->partial);
    json_put_string(writer, "folder", entry->path);
    if (error < 0) {
        json_put_string(writer, "error", why.text);
    } else {
        json_put_string(writer, "recorded", profile->recorded);
        json_put_double(writer, "seconds", profile->seconds);
        json_begin_array(writer, "types");
        for (size_t k = 0; k < profile->ntypes; k++)
            json_put_string(writer, NULL, profile->types[k].name);
        json_end_array(writer);
    }
    if (error < 0 && listing->is_text) {
        json_put_bool(writer, "refused", entry->refused != NULL);
        tool_note("%s", why.text);
    }
    json_end_object(writer);
    profile_destroy(profile);
}

static int put_root(struct listing *listing,
                    const char *root,
                    bool own,
                    struct mapcore_error *err)
{
    const char *operand = listing->options->operand;
    struct catalogue_entry *list = NULL;
    size_t n = 0;
    int error = catalogue_list(&list, &n, root, own,
                               listing->options->all_versions, err);

    for (size_t i = 0; i < n; i++) {
        if (!operand || strcmp(text_last_part(operand), list[i].program) == 0)
            put_entry(listing, &list[i]);
        catalogue_entry_clear(&list[i]);
    }
    free(list);
    return error;
}

static void say_none(const struct profile_roots *roots, const char *operand)
{
    if (roots->list.n == 0)
        tool_note("no catalogue: there is no home");
    else if (operand)
        tool_note("no profile of %s: topomap profile list shows all programs",
                  text_last_part(operand));
    else
        tool_note("no profiles yet: record one with srun --topomap=profile");
}

int profile_list_run(const struct profile_options *options)
{
    struct listing listing = {.options = options,
                              .is_text = !options->json && !options->csv};
    const char *view = options->json           ? NULL
                       : options->csv          ? "list-csv"
                       : options->all_versions ? "list-all"
                                               : "list";
    struct answer answer;
    struct profile_roots roots;
    struct mapcore_error err;
    int status = TOOL_OK;
    int error =
        profile_roots_open(&roots, &options->catalogues, options->config, &err);

    if (error < 0)
        return tool_fail("%s", err.text);
    listing.writer = answer_begin_view(&answer, stdout, view, NULL, &err);
    if (!listing.writer) {
        profile_roots_close(&roots);
        return tool_fail("%s", err.text);
    }
    json_begin_array(listing.writer, NULL);
    /* One catalogue that cannot be read does not hide the others. */
    for (size_t r = 0; r < roots.list.n; r++)
        if (put_root(&listing, roots.list.item[r], roots.own && r == 0, &err) <
            0)
            status = tool_fail("catalogue %s", err.text);
    json_end_array(listing.writer);
    if (listing.is_text && listing.n == 0) {
        if (status == TOOL_OK)
            say_none(&roots, options->operand);
        (void)answer_end(&answer, MAPCORE_ENOENT, &err);
    } else if (answer_end(&answer, 0, &err) < 0) {
        status = tool_fail("%s", err.text);
    }
    profile_roots_close(&roots);
    return status;
}
