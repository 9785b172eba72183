/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* catalogue_remove.h - versions removed, and what interrupted writers left */
#ifndef PROFILES_CATALOGUE_REMOVE_H
#define PROFILES_CATALOGUE_REMOVE_H

#include "profiles/catalogue/catalogue_names.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether a root is a catalogue: it holds the file CATALOGUE, or nothing; a
 * root that is not there is one, too. Errors: EINVAL, EIO. */
int catalogue_check_root(const char *root, struct mapcore_error *err);

/* Whether catalogue_remove would remove it: it is a version by name, it holds
 * no other files than versions do, and all is to be trusted. Errors: EINVAL,
 * ETRUST, EIO. */
int catalogue_check_removal(const struct catalogue_entry *entry,
                            struct mapcore_error *err);
/* Removes one version; when it was current, the newest other one becomes so,
 * else the empty folders above go too, up to ROOT. Errors: as above; nothing is
 * changed then. */
int catalogue_remove(const struct catalogue_entry *entry,
                     struct mapcore_error *err);

/* Marks a version of the user's own as partial, by a line that says why; when
 * it is current, the newest complete one of its folder becomes so, if there is
 * one. Errors: EINVAL, ETRUST, EIO, ENOMEM. */
int catalogue_make_partial(const char *version,
                           const char *why,
                           struct mapcore_error *err);

struct catalogue_cleaning {
    bool own, dry_run; /* dry_run: only told */
    int64_t now;       /* seconds since 1970 */
    /* why: it could not be removed; else NULL */
    void (*say)(void *context, const char *path, const char *why);
    void *context;
};

/* Removes what interrupted writers and removals left below root more than a day
 * before now: .new-*, .old-*, .current-* and empty versions, each told. Errors:
 * EIO, ENOMEM. */
int catalogue_clean(const char *root,
                    const struct catalogue_cleaning *cleaning,
                    struct mapcore_error *err);

#endif
