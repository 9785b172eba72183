/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* catalogue_clean.c - what is a catalogue at all, and what interrupted writers
 * left in one */
#include "config.h"

#include "profiles/catalogue/catalogue_remove.h"

#include "profiles/catalogue/catalogue_trust.h"
#include "profiles/catalogue/catalogue_walk.h"

#include "base/buffer.h"
#include "base/file_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Longer than any writer lives. */
#define A_DAY 86400

/* A walk over the folders of all numbers of tasks. */
struct tour {
    /* Called in each; folder is its descriptor. */
    int (*visit)(struct tour *tour,
                 int folder,
                 const char *path,
                 struct mapcore_error *err);
    bool is_strict; /* fails at what is of no catalogue, else passes it over */
    struct catalogue_cleaning cleaning;
};

static bool accept_visible(const char *name)
{
    return name[0] != '.';
}

static int tour_folder(struct tour *tour,
                       unsigned depth,
                       int folder,
                       const char *path,
                       struct mapcore_error *err);

static int tour_below(struct tour *tour,
                      unsigned depth,
                      int folder,
                      const char *path,
                      const char *name,
                      struct mapcore_error *err)
{
    static bool (*const accept[3])(const char *) = {
        catalogue_is_encoded, catalogue_is_identity, catalogue_is_ntasks};
    char *below = catalogue_join(path, name, err);
    int fd = accept[depth](name) ? catalogue_open_below(folder, name) : -1;
    int error = 0;

    if (!below)
        error = MAPCORE_ENOMEM;
    else if (fd >= 0)
        error = tour_folder(tour, depth + 1, fd, below, err);
    else if (tour->is_strict)
        error = error_set(err, MAPCORE_EINVAL, "%.400s", below);
    if (fd >= 0)
        close(fd);
    free(below);
    return error;
}

/* depth: 0 the root, 1 a program, 2 an identity, 3 a number of tasks. */
static int tour_folder(struct tour *tour,
                       unsigned depth,
                       int folder,
                       const char *path,
                       struct mapcore_error *err)
{
    struct stat st;
    char **names = NULL;
    size_t n = 0;
    int error = 0;

    /* What all may write is refused by who lists it, too. */
    if (!tour->is_strict &&
        (fstat(folder, &st) < 0 ||
         catalogue_check_trust(&st, path, tour->cleaning.own, NULL) < 0))
        return 0;
    if (depth == 3)
        return tour->visit(tour, folder, path, err);
    error = catalogue_names_at(&names, &n, folder, path, accept_visible, err);
    for (size_t i = 0; error == 0 && i < n; i++)
        if (depth > 0 || !catalogue_is_mark(names[i]))
            error = tour_below(tour, depth, folder, path, names[i], err);
    catalogue_names_free(names, n);
    return error;
}

/* Nothing but versions and `current`. */
static int expect_versions(struct tour *tour,
                           int folder,
                           const char *path,
                           struct mapcore_error *err)
{
    char **names = NULL;
    size_t n = 0;
    int error =
        catalogue_names_at(&names, &n, folder, path, accept_visible, err);

    (void)tour;
    for (size_t i = 0; error == 0 && i < n; i++)
        if (strcmp(names[i], "current") != 0 && !catalogue_is_version(names[i]))
            error =
                error_set(err, MAPCORE_EINVAL, "%.300s/%.100s", path, names[i]);
    catalogue_names_free(names, n);
    return error;
}

static bool has_mark(int root)
{
    struct buffer text = {0};
    bool has = false;
    int fd;

    if (file_open_at(&fd, root, CATALOGUE_MARK, FILE_REGULAR | FILE_NO_LINK,
                     NULL) == 0) {
        has = file_read_rest(&text, fd, CATALOGUE_MARK, 4096, NULL) == 0 &&
              strncmp(text.bytes, CATALOGUE_MARK_LINE,
                      strlen(CATALOGUE_MARK_LINE)) == 0;
        close(fd);
    }
    buffer_clear(&text);
    return has;
}

int catalogue_check_root(const char *root, struct mapcore_error *err)
{
    struct tour tour = {.visit = expect_versions, .is_strict = true};
    struct mapcore_error what;
    int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int error = 0;

    if (fd < 0)
        return errno == ENOENT ? 0
                               : error_set(err, MAPCORE_EIO, "%.400s: %s", root,
                                           strerror(errno));
    if (!has_mark(fd))
        error = tour_folder(&tour, 0, fd, root, &what);
    close(fd);
    if (error == MAPCORE_EINVAL)
        return error_set(
            err, error,
            "%.180s is no catalogue: there is no file " CATALOGUE_MARK
            " in it, and %.180s is not of one",
            root, what.text);
    return error < 0 ? error_set(err, error, "%s", what.text) : 0;
}

/* A folder that a writer began, or half of one that was being removed. */
static int clean_folder(const struct tour *tour,
                        int folder,
                        const char *name,
                        const char *path,
                        struct mapcore_error *err)
{
    int fd = catalogue_open_below(folder, name), error;

    if (fd < 0)
        return error_set(err, MAPCORE_EIO, "%.400s: %s", path, strerror(errno));
    error = tour->cleaning.dry_run
                ? catalogue_check_files(fd, path, err)
                : catalogue_erase(folder, name, fd, path, err);
    close(fd);
    return error;
}

static int clean_link(const struct tour *tour,
                      int folder,
                      const char *name,
                      const char *path,
                      struct mapcore_error *err)
{
    char target[NAME_MAX + 1];
    ssize_t n = readlinkat(folder, name, target, NAME_MAX);

    target[n > 0 ? n : 0] = '\0';
    if (strncmp(name, CATALOGUE_LINK, strlen(CATALOGUE_LINK)) != 0 ||
        !catalogue_is_version(target))
        return error_set(err, MAPCORE_EINVAL,
                         "%.400s leads to no version: remove it by hand", path);
    if (!tour->cleaning.dry_run && unlinkat(folder, name, 0) < 0)
        return error_set(err, MAPCORE_EIO, "cannot remove %.400s: %s", path,
                         strerror(errno));
    return 0;
}

static bool has_names(int folder, const char *name)
{
    char **names = NULL;
    size_t n = 1;
    int fd = catalogue_open_below(folder, name);

    if (fd >= 0 &&
        catalogue_names_at(&names, &n, fd, name, accept_visible, NULL) == 0)
        catalogue_names_free(names, n);
    if (fd >= 0)
        close(fd);
    return n > 0;
}

static bool accept_leftover(const char *name)
{
    return catalogue_is_leftover(name) || catalogue_is_version(name);
}

static int clean(struct tour *tour,
                 int folder,
                 const char *path,
                 struct mapcore_error *err)
{
    char **names = NULL;
    size_t n = 0;
    int error =
        catalogue_names_at(&names, &n, folder, path, accept_leftover, err);

    for (size_t i = 0; error == 0 && i < n; i++) {
        char *below = catalogue_join(path, names[i], err);
        struct mapcore_error why;
        struct stat st;
        int failed;

        error = below ? 0 : MAPCORE_ENOMEM;
        if (error < 0 ||
            fstatat(folder, names[i], &st, AT_SYMLINK_NOFOLLOW) < 0 ||
            tour->cleaning.now - st.st_mtime < A_DAY ||
            (catalogue_is_version(names[i]) &&
             (!S_ISDIR(st.st_mode) || has_names(folder, names[i])))) {
            free(below);
            continue;
        }
        failed = S_ISDIR(st.st_mode)
                     ? clean_folder(tour, folder, names[i], below, &why)
                     : clean_link(tour, folder, names[i], below, &why);
        tour->cleaning.say(tour->cleaning.context, below,
                           failed < 0 ? why.text : NULL);
        free(below);
    }
    catalogue_names_free(names, n);
    return error;
}

int catalogue_clean(const char *root,
                    const struct catalogue_cleaning *cleaning,
                    struct mapcore_error *err)
{
    struct tour tour = {.visit = clean, .cleaning = *cleaning};
    int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int error;

    if (fd < 0)
        return errno == ENOENT ? 0
                               : error_set(err, MAPCORE_EIO, "%.400s: %s", root,
                                           strerror(errno));
    error = tour_folder(&tour, 0, fd, root, err);
    close(fd);
    return error;
}
