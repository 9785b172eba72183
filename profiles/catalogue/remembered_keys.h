/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* remembered_keys.h - the keys under which a command line is remembered: made
 * of the command alone, and of nothing that is concluded from it */
#ifndef PROFILES_REMEMBERED_KEYS_H
#define PROFILES_REMEMBERED_KEYS_H

#include "profiles/catalogue/remembered.h"

#include <stdbool.h>

enum {
    /* this program, with these words, in this folder, and the same text of the
     * script among them */
    REMEMBERED_EXACT,
    REMEMBERED_LOOSE, /* this script with any words, or these words anywhere */
    REMEMBERED_KEYS,
};

/* argv[argc]: the command as typed, started in the current folder with this
 * PATH. False when there is no such folder, or no memory. */
bool remembered_make_keys(char keys[REMEMBERED_KEYS][REMEMBERED_KEY],
                          int argc,
                          const char *const *argv,
                          const char *path);

#endif
