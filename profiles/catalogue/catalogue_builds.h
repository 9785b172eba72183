/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* catalogue_builds.h - under which program names a build was filed:
 * ROOT/.builds/<build-id>/<program>, empty files */
#ifndef PROFILES_CATALOGUE_BUILDS_H
#define PROFILES_CATALOGUE_BUILDS_H

#include "base/error.h"

#include <stddef.h>

#define CATALOGUE_BUILDS ".builds"

/* Notes that ROOT/<program>/<identity> is there, both named as in the
 * catalogue; root is a descriptor. Without it such a build is found under its
 * own name alone: no failure is reported. */
void catalogue_builds_note(int root, const char *program, const char *identity);
/* The programs that have that build in the user's own root, decoded; n 0 for
 * what has no build-id. They are hints: what they lead to is checked as any
 * other place is. Ended by catalogue_names_free. Errors: ENOMEM. */
int catalogue_builds_find(char ***out,
                          size_t *n,
                          const char *root,
                          const char *identity,
                          struct mapcore_error *err);

#endif
