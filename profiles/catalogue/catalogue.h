/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* catalogue.h - where profiles are filed and found again:
 * ROOT/<program>/<identity>/<ntasks>/current -> r<time>-<job>/ */
#ifndef PROFILES_CATALOGUE_H
#define PROFILES_CATALOGUE_H

#include "base/own_folder.h"
#include "profiles/catalogue/catalogue_names.h"

#include <stdbool.h>

/* The user's own root as this process's environment has it, by the rule of
 * launch/catalogue_root.h; one that the site names is made where it is missing.
 * *out owned. Errors: ENOENT (no home), ENOMEM; of the site's: ETRUST, EIO. */
int catalogue_user_root(char **out, struct mapcore_error *err);

/* Makes that folder, and those above it, where they are not there yet. Errors:
 * EIO, ENOMEM. */
int catalogue_make_root(const char *root, struct mapcore_error *err);

/* Opens ROOT/NAME, where launches remember beside the programs, both believed
 * as the user's own catalogue is. *out is ended by own_folder_close. Errors:
 * ENOENT, ETRUST, EIO, ENOMEM. */
int catalogue_beside(struct own_folder **out,
                     const char *root,
                     const char *name,
                     struct mapcore_error *err);
/* The same, made where it is not there, with that mode. Errors: ETRUST, EIO,
 * ENOMEM. */
int catalogue_make_beside(struct own_folder **out,
                          const char *root,
                          const char *name,
                          unsigned mode,
                          struct mapcore_error *err);

/* What is looked for, and where; all borrowed. */
struct catalogue_query {
    const char *const *roots; /* [nroots] */
    size_t nroots;
    bool own_first;       /* roots[0] is the user's own */
    const char *program;  /* a path or a file name; its last part counts */
    const char *identity; /* NULL: `named`, else any build of that program */
};

/* Looks through the roots in order, then in the user's own for the same build
 * under another name. When none fits and the program is no interpreter, an
 * entry of another identity is taken, of the first root that has one, with
 * other_build set. A partial one is taken where no complete one is found in any
 * of these ways. Nothing from the root down may be writable by all, and in the
 * user's own root all must be owned by us or root (ETRUST): such an entry is
 * passed over, and named in err if nothing else is found. Errors: ENOENT, with
 * the other sizes that there are in the text; ETRUST; EIO; EINVAL (a name that
 * cannot be). */
int catalogue_find(struct catalogue_entry *out,
                   const struct catalogue_query *query,
                   uint32_t ntasks,
                   struct mapcore_error *err);

/* Types of calls in a profile: ten times what MPI has, and few enough that the
 * graphs of all can be added up. */
#define CATALOGUE_TYPES_MOST 256

/* The numbers of tasks for which catalogue_find may find the program, in all
 * roots, ascending; those of other builds only when there are none of this one
 * (and it may find those). Array owned. None is no error. Errors: ENOMEM,
 * EINVAL as above. */
int catalogue_sizes(uint32_t **out,
                    size_t *n,
                    const struct catalogue_query *query,
                    struct mapcore_error *err);

/* Begins a new version: makes ROOT/<program>/<identity>/<ntasks>/.new-... and
 * returns its path (owned); the caller writes files into it. Folders are made
 * 0755 less the umask. */
int catalogue_begin(char **folder,
                    const char *root,
                    const char *program,
                    const char *identity,
                    uint32_t ntasks,
                    struct mapcore_error *err);
/* Syncs the files and the folder, renames it to r<time>-<job> (time in UTC as
 * given, seconds since 1970), and switches `current` by renaming a symlink over
 * it: readers see the old version or the new, whole, and no lock is taken.
 * version (owned, may be NULL) gets its path. On failure the folder is
 * removed and the old version still current. why: it is partial, and says so in
 * this one line; what is current stays so then, unless that is partial, too.
 * NULL: it is complete. */
int catalogue_commit(char **version,
                     const char *folder,
                     int64_t time,
                     const char *job,
                     const char *why,
                     struct mapcore_error *err);
void catalogue_abandon(const char *folder);

/* Marks a version of the user's own as partial, by a line that says why; when
 * it is current, the newest complete one of its folder becomes so, if there is
 * one. Errors: EINVAL, ETRUST, EIO, ENOMEM. */
int catalogue_make_partial(const char *version,
                           const char *why,
                           struct mapcore_error *err);

/* What is current of a program in a root, sorted by identity and ntasks. own:
 * it is the user's own root. What is not to be trusted has the reason in
 * `refused`, and is not to be read. None is no error. Ended by
 * catalogue_list_free. Errors: EINVAL (a name that cannot be), EIO, ENOMEM. */
int catalogue_list(struct catalogue_entry **out,
                   size_t *n,
                   const char *root,
                   bool own,
                   const char *program,
                   struct mapcore_error *err);
void catalogue_list_free(struct catalogue_entry *list, size_t n);

#endif
