/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_paths.h - the folders that a verb has filed or removed, as it goes: a
 * line each, also as CSV, or one JSON object */
#ifndef TOOLS_PROFILE_PATHS_H
#define TOOLS_PROFILE_PATHS_H

#include "tools/profile/profile_tool.h"

#include "json/json.h"

struct profile_paths {
    bool json, csv;
    struct json_writer writer;
};

/* what: the key in JSON, and the column's name: "removed". */
void profile_paths_begin(struct profile_paths *paths,
                         const struct profile_options *options,
                         const char *what);
void profile_paths_add(struct profile_paths *paths, const char *path);
/* Ends the object. Errors: EIO. */
int profile_paths_end(struct profile_paths *paths, struct mapcore_error *err);

/* All three, as "filed", for the folder of a version. Errors: EIO. */
int profile_say_filed(const struct profile_options *options,
                      const char *path,
                      struct mapcore_error *err);

#endif
