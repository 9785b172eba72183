/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* recorded.h - what the files that tasks left behind say together */
#ifndef TOOLS_RECORDED_H
#define TOOLS_RECORDED_H

#include "base/text.h"
#include "profiles/commprof/write/gathered.h"

/* What all files together say. */
struct recorded {
    struct gathered all;
    size_t room;                /* of all.messages */
    char *program, *name, *mpi; /* of the first file; owned */
    char *job, *user;
    char **hosts; /* hosts[all.hosts], owned */
    size_t hosts_room;
    uint32_t ntasks, nfound, large_ppm;
    uint64_t elapsed_ns;
    uint32_t *found; /* found[nfound]: their ranks */
    size_t found_room;
    struct text *text;
    struct mapcore_error *err;
};

/* Adds one file, which must be regular and of the user's or root's (ETRUST).
 * Errors: EIO, EPARSE with the line, EINVAL (of another run),
 * ENOMEM. */
int recorded_take_file(struct recorded *merge, const char *path);
void recorded_clear(struct recorded *merge);

#endif
