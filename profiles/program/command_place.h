/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* command_place.h - where a command is started, and the files that its words
 * name there */
#ifndef PROFILES_COMMAND_PLACE_H
#define PROFILES_COMMAND_PLACE_H

#include <stdbool.h>

/* Strings are borrowed. */
struct command_place {
    const char *folder; /* NULL: here; "": nobody knows */
    const char *path;   /* of PATH; NULL: argv[0] is a path */
    int depth;          /* wrappers in wrappers */
    unsigned *steps;    /* commands that were looked at in all */
    bool is_container, hides_exe;
};

/* The program that a command's first word starts, and what an interpreter or
 * shell is given to read, which PATH does not count for: absolute, links
 * followed, owned. NULL when nobody can tell, and in containers. */
char *command_place_program(const struct command_place *place,
                            const char *name);
char *command_place_script(const struct command_place *place, const char *name);

/* The place that `to` (as of command_place.folder) is from there.
 * folder[PATH_MAX] holds what is made of both. */
struct command_place command_place_move(char *folder,
                                        const struct command_place *from,
                                        const char *to);

#endif
