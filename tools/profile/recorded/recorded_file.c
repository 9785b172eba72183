/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* recorded_file.c - what tasks have left behind, filed as a profile */
#include "config.h"

#include "tools/profile/recorded/recorded.h"

#include "profiles/commprof/write/write.h"

#include <stdio.h>
#include <time.h>

int recorded_file(struct recorded *merge, const char *root, char **filed)
{
    struct subject subject = {
        .program = merge->name[0] ? merge->name : NULL,
        .path = merge->program,
        .file = merge->program,
        .commands = merge->command,
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

    if (!merge->partial[0] && merge->nfound < merge->ntasks)
        snprintf(merge->partial, sizeof(merge->partial), "%u of %u tasks",
                 merge->nfound, merge->ntasks);
    subject.partial = merge->partial[0] ? merge->partial : NULL;
    return write_version(filed, root, &merge->all, &subject, merge->err);
}
