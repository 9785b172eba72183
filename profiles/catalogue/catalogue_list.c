/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* catalogue_list.c - all that a catalogue holds, for those who keep it */
#include "config.h"

#include "profiles/catalogue/catalogue.h"

#include "profiles/catalogue/catalogue_names.h"
#include "profiles/catalogue/catalogue_trust.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* The list being made, and where in the root it is. */
struct catalogue_listing {
    struct catalogue_entry *entry;
    size_t n, capacity;
    const char *root;
    bool own, all_versions;
    struct mapcore_error refused; /* of the folder where it is, or "" */
};

/* Sets own and refused. */
static int mark_refused(struct catalogue_entry *entry,
                        const struct catalogue_listing *listing,
                        struct mapcore_error *err)
{
    struct mapcore_error why = listing->refused;

    entry->own = listing->own;
    if (why.text[0] == '\0' &&
        catalogue_check_version(entry->path, listing->own, &why) == 0)
        return 0;
    entry->refused = array_copy(why.text, strlen(why.text) + 1, 1, err);
    return entry->refused ? 0 : MAPCORE_ENOMEM;
}

static bool has_name(char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* Versions of a folder and which of them is current, "" if none is. One that
 * came between the two looks, while that which was current before it went, is
 * found by looking again. */
static int look_up_versions(char ***names,
                            size_t *n,
                            char current[NAME_MAX + 1],
                            const char *folder)
{
    int error;

    for (int i = 0; i < CATALOGUE_LOOKS; i++) {
        error = catalogue_names(names, n, folder, catalogue_is_version, NULL);
        if (error < 0)
            return error;
        if (catalogue_current(current, folder, NULL) < 0)
            current[0] = '\0';
        if (current[0] == '\0' || has_name(*names, *n, current) ||
            i == CATALOGUE_LOOKS - 1)
            break;
        catalogue_names_free(*names, *n);
        *names = NULL;
        *n = 0;
    }
    return 0;
}

static int list_versions(struct catalogue_listing *listing,
                         const char *program,
                         const char *identity,
                         const char *ntasks_name,
                         const char *folder,
                         struct mapcore_error *err)
{
    char current[NAME_MAX + 1];
    char **names = NULL;
    uint32_t ntasks;
    size_t n = 0;
    int error = 0;

    if (!catalogue_parse_ntasks(ntasks_name, &ntasks) ||
        look_up_versions(&names, &n, current, folder) < 0)
        return 0;
    for (size_t i = 0; error == 0 && i < n; i++) {
        bool is_current = strcmp(names[i], current) == 0;

        if (!is_current && !listing->all_versions)
            continue;
        error = array_reserve(&listing->entry, &listing->capacity,
                              listing->n + 1, sizeof(*listing->entry), err);
        if (error == 0)
            error = catalogue_fill(
                &listing->entry[listing->n],
                &(struct catalogue_version){listing->root, program, identity,
                                            ntasks, folder, names[i]},
                err);
        if (error == 0) {
            listing->entry[listing->n++].current = is_current;
            error = mark_refused(&listing->entry[listing->n - 1], listing, err);
        }
    }
    catalogue_names_free(names, n);
    return error;
}

/* Walks folder (owned by the caller) at the given depth below the root: 0 the
 * root, 1 a program, 2 an identity, 3 a number of tasks. What cannot be read
 * below the root is passed over. */
static int list_folder(struct catalogue_listing *listing,
                       unsigned depth,
                       const char *const parts[3],
                       const char *folder,
                       struct mapcore_error *err)
{
    static bool (*const accept[3])(const char *) = {
        catalogue_is_encoded, catalogue_is_identity, catalogue_is_ntasks};
    const struct mapcore_error above = listing->refused;
    char **names = NULL;
    size_t n = 0;
    int error;

    if (above.text[0] == '\0' &&
        catalogue_check_folder(folder, depth == 0, listing->own,
                               &listing->refused) == 0)
        listing->refused.text[0] = '\0';
    if (depth == 3) {
        error =
            list_versions(listing, parts[0], parts[1], parts[2], folder, err);
        listing->refused = above;
        return error;
    }
    error = catalogue_names(&names, &n, folder, accept[depth], err);
    if (error < 0)
        listing->refused = above;
    if (error < 0)
        return depth > 0 && error != MAPCORE_ENOMEM ? 0 : error;
    for (size_t i = 0; error == 0 && i < n; i++) {
        const char *below[3] = {parts[0], parts[1], parts[2]};
        char *decoded = NULL;
        char *path = catalogue_join(folder, names[i], err);

        below[depth] = names[i];
        error = path ? 0 : MAPCORE_ENOMEM;
        if (error == 0 && depth == 0 &&
            catalogue_decode(&decoded, names[i], NULL) == 0)
            below[0] = decoded;
        if (error == 0)
            error = list_folder(listing, depth + 1, below, path, err);
        free(decoded);
        free(path);
    }
    catalogue_names_free(names, n);
    listing->refused = above;
    return error;
}

static int compare_entries(const void *a, const void *b)
{
    const struct catalogue_entry *x = a, *y = b;
    int order = strcmp(x->program, y->program);

    if (order == 0)
        order = strcmp(x->identity, y->identity);
    if (order == 0)
        order = (x->ntasks > y->ntasks) - (x->ntasks < y->ntasks);
    return order != 0 ? order : strverscmp(x->version, y->version);
}

int catalogue_list(struct catalogue_entry **out,
                   size_t *n,
                   const char *root,
                   bool own,
                   bool all_versions,
                   struct mapcore_error *err)
{
    static const char *const nothing[3] = {"", "", ""};
    struct catalogue_listing listing = {
        .root = root, .own = own, .all_versions = all_versions};
    int error = list_folder(&listing, 0, nothing, root, err);

    if (error == MAPCORE_ENOENT)
        error = 0;
    if (error < 0) {
        for (size_t i = 0; i < listing.n; i++)
            catalogue_entry_clear(&listing.entry[i]);
        free(listing.entry);
        return error;
    }
    if (listing.n > 1)
        qsort(listing.entry, listing.n, sizeof(*listing.entry),
              compare_entries);
    *out = listing.entry;
    *n = listing.n;
    return 0;
}

bool catalogue_is_sibling(const struct catalogue_entry *a,
                          const struct catalogue_entry *b)
{
    return strcmp(a->program, b->program) == 0 &&
           strcmp(a->identity, b->identity) == 0 && a->ntasks == b->ntasks;
}
