/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_select.c - which catalogues, and which profile a user means */
#include "config.h"

#include "tools/profile/profile_select.h"
#include "tools/profile/recorded/collect.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/text.h"
#include "launch/command/program_path.h"
#include "profiles/profile.h"
#include "profiles/program/identity.h"
#include "tools/site/site.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char name_prefix[] = "name:";

/* A folder counts once, whatever it is called. */
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
    struct mapcore_error no_home;
    const char *const *site;
    size_t n = 0;
    int error;

    *out = (struct profile_roots){0};
    error = site_read(&out->site, config, err);
    if (error == 0 && catalogue_user_root(&out->own, &no_home) == 0) {
        collect_left_here(out->own);
        error = tool_list_add(&out->list, out->own, err);
    }
    for (size_t i = 0; error == 0 && i < given; i++)
        error = add_root(&out->list, catalogues->item[i], err);
    site = error == 0 ? site_catalogues(out->site, &n) : NULL;
    for (size_t i = 0; error == 0 && i < n; i++)
        error = add_root(&out->list, site[i], err);
    if (error < 0)
        profile_roots_close(out);
    return error;
}

void profile_roots_close(struct profile_roots *roots)
{
    site_close(roots->site);
    free(roots->own);
    free(roots->list.item);
    *roots = (struct profile_roots){0};
}

int profile_root_to_write(char **out,
                          const struct tool_list *given,
                          struct mapcore_error *err)
{
    if (given->n == 0)
        return catalogue_user_root(out, err);
    if (given->n > 1)
        return error_set(err, MAPCORE_EINVAL,
                         "one --catalogue at a time is written to");
    *out = array_copy(given->item[0], strlen(given->item[0]) + 1, 1, err);
    return *out ? 0 : MAPCORE_ENOMEM;
}

int profile_check_replaces(const char *root,
                           const char *program,
                           const char *identity,
                           uint32_t ntasks,
                           const char *what,
                           struct mapcore_error *err)
{
    char *place = NULL, *folder = NULL, *current = NULL;
    char number[16], version[NAME_MAX + 1];
    struct profile *profile = NULL;
    int error = catalogue_place(&place, root, program, identity, err);

    snprintf(number, sizeof(number), "%" PRIu32, ntasks);
    if (error == 0 && !(folder = catalogue_join(place, number, err)))
        error = MAPCORE_ENOMEM;
    if (error == 0 && catalogue_current(version, folder, NULL) == 0 &&
        (current = catalogue_join(folder, version, err)) &&
        profile_read(&profile, current, NULL) == 0 && !profile->partial &&
        (!profile->job || strcmp(profile->job, "import") != 0))
        error = error_set(err, MAPCORE_EINVAL,
                          "a recording of %.100s with %s tasks is current "
                          "(%.100s): --replace puts %s in its place",
                          text_last_part(program), number, version, what);
    profile_destroy(profile);
    free(current);
    free(folder);
    free(place);
    return error;
}

static bool is_file(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool has_file(const char *folder, const char *name)
{
    struct buffer path = {0};
    bool found = buffer_printf(&path, NULL, "%s/%s", folder, name) == 0 &&
                 is_file(path.bytes);

    buffer_clear(&path);
    return found;
}

/* PROFILE taken apart. */
struct wanted {
    char *subject; /* the program or the name, owned */
    bool is_named;
    uint32_t ntasks;             /* 0: any */
    char identity[IDENTITY_MAX]; /* of the file, "" when there is none */
};

static int parse_words(struct wanted *out,
                       const char *words,
                       struct mapcore_error *err)
{
    size_t prefix = strlen(name_prefix);
    char *colon;
    uint64_t n;

    *out = (struct wanted){0};
    out->is_named = strncmp(words, name_prefix, prefix) == 0;
    if (out->is_named)
        words += prefix;
    out->subject = array_copy(words, strlen(words) + 1, 1, err);
    if (!out->subject)
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
static void identify(struct wanted *wanted)
{
    struct mapcore_error ignored;
    char *path = NULL;

    if (wanted->is_named ||
        program_path_find(&path, wanted->subject, getenv("PATH"), &ignored) < 0)
        return;
    if (identity_of_file(wanted->identity, path, &ignored) < 0)
        wanted->identity[0] = '\0';
    free(path);
}

static bool matches(const struct catalogue_entry *entry,
                    const struct wanted *wanted)
{
    return strcmp(entry->program, text_last_part(wanted->subject)) == 0 &&
           wanted->is_named == (strcmp(entry->identity, "named") == 0);
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

/* One root's entries: the best of them, and the sizes there are of it. */
struct choice {
    const struct catalogue_entry *best;
    struct buffer sizes; /* "8, 16" */
    uint32_t last_size;
    unsigned nsizes, nbuilds;
};

static void choose(struct choice *out,
                   const struct catalogue_entry *list,
                   size_t n,
                   const struct wanted *wanted)
{
    for (size_t i = 0; i < n; i++)
        if (!list[i].refused && matches(&list[i], wanted) &&
            (wanted->ntasks == 0 || wanted->ntasks == list[i].ntasks) &&
            is_better(&list[i], out->best, wanted->identity))
            out->best = &list[i];
    /* The sizes of the build that was chosen; of all when none was. */
    for (size_t i = 0; i < n; i++) {
        if (list[i].refused || !matches(&list[i], wanted) ||
            (out->best && strcmp(out->best->identity, list[i].identity) != 0) ||
            (out->nsizes > 0 && list[i].ntasks == out->last_size))
            continue;
        buffer_printf(&out->sizes, NULL, "%s%u", out->nsizes > 0 ? ", " : "",
                      list[i].ntasks);
        out->last_size = list[i].ntasks;
        out->nsizes++;
    }
}

static int copy_entry(struct catalogue_entry *out,
                      const struct catalogue_entry *from,
                      struct mapcore_error *err)
{
    struct catalogue_entry made = {.ntasks = from->ntasks,
                                   .current = from->current,
                                   .partial = from->partial};
    const char *const source[] = {from->root, from->program, from->identity,
                                  from->version, from->path};
    char **const member[] = {&made.root, &made.program, &made.identity,
                             &made.version, &made.path};

    for (size_t i = 0; i < 5; i++) {
        *member[i] = array_copy(source[i], strlen(source[i]) + 1, 1, err);
        if (!*member[i]) {
            catalogue_entry_clear(&made);
            return MAPCORE_ENOMEM;
        }
    }
    *out = made;
    return 0;
}

/* What is there instead: with other numbers of tasks, or not to be trusted. */
struct missed {
    struct buffer sizes;
    struct mapcore_error refused;
};

/* Errors: ENOENT without a text when this root has nothing of it. */
static int select_in_root(struct catalogue_entry *out,
                          struct missed *missed,
                          const char *root,
                          bool own,
                          const struct wanted *wanted,
                          struct mapcore_error *err)
{
    struct catalogue_entry *list = NULL;
    struct choice choice = {0};
    size_t n = 0;
    int error = catalogue_list(&list, &n, root, own, false, err);

    if (error < 0)
        return error;
    choose(&choice, list, n, wanted);
    for (size_t i = 0; !choice.best && error == 0 && i < n; i++)
        if (list[i].refused && matches(&list[i], wanted) &&
            (wanted->ntasks == 0 || wanted->ntasks == list[i].ntasks))
            error = error_set(&missed->refused, MAPCORE_ETRUST, "%s",
                              list[i].refused);
    if (!choice.best) {
        error = MAPCORE_ENOENT;
        if (choice.nsizes > 0)
            buffer_printf(&missed->sizes, NULL, "%s%s",
                          missed->sizes.n > 0 ? ", " : "", choice.sizes.bytes);
    } else if (wanted->ntasks == 0 && choice.nsizes > 1) {
        error = error_set(err, MAPCORE_EINVAL,
                          "%.100s was recorded with %.200s tasks: say which "
                          "by %.100s:NTASKS",
                          wanted->subject, choice.sizes.bytes, wanted->subject);
    } else {
        error = copy_entry(out, choice.best, err);
        if (error == 0)
            out->other_build = wanted->identity[0] != '\0' &&
                               strcmp(out->identity, wanted->identity) != 0;
    }
    for (size_t i = 0; i < n; i++)
        catalogue_entry_clear(&list[i]);
    free(list);
    buffer_clear(&choice.sizes);
    return error;
}

/* A folder of a version; when it stands in a catalogue, all of the entry. */
static int select_folder(struct catalogue_entry *out,
                         const char *folder,
                         struct mapcore_error *err)
{
    struct catalogue_entry *list = NULL;
    char *path = realpath(folder, NULL);
    char *root = path ? strdup(path) : NULL;
    size_t n = 0;
    int error = 0;

    if (!root) {
        free(path);
        return error_set(err, MAPCORE_EIO, "%.400s: %s", folder,
                         strerror(errno));
    }
    for (int i = 0; i < 4; i++) {
        char *slash = strrchr(root, '/');

        if (slash)
            *slash = '\0';
    }
    if (root[0] != '\0')
        (void)catalogue_list(&list, &n, root, false, true, NULL);
    for (size_t i = 0; i < n; i++) {
        if (!out->path && error == 0 && strcmp(list[i].path, path) == 0)
            error = list[i].refused
                        ? error_set(err, MAPCORE_ETRUST, "%s", list[i].refused)
                        : copy_entry(out, &list[i], err);
        catalogue_entry_clear(&list[i]);
    }
    free(list);
    free(root);
    if (error == 0 && !out->path)
        out->path = path;
    else
        free(path);
    return error;
}

/* Whether what was asked for as a program is there under a name of a user's, or
 * the other way round. */
static bool is_other_kind(const struct wanted *wanted,
                          const char *const *roots,
                          size_t nroots,
                          bool own_first)
{
    struct wanted other = *wanted;
    bool found = false;

    other.is_named = !wanted->is_named;
    for (size_t r = 0; !found && r < nroots; r++) {
        struct catalogue_entry *list = NULL;
        size_t n = 0;

        if (catalogue_list(&list, &n, roots[r], own_first && r == 0, false,
                           NULL) < 0)
            continue;
        for (size_t i = 0; i < n; i++) {
            found = found || (!list[i].refused && matches(&list[i], &other));
            catalogue_entry_clear(&list[i]);
        }
        free(list);
    }
    return found;
}

int profile_select(struct catalogue_entry *out,
                   const char *const *roots,
                   size_t nroots,
                   bool own_first,
                   const char *words,
                   struct mapcore_error *err)
{
    struct missed missed = {.refused = {.text = ""}};
    struct wanted wanted;
    int error;

    *out = (struct catalogue_entry){0};
    if (strchr(words, '/') && has_file(words, "profile.json"))
        return select_folder(out, words, err);
    error = parse_words(&wanted, words, err);
    if (error == 0) {
        identify(&wanted);
        error = MAPCORE_ENOENT;
    }
    for (size_t r = 0; error == MAPCORE_ENOENT && r < nroots; r++)
        error = select_in_root(out, &missed, roots[r], own_first && r == 0,
                               &wanted, err);
    if (error == MAPCORE_ENOENT && missed.refused.text[0] != '\0')
        error = error_set(err, MAPCORE_ETRUST, "%s", missed.refused.text);
    else if (error == MAPCORE_ENOENT && missed.sizes.n > 0)
        error_set(err, error,
                  "no profile of %.200s for %u tasks; there are profiles for "
                  "%.150s",
                  wanted.subject, wanted.ntasks, missed.sizes.bytes);
    else if (error == MAPCORE_ENOENT &&
             is_other_kind(&wanted, roots, nroots, own_first))
        error_set(err, error,
                  wanted.is_named
                      ? "no profile named %.100s; there is one of a program: "
                        "%.100s"
                      : "no profile of a program %.100s; there is one filed by "
                        "name: name:%.100s",
                  wanted.subject, text_last_part(wanted.subject));
    else if (error == MAPCORE_ENOENT)
        error_set(err, error, "no profile %s %.200s",
                  wanted.is_named ? "named" : "of", wanted.subject);
    buffer_clear(&missed.sizes);
    free(wanted.subject);
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
    int error = profile_roots_open(&roots, catalogues, config, err);

    *out = (struct catalogue_entry){0};
    if (error < 0)
        return error;
    error = profile_select(out, roots.list.item, roots.list.n,
                           roots.own != NULL, words, err);
    if (error == 0 && out->other_build && notes)
        tool_note("this profile is of another build of %s", out->program);
    profile_roots_close(&roots);
    return error;
}
