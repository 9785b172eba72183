/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* spool_folder.c - finding and making them, below what was judged */
#include "config.h"

#include "launch/spool_folder.h"

#include "base/error_set.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A requeued job has the numbers of the one before, and a process on another
 * node may have the number of this one. */
#define TRIES 100

int spool_folder_open(struct own_folder **out,
                      const char *root,
                      enum own_folder_rule rule,
                      struct mapcore_error *err)
{
    struct own_folder *above;
    char name[32];
    int error = own_folder_open(&above, root, rule, err);

    if (error < 0)
        return error;
    snprintf(name, sizeof(name), SPOOL_FOLDER "%lu", (unsigned long)geteuid());
    error = own_folder_below(out, above, name, OWN_FOLDER_ALONE, err);
    own_folder_close(above);
    return error;
}

/* Another's try may have taken the name just now. */
static int make_one(struct own_folder **out,
                    const struct own_folder *above,
                    const char *name,
                    struct mapcore_error *err)
{
    char numbered[80];

    for (int i = 1; i <= TRIES; i++) {
        snprintf(numbered, sizeof(numbered), "%s-%d", name, i);
        if (mkdirat(own_folder_fd(above), numbered, 0700) == 0)
            return own_folder_below(out, above, numbered, OWN_FOLDER_ALONE,
                                    err);
        if (errno != EEXIST)
            break;
    }
    return error_set(err, MAPCORE_EIO, "cannot make a folder in %.300s: %s",
                     own_folder_path(above), strerror(errno));
}

int spool_folder_make(struct own_folder **out,
                      const char *root,
                      const char *name,
                      struct mapcore_error *err)
{
    struct own_folder *above = NULL, *spools = NULL;
    char own[32];
    int error = own_folder_open(&above, root, OWN_FOLDER_NAMED, err);

    snprintf(own, sizeof(own), SPOOL_FOLDER "%lu", (unsigned long)geteuid());
    if (error == 0)
        error =
            own_folder_make(&spools, above, own, 0700, OWN_FOLDER_ALONE, err);
    if (error == 0)
        error = make_one(out, spools, name, err);
    own_folder_close(spools);
    own_folder_close(above);
    return error;
}

bool spool_folder_remove(const char *path)
{
    struct own_folder *above = NULL;
    const char *name;
    const bool done = own_folder_open_above(&above, &name, path, NULL) == 0 &&
                      own_folder_remove_below(above, name) == 0;

    own_folder_close(above);
    return done;
}
