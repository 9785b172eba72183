/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_collect.c - topomap profile collect: what recordings that were cut
 * short have left, filed */
#include "config.h"

#include "tools/profile/profile_tool.h"

#include "tools/profile/recorded/collect.h"

#include <stdlib.h>
#include <string.h>

int profile_collect_run(const struct profile_options *options)
{
    struct buffer lines = {0};
    struct mapcore_error err;
    char *root = NULL;
    int error;

    if (options->operand)
        error = collect_spool(&lines, options->operand, &err);
    else if ((error = profile_root_to_write(&root, options, &err)) == 0)
        error = collect_left(&lines, root, &err);
    if (lines.n > 0)
        tool_print("%s", lines.bytes);
    buffer_clear(&lines);
    free(root);
    return error < 0 ? tool_fail("%s", err.text) : TOOL_OK;
}

void profile_collect_left(const char *root)
{
    struct buffer lines = {0};

    if (root && collect_left(&lines, root, NULL) == 0 && lines.n > 0)
        for (char *line = lines.bytes, *end; (end = strchr(line, '\n'));
             line = end + 1)
            tool_note("%.*s", (int)(end - line), line);
    buffer_clear(&lines);
}
