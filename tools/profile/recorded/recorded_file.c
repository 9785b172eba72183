/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* recorded_file.c - what tasks have left behind, filed as a profile */
#include "config.h"

#include "tools/profile/recorded/recorded.h"

#include "base/error_set.h"
#include "profiles/catalogue/catalogue.h"
#include "profiles/catalogue/remembered.h"
#include "profiles/commprof/write/write.h"
#include "profiles/program/identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int recorded_file(struct recorded *merge, const char *root, char **filed)
{
    const bool named = merge->name[0] != '\0';
    char identity[IDENTITY_MAX] = CATALOGUE_NAMED;
    struct subject subject = {
        .program = named ? merge->name : text_last_part(merge->program),
        .path = merge->program,
        .identity = identity,
        .job = merge->job,
        .user = merge->user,
        .mpi = merge->mpi,
        .mpi_type = merge->mpi_type,
        .node = merge->node,
        .time = (int64_t)time(NULL),
        .elapsed_ns = merge->elapsed_ns,
        .active_ns = merge->counted_ns ? merge->counted_ns : merge->elapsed_ns,
        .ntasks = merge->ntasks,
        .large_ppm = merge->large_ppm,
        .nrecorded = merge->nfound,
        .until = merge->until,
    };
    char *folder = NULL;
    int error;

    if (!merge->partial[0] && merge->nfound < merge->ntasks)
        snprintf(merge->partial, sizeof(merge->partial), "%u of %u tasks",
                 merge->nfound, merge->ntasks);
    error = named ? 0 : identity_of_file(identity, merge->program, merge->err);

    if (error == 0)
        error =
            catalogue_begin(&folder, root, subject.program,
                            named ? NULL : identity, merge->ntasks, merge->err);
    if (error == 0) {
        error = write_profile(folder, &merge->all, &subject, merge->err);
        if (error < 0)
            catalogue_abandon(folder);
        else
            error = catalogue_commit(filed, folder, subject.time, subject.job,
                                     merge->partial[0] ? merge->partial : NULL,
                                     merge->err);
    }
    /* As the recorder does: it is filed all the same when that fails. */
    if (error == 0 && merge->command && !named) {
        const struct remembered what = {merge->program, identity};
        (void)remembered_write(root, merge->command, &what, NULL);
    }
    free(folder);
    return error;
}
