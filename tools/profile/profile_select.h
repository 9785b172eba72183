/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_select.h - which catalogues, and which profile a user means */
#ifndef TOOLS_PROFILE_SELECT_H
#define TOOLS_PROFILE_SELECT_H

#include "profiles/catalogue/catalogue.h"
#include "tools/common/tool.h"

struct site_file;

/* The catalogues that are looked through, in order: the user's own (when there
 * is a home), each that was given (--catalogue; NULL: none), the site file's
 * (config; NULL: the installed one). */
struct profile_roots {
    struct tool_list list;
    char *own;
    char
        *examples; /* the installed ones, for profile_select; NULL: not those */
    struct site_file *site;
};
/* Errors: those of site_read, ENOMEM. */
int profile_roots_open(struct profile_roots *out,
                       const struct tool_list *catalogues,
                       const char *config,
                       struct mapcore_error *err);
void profile_roots_close(struct profile_roots *roots);

/* The version that the words PROFILE mean: the path of its folder;
 * PROGRAM[:NTASKS]; name:NAME[:NTASKS]. The first root that has it
 * counts, and in it the build of the file PROGRAM before others, and the newest
 * version; the first root is the user's own where roots->own is not NULL. What
 * is not to be trusted is passed over, and named (ETRUST) when nothing else is
 * found. An example is found by a program or a name of which no root has
 * anything. A folder outside of any catalogue has only its path set. Errors:
 * ENOENT (with what there is instead), EINVAL, EIO, ENOMEM. */
int profile_select(struct catalogue_entry *out,
                   const struct profile_roots *roots,
                   const char *words,
                   struct mapcore_error *err);

/* The same in the catalogues of profile_roots_open and in the examples; notes:
 * that the profile is of another build, or an example, is said. */
int profile_find(struct catalogue_entry *out,
                 const struct tool_list *catalogues,
                 const char *config,
                 const char *words,
                 bool notes,
                 struct mapcore_error *err);

/* The one catalogue that is written to: the one given (one at most),
 * else the user's own. *out owned. Errors: EINVAL, ENOENT (no home). */
int profile_root_to_write(char **out,
                          const struct tool_list *given,
                          struct mapcore_error *err);

/* The catalogue of that name, or (NULL) the user's own, for processes that
 * start in other folders. *out owned. Errors: ENOENT (no home), EIO, ENOMEM. */
int profile_root_absolute(char **out,
                          const char *named,
                          struct mapcore_error *err);

/* Whether what is to be filed there would take the place of a recording, whose
 * types, calls and seconds would be out of sight; what: "this graph". identity
 * NULL: named. Errors: EINVAL (it would, and --replace lets it), ENOMEM. */
int profile_check_replaces(const char *root,
                           const char *program,
                           const char *identity,
                           uint32_t ntasks,
                           const char *what,
                           struct mapcore_error *err);

#endif
