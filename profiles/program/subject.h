/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* subject.h - the program that a command line is about: behind wrappers,
 * shells, interpreters and scripts */
#ifndef PROFILES_SUBJECT_H
#define PROFILES_SUBJECT_H

#include "profiles/program/subject_found.h"

/* Reads files, and runs nothing. path: the value of PATH, or NULL when argv[0]
 * is a path in any case. A program that is alone on its line is taken as it is.
 * Errors: ENOENT (no argv[0]), EIO, ENOMEM. */
int subject_find(struct subject_found *out,
                 int argc,
                 const char *const *argv,
                 const char *path,
                 struct mapcore_error *err);

#endif
