/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_collect.c - topomap profile collect: what recordings that were cut
 * short have left, filed */
#include "config.h"

#include "tools/profile/profile_tool.h"

#include "tools/common/told.h"
#include "tools/profile/recorded/collect.h"

#include "json/json.h"

#include <stdlib.h>
#include <string.h>

/* Lines of a buffer, as an array of strings. */
static void put_lines(struct json_writer *writer,
                      const char *key,
                      struct buffer *lines)
{
    char *rest = NULL;

    json_begin_array(writer, key);
    for (char *line = lines->n > 0 ? strtok_r(lines->bytes, "\n", &rest) : NULL;
         line; line = strtok_r(NULL, "\n", &rest))
        json_put_string(writer, NULL, line);
    json_end_array(writer);
}

static int print_json(struct collected *collected,
                      bool csv,
                      struct mapcore_error *err)
{
    struct told_answer told;
    struct json_writer *writer =
        told_begin(&told, stdout, csv ? "filed" : NULL, err);

    if (!writer)
        return MAPCORE_ENOMEM;
    json_begin_object(writer, NULL);
    put_lines(writer, "filed", &collected->filed);
    put_lines(writer, "notes", &collected->lines);
    json_end_object(writer);
    return told_end(&told, 0, err);
}

int profile_collect_run(const struct profile_options *options)
{
    struct collected collected = {.lines = {0}};
    struct mapcore_error err;
    char *root = NULL;
    int error;

    if (options->operand)
        error = collect_spool(&collected, options->operand, &err);
    else if ((error = profile_root_to_write(&root, options, &err)) == 0)
        error = collect_left(&collected, root, OWN_FOLDER_ANY, SIZE_MAX, &err);
    if ((options->json || options->csv) && error == 0)
        error = print_json(&collected, options->csv, &err);
    else if (collected.lines.n > 0)
        tool_print("%s", collected.lines.bytes);
    collected_clear(&collected);
    free(root);
    return error < 0 ? tool_fail("%s", err.text) : TOOL_OK;
}

/* At each launch: some dozen system calls each. */
#define LOOKED_AT 32

void profile_collect_left(const char *root)
{
    struct collected collected = {.lines = {0}};

    if (root &&
        collect_left(&collected, root, OWN_FOLDER_OWN, LOOKED_AT, NULL) == 0)
        collected_say(&collected);
    collected_clear(&collected);
}
