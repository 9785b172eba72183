/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* catalogue.c - profiles found: which roots, whom to trust, which version */
#include "config.h"

#include "profiles/catalogue/catalogue.h"

#include "profiles/catalogue/catalogue_below.h"
#include "profiles/catalogue/catalogue_builds.h"
#include "profiles/catalogue/catalogue_trust.h"
#include "profiles/program/identity.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/text.h"
#include "launch/catalogue_root.h"
#include "launch/plain_name.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A message has at most these sizes. */
#define SIZES_SHOWN 12

int catalogue_user_root(char **out, struct mapcore_error *err)
{
    int error = catalogue_below_make(getenv("TOPOMAP_CATALOGUE"), err);

    return error < 0 ? error : catalogue_root_find(out, getenv, err);
}

int catalogue_beside(struct own_folder **out,
                     const char *root,
                     const char *name,
                     struct mapcore_error *err)
{
    struct own_folder *above;
    int error = own_folder_open(&above, root, OWN_FOLDER_OWN, err);

    if (error < 0)
        return error;
    error = own_folder_below(out, above, name, OWN_FOLDER_OWN, err);
    own_folder_close(above);
    return error;
}

int catalogue_make_beside(struct own_folder **out,
                          const char *root,
                          const char *name,
                          unsigned mode,
                          struct mapcore_error *err)
{
    struct own_folder *above;
    int error = own_folder_open(&above, root, OWN_FOLDER_OWN, err);

    if (error == MAPCORE_ENOENT &&
        (error = catalogue_make_root(root, err)) == 0)
        error = own_folder_open(&above, root, OWN_FOLDER_OWN, err);
    if (error < 0)
        return error;
    error = own_folder_make(out, above, name, mode, OWN_FOLDER_OWN, err);
    own_folder_close(above);
    return error;
}

/* What is looked for, and what was met on the way. */
struct catalogue_search {
    struct catalogue_query query;
    uint32_t ntasks;
    const char *root; /* being searched */
    bool own;
    bool takes_partial, met_partial;
    struct mapcore_error refused; /* the first entry passed over; "" if none */
    int refused_code;
    const char *missing; /* a root of the site that does not exist */
};

/* The current version in ROOT/<program>/<identity>/<ntasks>, where all of these
 * are to be believed; identity NULL: named. Errors: ENOENT, ETRUST, EIO,
 * ENOMEM. */
static int take_current(struct catalogue_entry *out,
                        struct catalogue_search *search,
                        const char *identity,
                        struct mapcore_error *err)
{
    const char *program = search->query.program;
    char version[NAME_MAX + 1], *place = NULL;
    struct catalogue_entry entry = {0};
    struct buffer folder = {.err = err};
    int error;

    if ((error = catalogue_check_place(search->root, search->own, program,
                                       identity, search->ntasks, err)) == 0 &&
        (error = catalogue_place(&place, search->root, program, identity,
                                 err)) == 0)
        error = buffer_printf(&folder, "%s/%u", place, search->ntasks);
    free(place);
    for (int i = 0; error == 0; i++) {
        error = catalogue_current(version, folder.bytes, err);
        if (error == 0)
            error = catalogue_fill(&entry,
                                   &(struct catalogue_version){
                                       search->root, text_last_part(program),
                                       identity ? identity : CATALOGUE_NAMED,
                                       search->ntasks, folder.bytes, version},
                                   err);
        if (error == 0)
            error = catalogue_check_version(entry.path, search->own, err);
        if (error == 0 && (!entry.partial || search->takes_partial)) {
            entry.current = true;
            *out = entry;
            break;
        }
        catalogue_entry_clear(&entry);
        if (error == 0) {
            search->met_partial = true;
            error = error_set(err, MAPCORE_ENOENT, "it is partial");
            break;
        }
        if (error == MAPCORE_ENOENT && i < CATALOGUE_LOOKS)
            error = 0;
    }
    buffer_clear(&folder);
    return error;
}

/* Adds the current version of one size, or why it is not to be believed. */
static int add_entry(struct catalogue_entry *out,
                     size_t *n,
                     struct catalogue_search *search,
                     const char *identity,
                     struct mapcore_error *err)
{
    const bool is_named = strcmp(identity, CATALOGUE_NAMED) == 0;
    struct mapcore_error why;
    int error =
        take_current(&out[*n], search, is_named ? NULL : identity, &why);

    if (error == MAPCORE_ENOENT)
        return 0;
    if (error < 0) {
        error = catalogue_fill(
            &out[*n],
            &(struct catalogue_version){search->root, search->query.program,
                                        identity, search->ntasks, "", ""},
            err);
        if (error == 0)
            error = text_copy(&out[*n].refused, why.text, err);
    }
    *n += error == 0;
    return error;
}

/* Adds those of a build, of which there is a folder in that of the program. */
static int add_build(struct catalogue_entry **out,
                     size_t *n,
                     size_t *capacity,
                     struct catalogue_search *search,
                     const char *folder,
                     const char *identity,
                     struct mapcore_error *err)
{
    char *place = catalogue_join(folder, identity, err), **names = NULL;
    size_t nnames = 0;
    int error = place ? 0 : MAPCORE_ENOMEM;

    if (error == 0)
        (void)catalogue_names(&names, &nnames, place, catalogue_is_ntasks,
                              NULL);
    for (size_t i = 0; error == 0 && i < nnames; i++) {
        (void)catalogue_parse_ntasks(names[i], &search->ntasks);
        error = array_reserve(out, capacity, *n + 1, sizeof(**out), err);
        if (error == 0)
            error = add_entry(*out, n, search, identity, err);
    }
    catalogue_names_free(names, nnames);
    free(place);
    return error;
}

void catalogue_list_free(struct catalogue_entry *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        catalogue_entry_clear(&list[i]);
    free(list);
}

int catalogue_list(struct catalogue_entry **out,
                   size_t *n,
                   const char *root,
                   bool own,
                   const char *program,
                   struct mapcore_error *err)
{
    struct catalogue_search search = {.query = {.program = program},
                                      .root = root,
                                      .own = own,
                                      .takes_partial = true};
    char name[NAME_MAX + 1], *folder = NULL, **names = NULL;
    size_t nnames = 0, capacity = 0;
    int error = catalogue_encode(name, program, err);

    *out = NULL;
    *n = 0;
    if (error == 0 && !(folder = catalogue_join(root, name, err)))
        error = MAPCORE_ENOMEM;
    if (error == 0)
        error = catalogue_names(&names, &nnames, folder, catalogue_is_identity,
                                err);
    for (size_t i = 0; error == 0 && i < nnames; i++)
        error = add_build(out, n, &capacity, &search, folder, names[i], err);
    catalogue_names_free(names, nnames);
    free(folder);
    if (error < 0) {
        catalogue_list_free(*out, *n);
        *out = NULL;
        *n = 0;
    }
    return error == MAPCORE_ENOENT ? 0 : error;
}

static int find_exact(struct catalogue_entry *out,
                      struct catalogue_search *search,
                      struct mapcore_error *err)
{
    return take_current(out, search, search->query.identity, err);
}

/* The same build under another name in the user's own root: a job runs a copy.
 */
static int find_copy(struct catalogue_entry *out,
                     struct catalogue_search *search,
                     struct mapcore_error *err)
{
    struct catalogue_search copy = *search;
    char **names = NULL;
    size_t n = 0;
    bool found = false;
    int error = search->own ? catalogue_builds_find(&names, &n, search->root,
                                                    search->query.identity, err)
                            : 0;

    for (size_t i = 0; !found && i < n; i++) {
        copy.query.program = names[i];
        found = find_exact(out, &copy, NULL) == 0;
    }
    catalogue_names_free(names, n);
    if (error == 0 && !found)
        error = error_set(err, MAPCORE_ENOENT, "no copy");
    return error;
}

static bool accept_identity(const char *name)
{
    return plain_name_check(name, IDENTITY_MAX) &&
           strcmp(name, CATALOGUE_NAMED) != 0;
}

/* The identities of a program that a root has, in order. */
static int list_builds(char ***out,
                       size_t *n,
                       const char *root,
                       const struct catalogue_query *query,
                       struct mapcore_error *err)
{
    char *place = NULL;
    int error =
        catalogue_place(&place, root, query->program, query->identity, err);

    if (error == 0) {
        *strrchr(place, '/') = '\0';
        error = catalogue_names(out, n, place, accept_identity, err);
    }
    free(place);
    return error;
}

/* The newest version of any identity in the root being searched: a program that
 * was built anew talks as it did. */
static int find_other(struct catalogue_entry *out,
                      struct catalogue_search *search,
                      struct mapcore_error *err)
{
    struct catalogue_entry best = {0};
    char **names = NULL;
    size_t n = 0;
    int error = list_builds(&names, &n, search->root, &search->query, err);

    for (size_t i = 0; i < n; i++) {
        struct catalogue_entry entry = {0};

        if (take_current(&entry, search, names[i], NULL) == 0 &&
            (!best.version || strverscmp(best.version, entry.version) < 0)) {
            catalogue_entry_clear(&best);
            best = entry;
            entry = (struct catalogue_entry){0};
        }
        catalogue_entry_clear(&entry);
    }
    catalogue_names_free(names, n);
    if (error < 0)
        return error;
    if (!best.version)
        return error_set(err, MAPCORE_ENOENT, "no other build");
    best.other_build = true;
    *out = best;
    return 0;
}

/* Sizes that there are of a program, in all roots. */
struct sizes {
    uint32_t *n;
    size_t count, capacity;
};

/* Of a program in root r, of the build that is looked for; or of others. */
static void add_sizes(struct sizes *sizes,
                      const struct catalogue_query *query,
                      size_t r,
                      const char *program,
                      bool others)
{
    const char *identity =
        others || !query->identity ? CATALOGUE_NAMED : query->identity;
    struct catalogue_entry *list;
    size_t n;

    (void)catalogue_list(&list, &n, query->roots[r], r == 0 && query->own_first,
                         text_last_part(program), NULL);
    for (size_t i = 0; i < n; i++)
        if (!list[i].refused &&
            others == (strcmp(list[i].identity, identity) != 0) &&
            array_reserve(&sizes->n, &sizes->capacity, sizes->count + 1,
                          sizeof(*sizes->n), NULL) == 0)
            sizes->n[sizes->count++] = list[i].ntasks;
    catalogue_list_free(list, n);
}

static void collect_sizes(struct sizes *sizes,
                          const struct catalogue_query *query,
                          bool others)
{
    char **names = NULL;
    size_t n = 0;

    for (size_t r = 0; r < query->nroots; r++)
        add_sizes(sizes, query, r, query->program, others);
    if (others || !query->own_first ||
        catalogue_builds_find(&names, &n, query->roots[0], query->identity,
                              NULL) < 0)
        return;
    for (size_t i = 0; i < n; i++)
        add_sizes(sizes, query, 0, names[i], false);
    catalogue_names_free(names, n);
}

/* Ascending, each once. */
static void sort_sizes(struct sizes *sizes)
{
    size_t kept = 0;

    array_sort_u32(sizes->n, sizes->count);
    for (size_t i = 0; i < sizes->count; i++)
        if (i == 0 || sizes->n[i] != sizes->n[kept - 1])
            sizes->n[kept++] = sizes->n[i];
    sizes->count = kept;
}

static void print_sizes(struct buffer *text, const struct sizes *sizes)
{
    for (size_t i = 0; i < sizes->count && i < SIZES_SHOWN; i++)
        buffer_printf(text, i > 0 ? ", %u" : " %u", sizes->n[i]);
    if (sizes->count > SIZES_SHOWN)
        buffer_printf(text, ", ...");
}

/* Whether those are other builds'. */
static bool find_sizes(struct sizes *sizes, const struct catalogue_query *query)
{
    bool others = false;

    collect_sizes(sizes, query, false);
    if ((others = sizes->count == 0))
        collect_sizes(sizes, query, true);
    sort_sizes(sizes);
    return others;
}

int catalogue_sizes(uint32_t **out,
                    size_t *n,
                    const struct catalogue_query *query,
                    struct mapcore_error *err)
{
    struct sizes sizes = {0};
    char *place = NULL;
    int error =
        catalogue_place(&place, "", query->program, query->identity, err);

    free(place);
    if (error < 0)
        return error;
    find_sizes(&sizes, query);
    *out = sizes.n;
    *n = sizes.count;
    return 0;
}

/* "no profile of app (build 1a2b3c4d) for 16 tasks; profiles exist for 8, 32
 * tasks: record one with --topomap=profile" */
static int say_missing(struct catalogue_search *search,
                       struct mapcore_error *err)
{
    const char *identity = search->query.identity;
    struct buffer text = {0};
    struct sizes sizes = {0};
    bool others;

    if (!identity)
        buffer_printf(&text, "no profile named %.80s", search->query.program);
    else
        buffer_printf(&text, "no profile of %.80s (build %.*s)",
                      text_last_part(search->query.program),
                      text_after(identity, "sha256-") ? 15 : 8, identity);
    buffer_printf(&text, " for %u tasks", search->ntasks);
    others = find_sizes(&sizes, &search->query);
    if (sizes.count > 0) {
        buffer_printf(&text, "; profiles%s exist for",
                      others && identity ? " of other builds" : "");
        print_sizes(&text, &sizes);
        buffer_printf(&text, " tasks");
        if (search->ntasks > 1 && sizes.count == 1 && sizes.n[0] == 1)
            buffer_printf(&text,
                          " (a rank on its own: was srun's --mpi= missing?)");
    }
    buffer_printf(&text, ": record one with --topomap=profile");
    if (!identity)
        buffer_printf(&text, ",name=%.80s", search->query.program);
    if (search->missing)
        buffer_printf(&text, " (the catalogue %.160s does not exist)",
                      search->missing);
    error_set(err, MAPCORE_ENOENT, "%s",
              text.bytes ? text.bytes : "no such profile");
    buffer_clear(&text);
    free(sizes.n);
    return MAPCORE_ENOENT;
}

/* Runs one way of searching over one root; 0 when it found. What could not be
 * used is remembered, a refusal before a failure. */
static int try_root(struct catalogue_entry *out,
                    struct catalogue_search *search,
                    size_t r,
                    int (*find)(struct catalogue_entry *,
                                struct catalogue_search *,
                                struct mapcore_error *))
{
    struct mapcore_error err = {.text = ""};
    struct stat st;
    int error;

    search->root = search->query.roots[r];
    search->own = r == 0 && search->query.own_first;
    error = find(out, search, &err);
    if (error == 0)
        return 0;
    if (error == MAPCORE_ENOENT) {
        if (!search->own && !search->missing && stat(search->root, &st) < 0 &&
            errno == ENOENT)
            search->missing = search->root;
        return error;
    }
    if (search->refused_code == 0 ||
        (search->refused_code != MAPCORE_ETRUST && error == MAPCORE_ETRUST)) {
        search->refused = err;
        search->refused_code = error;
    }
    return error;
}

int catalogue_find(struct catalogue_entry *out,
                   const struct catalogue_query *query,
                   uint32_t ntasks,
                   struct mapcore_error *err)
{
    struct catalogue_search search = {.query = *query, .ntasks = ntasks};
    char *place = NULL;
    int error =
        catalogue_place(&place, "", query->program, query->identity, err);

    free(place);
    if (error < 0)
        return error;
    do {
        search.takes_partial = search.met_partial;
        for (size_t r = 0; r < query->nroots; r++)
            if (try_root(out, &search, r, find_exact) == 0)
                return 0;
        if (query->own_first && try_root(out, &search, 0, find_copy) == 0)
            return 0;
        for (size_t r = 0;
             r < query->nroots && !program_is_interpreter(query->program); r++)
            if (try_root(out, &search, r, find_other) == 0)
                return 0;
    } while (search.met_partial && !search.takes_partial);
    if (search.refused_code != 0)
        return error_set(err, search.refused_code, "%s", search.refused.text);
    return say_missing(&search, err);
}
