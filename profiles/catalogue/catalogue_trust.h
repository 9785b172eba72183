/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* catalogue_trust.h - the rules "Whom to trust" of mapcore-profile(5) */
#ifndef PROFILES_CATALOGUE_TRUST_H
#define PROFILES_CATALOGUE_TRUST_H

#include "base/buffer.h"
#include "base/error_set.h"

#include <stdbool.h>

/* A folder of a catalogue, which below the root must be no symlink. What all
 * may write is refused; in the user's own root (own) only the user and root
 * are believed; in a site's root any owner is, since only who may write to its
 * folders can have put it there. Errors: ENOENT, ETRUST, naming path, EIO. */
int catalogue_check_folder(const char *path,
                           bool is_root,
                           bool own,
                           struct mapcore_error *err);
/* The folders that there are already of ROOT/<program>/<identity>/<ntasks>,
 * into which a version is to be filed: whether it would be believed there.
 * ntasks 0: those above it. Errors: ETRUST, EIO, EINVAL, ENOMEM. */
int catalogue_check_place(const char *root,
                          bool own,
                          const char *program,
                          const char *identity,
                          uint32_t ntasks,
                          struct mapcore_error *err);
/* A version's folder and each file in it, which must be regular. Errors: as
 * above, ENOMEM. */
int catalogue_check_version(const char *path,
                            bool own,
                            struct mapcore_error *err);

#endif
