/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* remembered.h - which program a command line led to, when it was recorded:
 * ROOT/.commands/<digest of the command line> in the user's own catalogue */
#ifndef PROFILES_REMEMBERED_H
#define PROFILES_REMEMBERED_H

#include "profiles/program/subject_found.h"

#include <stdbool.h>
#include <stddef.h>

#define REMEMBERED_FOLDER ".commands"

/* A digest in hexadecimal digits, and the NUL. */
#define REMEMBERED_KEY 65
enum {
    REMEMBERED_EXACT, /* these words, in this folder */
    REMEMBERED_LOOSE, /* this script with any words, or these words anywhere */
    REMEMBERED_KEYS,
};

/* All owned. */
struct remembered {
    char *program;  /* as /proc/self/exe showed it, or a script */
    char *identity; /* under which it was filed */
};

/* words[n]: the command as typed; folder: the current one; script: the file
 * that stands for the command whatever its arguments, or NULL. */
void remembered_make_keys(char keys[REMEMBERED_KEYS][REMEMBERED_KEY],
                          size_t n,
                          const char *const *words,
                          const char *folder,
                          const char *script);

/* The same for a command that was looked at; the folder is the current one.
 * False when there is none. */
bool remembered_subject_keys(char keys[REMEMBERED_KEYS][REMEMBERED_KEY],
                             const struct subject_found *subject,
                             int argc,
                             const char *const *argv);

/* keys: one or several, a blank between them; what is none is passed over.
 * Errors: EIO, EINVAL (a path that no line can hold), ENOMEM. */
int remembered_write(const char *root,
                     const char *keys,
                     const struct remembered *what,
                     struct mapcore_error *err);
/* Errors: ENOENT, ETRUST (as mapcore-profile(5) says whom to trust), EPARSE,
 * EIO, ENOMEM. */
int remembered_read(struct remembered *out,
                    const char *root,
                    const char *key,
                    struct mapcore_error *err);
void remembered_clear(struct remembered *what);

#endif
