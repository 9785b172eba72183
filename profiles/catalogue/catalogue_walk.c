/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* catalogue_walk.c - folders of a catalogue by descriptors: what is removed is
 * what was looked at, even if others rename or link meanwhile */
#include "config.h"

#include "profiles/catalogue/catalogue_walk.h"

#include "profiles/catalogue/catalogue_names.h"

#include "base/array.h"
#include "base/text.h"
#include "launch/plain_name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int catalogue_open_below(int folder, const char *name)
{
    return openat(folder, name,
                  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int catalogue_walk_open(struct catalogue_walk *out,
                        const char *version,
                        struct mapcore_error *err)
{
    const size_t n = strlen(version) + 1;
    struct catalogue_walk walk = {.fd = {-1, -1, -1, -1},
                                  .path = array_copy(version, n, 1, err),
                                  .names = array_copy(version, n, 1, err)};
    int error = walk.path && walk.names ? 0 : MAPCORE_ENOMEM;

    for (int i = 3; error == 0 && i >= 0; i--) {
        char *slash = strrchr(walk.names, '/');

        if (!slash || slash == walk.names) {
            error = error_set(err, MAPCORE_EINVAL,
                              "%.400s is not in a catalogue", version);
            break;
        }
        *slash = '\0';
        walk.name[i] = slash + 1;
        if (i == 3)
            walk.path[slash - walk.names] = '\0';
    }
    if (error == 0)
        walk.fd[0] = open(walk.names, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < 3 && walk.fd[i] >= 0; i++)
        walk.fd[i + 1] = catalogue_open_below(walk.fd[i], walk.name[i]);
    if (error == 0 && walk.fd[3] < 0)
        error = catalogue_fail(err, "open the folders of", version);
    if (error == 0)
        *out = walk;
    else
        catalogue_walk_close(&walk, false);
    return error;
}

void catalogue_walk_close(struct catalogue_walk *walk, bool remove_empty)
{
    int saved = errno;

    for (int i = 3; i > 0; i--)
        remove_empty =
            remove_empty && walk->fd[i] >= 0 &&
            unlinkat(walk->fd[i - 1], walk->name[i - 1], AT_REMOVEDIR) == 0;
    for (int i = 0; i < 4; i++)
        if (walk->fd[i] >= 0)
            close(walk->fd[i]);
    free(walk->path);
    free(walk->names);
    errno = saved;
}

/* "-12" or "-12-3": what a process adds to a name while it writes. */
static bool is_process(const char *text)
{
    const char *one = text_after_form(text, "-#"),
               *two = text_after_form(text, "-#-#");

    return one && (*one == '\0' || (two && *two == '\0'));
}

/* What is behind "messages" or "collectives" of one phase: ".phase2". */
static bool is_phase(const char *text)
{
    const char *rest = text_after_form(text, ".phase#");

    return rest && *rest == '\0' && strlen(text) <= strlen(".phase999");
}

/* The length of a name without what is added while it is written. */
static size_t length_written(const char *name)
{
    const char *added = strstr(name, ".new");

    return added && is_process(added + 4) ? (size_t)(added - name)
                                          : strlen(name);
}

bool catalogue_is_file(const char *name)
{
    static const char *const files[] = {"profile.json", "evaluation.json",
                                        "messages", "collectives",
                                        CATALOGUE_PARTIAL};
    const size_t n = length_written(name);
    char whole[NAME_MAX + 1];

    if (n > NAME_MAX)
        return false;
    memcpy(whole, name, n);
    whole[n] = '\0';
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        const char *rest = text_after(whole, files[i]);

        if (rest && (*rest == '\0' || ((i == 2 || i == 3) && is_phase(rest))))
            return true;
    }
    return text_ends_in(whole, ".graph") && plain_name_check(whole, NAME_MAX);
}

/* Whether the folder holds regular files of such names alone. */
static bool holds_files(int folder, char *const *names, size_t n)
{
    struct stat st;

    for (size_t i = 0; i < n; i++)
        if (!catalogue_is_file(names[i]) ||
            fstatat(folder, names[i], &st, AT_SYMLINK_NOFOLLOW) < 0 ||
            !S_ISREG(st.st_mode))
            return false;
    return true;
}

bool catalogue_erase(int parent, const char *name, int fd, const char *path)
{
    char **names = NULL;
    size_t n = 0;
    bool erased = catalogue_names_at(&names, &n, fd, path, NULL, NULL) == 0 &&
                  holds_files(fd, names, n);

    for (size_t i = 0; erased && i < n; i++)
        erased = unlinkat(fd, names[i], 0) == 0;
    catalogue_names_free(names, n);
    return erased && unlinkat(parent, name, AT_REMOVEDIR) == 0;
}
