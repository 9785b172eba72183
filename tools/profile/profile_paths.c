/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_paths.c - each is printed when it is done, so that what a failure
 * leaves undone is not told as done */
#include "config.h"

#include "tools/profile/profile_paths.h"

#include "base/buffer.h"
#include "base/text.h"
#include "tools/table/csv.h"

void profile_paths_begin(struct profile_paths *paths,
                         const struct profile_options *options,
                         const char *what)
{
    *paths = (struct profile_paths){.json = options->json, .csv = options->csv};
    if (paths->csv)
        printf("%s\n", what);
    if (!paths->json)
        return;
    json_writer_start(&paths->writer, stdout);
    json_begin_object(&paths->writer, NULL);
    if (options->dry_run)
        json_put_bool(&paths->writer, "dry_run", true);
    json_begin_array(&paths->writer, what);
}

void profile_paths_add(struct profile_paths *paths, const char *path)
{
    if (paths->json)
        json_put_string(&paths->writer, NULL, path);
    else if (!paths->csv)
        tool_print("%s\n", path);
    if (paths->csv) {
        csv_put_name(path);
        putchar('\n');
    }
}

int profile_paths_end(struct profile_paths *paths, struct mapcore_error *err)
{
    if (!paths->json)
        return 0;
    json_end_array(&paths->writer);
    json_end_object(&paths->writer);
    return json_writer_end(&paths->writer, err);
}

int profile_say_filed(const struct profile_options *options,
                      const char *path,
                      struct mapcore_error *err)
{
    struct profile_paths paths;

    profile_paths_begin(&paths, options, "filed");
    profile_paths_add(&paths, path);
    return profile_paths_end(&paths, err);
}
