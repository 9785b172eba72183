/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_select.c - which catalogues, and which profile a user means */
#include "config.h"

#include "tools/profile/profile_select.h"
#include "tools/profile/recorded/collect.h"

#include "base/buffer.h"
#include "base/text.h"
#include "launch/command/program_path.h"
#include "profiles/catalogue/catalogue_trust.h"
#include "profiles/profile.h"
#include "profiles/program/identity.h"
#include "tools/common/installed.h"
#include "tools/site/site.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char name_prefix[] = "name:";

/* A folder counts once, by any name. */
static int add_root(struct tool_list *list,
                    const char *path,
                    struct mapcore_error *err)
{
    struct stat one, other;

    if (stat(path, &one) == 0)
        for (size_t i = 0; i < list->n; i++)
            if (stat(list->item[i], &other) == 0 &&
                one.st_dev == other.st_dev && one.st_ino == other.st_ino)
                return 0;
    return tool_list_add(list, path, err);
}

int profile_roots_open(struct profile_roots *out,
                       const struct tool_list *catalogues,
                       const char *config,
                       struct mapcore_error *err)
{
    const size_t given = catalogues ? catalogues->n : 0;
    int error;

    *out = (struct profile_roots){0};
    error = site_read(&out->site, config, err);
    if (error == 0)
        site_root_export(out->site);
    if (error == 0 && (error = catalogue_user_root(&out->own, err)) == 0) {
        collect_left_here(out->own);
        error = tool_list_add(&out->list, out->own, err);
    } else if (error == MAPCORE_ENOENT && out->site) {
        error = 0; /* no home */
    }
    for (size_t i = 0; error == 0 && i < given; i++)
        error = add_root(&out->list, catalogues->item[i], err);
    for (size_t i = 0; error == 0 && i < out->site->ncatalogues; i++)
        error = add_root(&out->list, out->site->catalogues[i], err);
    if (error < 0)
        profile_roots_close(out);
    return error;
}

void profile_roots_close(struct profile_roots *roots)
{
    site_close(roots->site);
    free(roots->own);
    free(roots->examples);
    free(roots->list.item);
    *roots = (struct profile_roots){0};
}

int profile_root_to_write(char **out,
                          const struct tool_list *given,
                          struct mapcore_error *err)
{
    if (given->n == 0) {
        site_root_export_of(NULL);
        return catalogue_user_root(out, err);
    }
    if (given->n > 1)
        return error_set(err, MAPCORE_EINVAL,
                         "one --catalogue at a time is written to");
    return text_copy(out, given->item[0], err);
}

int profile_root_absolute(char **out,
                          const char *named,
                          struct mapcore_error *err)
{
    char here[PATH_MAX], *root = NULL;
    int error =
        named ? text_copy(&root, named, err) : catalogue_user_root(&root, err);

    if (error == 0 && *root == '/') {
        *out = root;
        return 0;
    }
    if (error == 0 && !getcwd(here, sizeof(here)))
        error =
            error_set(err, MAPCORE_EIO, "%.300s: %s", root, strerror(errno));
    else if (error == 0 && !(*out = catalogue_join(here, root, err)))
        error = MAPCORE_ENOMEM;
    free(root);
    return error;
}

int profile_check_replaces(const char *root,
                           const char *program,
                           const char *identity,
                           uint32_t ntasks,
                           const char *what,
                           struct mapcore_error *err)
{
    struct catalogue_entry *list = NULL;
    size_t n = 0;
    int error =
        catalogue_list(&list, &n, root, false, text_last_part(program), err);

    for (size_t i = 0; i < n; i++) {
        struct profile *profile = NULL;

        if (list[i].ntasks == ntasks && !list[i].refused && !list[i].partial &&
            strcmp(list[i].identity, identity ? identity : CATALOGUE_NAMED) ==
                0 &&
            profile_read(&profile, list[i].path, NULL) == 0 &&
            (!profile->job || strcmp(profile->job, "import") != 0))
            error = error_set(
                err, MAPCORE_EINVAL,
                "a recording of %.100s with %u tasks is current (%.100s): --replace puts %s in its place",
                list[i].program, ntasks, list[i].version, what);
        profile_destroy(profile);
    }
    catalogue_list_free(list, n);
    return error;
}

static bool is_folder(const char *folder)
{
    struct buffer path = {0};
    struct stat st;
    bool found = buffer_printf(&path, "%s/profile.json", folder) == 0 &&
                 stat(path.bytes, &st) == 0 && S_ISREG(st.st_mode);

    buffer_clear(&path);
    return found;
}

/* PROFILE taken apart, and what there is instead. */
struct profile_search {
    char *subject; /* the program or the name, owned */
    bool is_named;
    uint32_t ntasks;              /* 0: any */
    char identity[IDENTITY_MAX];  /* of the file, "" when there is none */
    struct buffer sizes;          /* with other numbers of tasks: "8, 16" */
    struct mapcore_error refused; /* not to be trusted, or "" */
    bool has_other_kind; /* what was asked for as a program is there under a
                            name of a user's, or the other way round */
};

static int parse_words(struct profile_search *out,
                       const char *words,
                       struct mapcore_error *err)
{
    size_t prefix = strlen(name_prefix);
    char *colon;
    uint64_t n;

    out->is_named = strncmp(words, name_prefix, prefix) == 0;
    if (out->is_named)
        words += prefix;
    if (text_copy(&out->subject, words, err) < 0)
        return MAPCORE_ENOMEM;
    colon = strrchr(out->subject, ':');
    if (colon && text_parse_u64(colon + 1, &n)) {
        if (n == 0 || n >= MAPCORE_NONE)
            return error_set(err, MAPCORE_EINVAL,
                             "'%.200s': no such number of tasks", words);
        out->ntasks = (uint32_t)n;
        *colon = '\0';
    }
    if (*out->subject == '\0')
        return error_set(err, MAPCORE_EINVAL, "'%.200s' names no profile",
                         words);
    return out->is_named ? catalogue_check_name(out->subject, err) : 0;
}

/* A program that is there tells its build; one that is gone is looked for by
 * its name alone. */
static void identify(struct profile_search *search)
{
    struct mapcore_error ignored;
    char *path = NULL;

    if (search->is_named ||
        program_path_find(&path, search->subject, getenv("PATH"), &ignored) < 0)
        return;
    if (identity_of_file(search->identity, path, &ignored) < 0)
        search->identity[0] = '\0';
    free(path);
}

/* A program is no name of a user's, nor is that a program. */
static bool is_of(const struct profile_search *search,
                  const struct catalogue_entry *entry)
{
    return search->is_named == (strcmp(entry->identity, CATALOGUE_NAMED) == 0);
}

static bool is_better(const struct catalogue_entry *entry,
                      const struct catalogue_entry *best,
                      const char *identity)
{
    bool fits = strcmp(entry->identity, identity) == 0;
    bool best_fits = best && strcmp(best->identity, identity) == 0;

    if (best && best->partial != entry->partial)
        return best->partial;
    return !best || fits > best_fits ||
           (fits == best_fits && strverscmp(entry->version, best->version) > 0);
}

/* The best one of a root's entries, or NULL. */
static struct catalogue_entry *choose(struct profile_search *search,
                                      struct catalogue_entry *list,
                                      size_t n)
{
    struct catalogue_entry *best = NULL;

    for (struct catalogue_entry *entry = list; entry < list + n; entry++) {
        if (!is_of(search, entry))
            search->has_other_kind |= !entry->refused;
        else if (search->ntasks > 0 && search->ntasks != entry->ntasks)
            continue;
        else if (entry->refused)
            error_set(&search->refused, MAPCORE_ETRUST, "%s", entry->refused);
        else if (is_better(entry, best, search->identity))
            best = entry;
    }
    return best;
}

/* Adds the sizes of the build that was chosen; of all when none was. Returns
 * how many they are. */
static unsigned add_sizes(struct buffer *out,
                          const struct profile_search *search,
                          const struct catalogue_entry *list,
                          size_t n,
                          const struct catalogue_entry *best)
{
    uint32_t last = 0;
    unsigned count = 0;

    for (size_t i = 0; i < n; i++) {
        if (list[i].refused || !is_of(search, &list[i]) ||
            (best && strcmp(best->identity, list[i].identity) != 0) ||
            (count > 0 && list[i].ntasks == last))
            continue;
        buffer_printf(out, "%s%u", out->n > 0 ? ", " : "", list[i].ntasks);
        last = list[i].ntasks;
        count++;
    }
    return count;
}

/* Errors: ENOENT without a text when this root has nothing of it. */
static int select_in_root(struct catalogue_entry *out,
                          struct profile_search *search,
                          const char *root,
                          bool own,
                          struct mapcore_error *err)
{
    struct catalogue_entry *list = NULL, *best;
    struct buffer sizes = {0};
    size_t n = 0;
    int error = catalogue_list(&list, &n, root, own,
                               text_last_part(search->subject), err);

    if (error < 0)
        return error;
    best = choose(search, list, n);
    if (!best) {
        add_sizes(&search->sizes, search, list, n, NULL);
        error = MAPCORE_ENOENT;
    } else if (search->ntasks == 0 &&
               add_sizes(&sizes, search, list, n, best) > 1) {
        error = error_set(err, MAPCORE_EINVAL,
                          "%.100s was recorded with %.200s tasks: say which "
                          "by %.100s:NTASKS",
                          search->subject, sizes.bytes, search->subject);
    } else {
        *out = *best;
        *best = (struct catalogue_entry){0};
        out->other_build = search->identity[0] != '\0' &&
                           strcmp(out->identity, search->identity) != 0;
    }
    catalogue_list_free(list, n);
    buffer_clear(&sizes);
    return error;
}

/* A folder of a version; when it stands in a catalogue, all of the entry. */
static int select_folder(struct catalogue_entry *out,
                         const char *folder,
                         struct mapcore_error *err)
{
    char *path = realpath(folder, NULL), *program = NULL;
    char *text = path ? strdup(path) : NULL, *part[4] = {NULL};
    struct catalogue_version version = {.root = text, .folder = path};
    bool is_named;
    int n = 0, error = 0;

    if (!text)
        error =
            error_set(err, MAPCORE_EIO, "%.400s: %s", folder, strerror(errno));
    for (; text && n < 4 && (part[n] = strrchr(text, '/')); n++)
        *part[n]++ = '\0';
    if (n == 4 && text[0] != '\0' && catalogue_is_version(part[0]) &&
        catalogue_parse_ntasks(part[1], &version.ntasks) &&
        catalogue_is_identity(part[2]) && catalogue_is_encoded(part[3]) &&
        catalogue_decode(&program, part[3], NULL) == 0) {
        version.program = program;
        version.identity = part[2];
        version.version = part[0];
        is_named = strcmp(part[2], CATALOGUE_NAMED) == 0;
        error = catalogue_check_place(text, false, program,
                                      is_named ? NULL : part[2], version.ntasks,
                                      err);
        if (error == 0)
            error = catalogue_check_version(path, false, err);
        *strrchr(path, '/') = '\0';
        if (error == 0)
            error = catalogue_fill(out, &version, err);
    } else if (error == 0) {
        out->path = path;
        path = NULL;
    }
    free(program);
    free(text);
    free(path);
    return error;
}

/* In a folder of examples, which are filed by name. A program that any other
 * root has something of hides the example. */
static int select_example(struct catalogue_entry *out,
                          struct profile_search *search,
                          const char *examples,
                          struct mapcore_error *err)
{
    const bool is_named = search->is_named;
    int error;

    if (search->sizes.n > 0 || search->refused.text[0] != '\0' ||
        search->has_other_kind || strchr(search->subject, '/'))
        return MAPCORE_ENOENT;
    search->is_named = true;
    error = select_in_root(out, search, examples, false, err);
    search->is_named = is_named;
    out->other_build = false;
    return error;
}

int profile_select(struct catalogue_entry *out,
                   const struct profile_roots *roots,
                   const char *words,
                   struct mapcore_error *err)
{
    struct profile_search search = {.refused = {.text = ""}};
    int error;

    *out = (struct catalogue_entry){0};
    if (strchr(words, '/') && is_folder(words))
        return select_folder(out, words, err);
    error = parse_words(&search, words, err);
    if (error == 0) {
        identify(&search);
        error = MAPCORE_ENOENT;
    }
    for (size_t r = 0; error == MAPCORE_ENOENT && r < roots->list.n; r++)
        error = select_in_root(out, &search, roots->list.item[r],
                               roots->own && r == 0, err);
    if (error == MAPCORE_ENOENT && roots->examples)
        error = select_example(out, &search, roots->examples, err);
    if (error == MAPCORE_ENOENT && search.refused.text[0] != '\0')
        error = error_set(err, MAPCORE_ETRUST, "%s", search.refused.text);
    else if (error == MAPCORE_ENOENT && search.sizes.n > 0)
        error_set(err, error,
                  "no profile of %.200s for %u tasks; there are profiles for "
                  "%.150s",
                  search.subject, search.ntasks, search.sizes.bytes);
    else if (error == MAPCORE_ENOENT && search.has_other_kind)
        error_set(err, error,
                  search.is_named
                      ? "no profile named %.100s; there is one of a program: "
                        "%.100s"
                      : "no profile of a program %.100s; there is one filed by "
                        "name: name:%.100s",
                  search.subject, text_last_part(search.subject));
    else if (error == MAPCORE_ENOENT)
        error_set(err, error, "no profile %s %.200s",
                  search.is_named ? "named" : "of", search.subject);
    buffer_clear(&search.sizes);
    free(search.subject);
    return error;
}

int profile_find(struct catalogue_entry *out,
                 const struct tool_list *catalogues,
                 const char *config,
                 const char *words,
                 bool notes,
                 struct mapcore_error *err)
{
    struct profile_roots roots;
    struct buffer examples = {0};
    int error = profile_roots_open(&roots, catalogues, config, err);

    *out = (struct catalogue_entry){0};
    if (error < 0)
        return error;
    error = installed_path(&examples, TOPOMAP_EXAMPLEDIR, "examples", err);
    error = buffer_finish(&roots.examples, &examples, error);
    if (error == 0)
        error = profile_select(out, &roots, words, err);
    if (error == 0 && out->other_build && notes)
        tool_note("this profile is of another build of %s", out->program);
    if (error == 0 && notes && out->root &&
        strcmp(out->root, roots.examples) == 0)
        tool_note("%.100s is an example that came with topomap", words);
    profile_roots_close(&roots);
    return error;
}
