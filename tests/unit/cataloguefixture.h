/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cataloguefixture.h - a profile filed, looked for, found or refused */
#ifndef TESTS_CATALOGUEFIXTURE_H
#define TESTS_CATALOGUEFIXTURE_H

#include "profiles/catalogue/catalogue.h"

#include "scratch.h"

/* 2026-11-21 02:30:00 UTC. */
#define WHEN  ((int64_t)1795228200)
#define BUILD "0123456789abcdef0123456789abcdef01234567"
#define OTHER "fedcba9876543210fedcba9876543210fedcba98"

/* Files one version whose two files say `what`; returns its name (owned). */
static inline char *file_one(const char *root,
                             const char *program,
                             const char *identity,
                             uint32_t ntasks,
                             int64_t when,
                             const char *what)
{
    struct mapcore_error err = {.text = ""};
    char *folder = NULL, *version = NULL;
    char path[4096];

    if (catalogue_begin(&folder, root, program, identity, ntasks, &err) < 0)
        fail_msg("%s", err.text);
    snprintf(path, sizeof(path), "%s/profile.json", folder);
    put_text(path, what);
    snprintf(path, sizeof(path), "%s/p2p.graph", folder);
    put_text(path, what);
    if (catalogue_commit(&version, folder, when, "12.0", NULL, &err) < 0)
        fail_msg("%s", err.text);
    free(folder);
    memmove(version, strrchr(version, '/') + 1, strlen(strrchr(version, '/')));
    return version;
}

static inline int find(struct catalogue_entry *out,
                       const char *root,
                       bool own,
                       const char *program,
                       const char *identity,
                       uint32_t ntasks,
                       struct mapcore_error *err)
{
    const struct catalogue_query query = {&root, 1, own, program, identity};

    err->text[0] = '\0';
    return catalogue_find(out, &query, ntasks, err);
}

/* Whether what was found is partial. */
static inline bool expect_found(const char *root, bool own, const char *version)
{
    struct catalogue_entry entry = {0};
    struct mapcore_error err;
    bool partial;

    if (find(&entry, root, own, "/x/app", BUILD, 16, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(entry.version, version);
    partial = entry.partial;
    catalogue_entry_clear(&entry);
    return partial;
}

static inline void expect_refused(const char *root,
                                  bool own,
                                  int code,
                                  const char *part)
{
    struct catalogue_entry entry = {0};
    struct mapcore_error err;

    assert_int_equal(find(&entry, root, own, "/x/app", BUILD, 16, &err), code);
    if (!strstr(err.text, part))
        fail_msg("'%s' lacks '%s'", err.text, part);
    assert_null(entry.path);
}

#endif
