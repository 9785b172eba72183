/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* command_place.c - where a command is started, and the files that its words
 * name there */
#include "config.h"

#include "profiles/program/command_place.h"

#include "launch/command/program_path.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The path of a file named there; false when nobody can tell. */
static bool name_file(char *out,
                      const struct command_place *place,
                      const char *name)
{
    int n;

    if (!place->folder || name[0] == '/')
        n = snprintf(out, PATH_MAX, "%s", name);
    else if (*place->folder)
        n = snprintf(out, PATH_MAX, "%s/%s", place->folder, name);
    else
        return false;
    return n > 0 && n < PATH_MAX;
}

char *command_place_program(const struct command_place *place, const char *name)
{
    char file[PATH_MAX], *found = NULL;
    bool is_path = !place->path || strchr(name, '/');

    if (place->is_container || *name == '\0' ||
        (is_path && !name_file(file, place, name)))
        return NULL;
    /* The file of --multi-prog stands here without a slash. */
    if (program_path_find(&found, is_path ? file : name,
                          is_path ? NULL : place->path, NULL) < 0)
        return NULL;
    return found;
}

char *command_place_script(const struct command_place *place, const char *name)
{
    char file[PATH_MAX];

    return !place->is_container && name_file(file, place, name)
               ? realpath(file, NULL)
               : NULL;
}

struct command_place command_place_move(char *folder,
                                        const struct command_place *from,
                                        const char *to)
{
    struct command_place place = *from;

    if (to && *to == '\0')
        place.folder = "";
    else if (to)
        place.folder = name_file(folder, from, to) ? folder : "";
    return place;
}
