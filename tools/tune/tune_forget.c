/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tune_forget.c - topomap tune --forget: what was measured of a profile is
 * removed, so that --topomap=auto does what it did before */
#include "config.h"

#include "tools/tune/tune.h"

#include "base/buffer.h"
#include "tools/common/told.h"
#include "tools/profile/profile_tool.h"
#include "json/json.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static int forget(const struct catalogue_entry *entry,
                  struct mapcore_error *err)
{
    struct buffer path = {0};
    int error =
        buffer_printf(&path, err, "%s/%s", entry->path, EVALUATION_FILE);

    if (error == 0 && unlink(path.bytes) < 0)
        error = errno == ENOENT
                    ? error_set(err, MAPCORE_ENOENT,
                                "%.400s was never evaluated", entry->path)
                    : error_set(err, MAPCORE_EIO, "cannot remove %.400s: %s",
                                path.bytes, strerror(errno));
    buffer_clear(&path);
    return error;
}

static int print_json(const char *folder, bool csv, struct mapcore_error *err)
{
    struct told_answer told;
    struct json_writer *writer =
        told_begin(&told, stdout, csv ? TOLD_ONE_ROW : NULL, err);

    if (!writer)
        return MAPCORE_ENOMEM;
    json_begin_object(writer, NULL);
    json_put_string(writer, "forgotten", folder);
    json_end_object(writer);
    return told_end(&told, 0, err);
}

int tune_forget(const struct tune *tune, struct mapcore_error *err)
{
    const struct profile_options options = {.catalogues = tune->catalogues,
                                            .config = tune->config};
    struct catalogue_entry entry = {0};
    struct profile_roots roots;
    int error = profile_roots_open(&roots, &options, err);

    if (error == 0)
        error = profile_select(&entry, roots.list.item, roots.list.n,
                               roots.own != NULL, tune->forget, err);
    if (error == 0)
        error = forget(&entry, err);
    if (error == 0 && (tune->json || tune->csv))
        error = print_json(entry.path, tune->csv, err);
    else if (error == 0)
        tool_print("what was measured of %s is forgotten: --topomap=auto uses "
                   "weighted-sum again\n",
                   entry.path);
    catalogue_entry_clear(&entry);
    profile_roots_close(&roots);
    return error;
}
