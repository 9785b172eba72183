/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* catalogue_builds.c - an index of builds, since jobs run copies of one under
 * names of their own (sbcast) */
#include "config.h"

#include "profiles/catalogue/catalogue_builds.h"

#include "profiles/catalogue/catalogue_names.h"
#include "profiles/catalogue/catalogue_walk.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* At most these programs of a build are looked at: a launch waits for it. */
#define PROGRAMS_MOST 256

/* A script's digest is that of its text: copies may have their own users. */
static bool is_build(const char *identity)
{
    return identity && strcmp(identity, CATALOGUE_NAMED) != 0 &&
           strncmp(identity, "sha256-", 7) != 0;
}

void catalogue_builds_note(int root, const char *program, const char *identity)
{
    int builds = -1, build = -1, file = -1;

    if (!is_build(identity))
        return;
    (void)mkdirat(root, CATALOGUE_BUILDS, 0755);
    builds = catalogue_open_below(root, CATALOGUE_BUILDS);
    if (builds >= 0) {
        (void)mkdirat(builds, identity, 0755);
        build = catalogue_open_below(builds, identity);
        close(builds);
    }
    if (build >= 0) {
        file = openat(build, program, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                      0644);
        close(build);
    }
    if (file >= 0)
        close(file);
}

/* From the index, in folder names. */
static void read_index(char ***out,
                       size_t *n,
                       const char *root,
                       const char *identity)
{
    int top = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int builds = top < 0 ? -1 : catalogue_open_below(top, CATALOGUE_BUILDS);
    int build = builds < 0 ? -1 : catalogue_open_below(builds, identity);

    if (build >= 0)
        (void)catalogue_names_at(out, n, build, root, catalogue_is_encoded,
                                 NULL);
    if (build >= 0)
        close(build);
    if (builds >= 0)
        close(builds);
    if (top >= 0)
        close(top);
}

int catalogue_builds_find(char ***out,
                          size_t *n,
                          const char *root,
                          const char *identity,
                          struct mapcore_error *err)
{
    int error = 0;

    *out = NULL;
    *n = 0;
    if (!is_build(identity))
        return 0;
    read_index(out, n, root, identity);
    while (*n > PROGRAMS_MOST)
        free((*out)[--*n]);
    for (size_t i = 0; error == 0 && i < *n; i++) {
        char *program = NULL;

        error = catalogue_decode(&program, (*out)[i], err);
        if (error == 0) {
            free((*out)[i]);
            (*out)[i] = program;
        }
    }
    if (error < 0) {
        catalogue_names_free(*out, *n);
        *out = NULL;
        *n = 0;
    }
    return error;
}
