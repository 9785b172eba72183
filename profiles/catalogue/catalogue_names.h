/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* catalogue_names.h - how things in a catalogue are called, and the entry that
 * holds such names */
#ifndef PROFILES_CATALOGUE_NAMES_H
#define PROFILES_CATALOGUE_NAMES_H

#include "base/error.h"

#include <limits.h>
#include <stdbool.h>

/* One version of one profile. With a name of the user's (name=NAME), program
 * is that name and identity is "named". */
struct catalogue_entry {
    char *root, *program, *identity;
    uint32_t ntasks;
    char *version; /* r<time>-<job> */
    char *path;    /* the version's folder */
    bool current;
    bool partial;  /* of a failed run, or not of all tasks */
    char *refused; /* why it is not to be trusted, or NULL; by catalogue_list */
    bool other_build; /* found by program name, but of another identity */
};
void catalogue_entry_clear(struct catalogue_entry *entry);

/* What name= takes: 1 to 64 of A-Z a-z 0-9 . _ + -, and no dot in front.
 * Errors: EINVAL, naming what is allowed. */
int catalogue_check_name(const char *name, struct mapcore_error *err);

/* How often readers look again: a version can go between the reading of
 * `current` and theirs. */
#define CATALOGUE_LOOKS 8
/* The identity under which name=NAME is filed; no executable's is this. */
#define CATALOGUE_NAMED "named"

/* The folder's name for the program at path: its last part, other bytes than
 * those of launch/plain_name.h as %XX, and the first one of a name that the
 * catalogue itself has. out[NAME_MAX + 1]. Errors: EINVAL. */
int catalogue_encode(char *out, const char *path, struct mapcore_error *err);
/* Whether a folder's name may be such a one. */
bool catalogue_is_encoded(const char *folder);
/* Back again; *out owned. Errors: EPARSE, ENOMEM. */
int catalogue_decode(char **out, const char *folder, struct mapcore_error *err);

/* ROOT/<program>/<identity>, checked; *out owned. identity NULL: named.
 * Errors: EINVAL, ENOMEM. */
int catalogue_place(char **out,
                    const char *root,
                    const char *program,
                    const char *identity,
                    struct mapcore_error *err);

/* "cannot WHAT PATH: " and why, by errno. EIO. */
int catalogue_fail(struct mapcore_error *err,
                   const char *what,
                   const char *path);

/* "a/b"; NULL and err without memory. */
char *catalogue_join(const char *a, const char *b, struct mapcore_error *err);

/* Reads the symlink `current` in a folder of versions. version[NAME_MAX + 1].
 * Errors: ENOENT (there is none), ETRUST (it is no symlink, or leads out of
 * the folder). */
int catalogue_current(char *version,
                      const char *folder,
                      struct mapcore_error *err);
/* r<8 digits>T<6 digits>Z-<job>. */
bool catalogue_is_version(const char *name);
/* "named", 16 to 128 hexadecimal digits, or "sha256-" and 64. */
bool catalogue_is_identity(const char *name);

/* The file in a root by which rm and prune know it, and its first line. */
#define CATALOGUE_MARK      "CATALOGUE"
#define CATALOGUE_MARK_LINE "topomap catalogue 1\n"

/* Beside the versions, with <pid>-<n> behind it: one that is being written. */
#define CATALOGUE_NEW ".new-"

/* The file in a version that says why it is partial; and whether there is one
 * in that version below folder, a descriptor or AT_FDCWD. */
#define CATALOGUE_PARTIAL "partial"
bool catalogue_is_partial(int folder, const char *version);
/* The same, with what that file says; where it cannot be read, "". */
bool catalogue_why_partial(char *out, size_t size, const char *version);

/* A number of tasks as a folder's name: 1 and up, no zeros in front. */
bool catalogue_parse_ntasks(const char *name, uint32_t *out);
bool catalogue_is_ntasks(const char *name);

/* Where a version is, all borrowed. */
struct catalogue_version {
    const char *root, *program, *identity;
    uint32_t ntasks;
    const char *folder, *version; /* the folder of that size, and its name */
};
/* Makes an entry of copies, and looks whether it is partial; current and
 * other_build are false. Errors: ENOMEM. */
int catalogue_fill(struct catalogue_entry *out,
                   const struct catalogue_version *from,
                   struct mapcore_error *err);

/* Opens a file of a version, which is no link. Errors: as text_open_kind. */
struct text;
int catalogue_open_text(struct text **out,
                        const char *folder,
                        const char *file,
                        struct mapcore_error *err);

/* Names in a folder but . and .., that accept() likes (NULL: all), in the order
 * of strverscmp. Array and names are owned. Errors: ENOENT, EIO, ENOMEM. */
int catalogue_names(char ***out,
                    size_t *n,
                    const char *folder,
                    bool (*accept)(const char *name),
                    struct mapcore_error *err);
/* The same of a folder that is open; path is for messages. */
int catalogue_names_at(char ***out,
                       size_t *n,
                       int folder,
                       const char *path,
                       bool (*accept)(const char *name),
                       struct mapcore_error *err);
void catalogue_names_free(char **names, size_t n);

#endif
