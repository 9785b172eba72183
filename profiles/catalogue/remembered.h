/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* remembered.h - which program a command line led to, when it was recorded:
 * ROOT/.commands/<digest of the command line> in the user's own catalogue */
#ifndef PROFILES_REMEMBERED_H
#define PROFILES_REMEMBERED_H

#include "base/error.h"

#include <stdbool.h>

#define REMEMBERED_FOLDER ".commands"

/* A digest in hexadecimal digits, and the NUL. */
#define REMEMBERED_KEY 65

/* All owned. */
struct remembered {
    char *program;  /* as /proc/self/exe showed it, or a script */
    char *identity; /* under which it was filed */
};

/* keys: one or several, a blank between them; what is none is passed over.
 * Errors: EIO, EINVAL (a path that no line can hold), ENOMEM. */
int remembered_write(const char *root,
                     const char *keys,
                     const char *program,
                     const char *identity,
                     struct mapcore_error *err);
/* Errors: ENOENT, ETRUST (as mapcore-profile(5) says whom to trust), EPARSE,
 * EIO, ENOMEM. */
int remembered_read(struct remembered *out,
                    const char *root,
                    const char *key,
                    struct mapcore_error *err);
void remembered_clear(struct remembered *what);

/* The keys are made of the command alone, and of nothing that is concluded from
 * it. */
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
