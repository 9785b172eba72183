/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_files.h - the long files of a profile: graphs, messages, collectives
 */
#ifndef COMMPROF_LISTS_H
#define COMMPROF_LISTS_H

#include "commprof/write/gathered.h"

#include <stdbool.h>
#include <stdio.h>

/* A new file, writable by its owner alone even when the umask is 0. NULL and
 * err (EIO) on failure. */
FILE *output_create(const char *path, struct mapcore_error *err);
/* Closes it. Errors: EIO, also for what failed before. */
int output_finish(FILE *file, const char *path, struct mapcore_error *err);
/* A number and what comes after it: most of a profile is numbers. */
void output_number(FILE *file, uint64_t number, char after);

/* What is written of one phase, or, with PHASES_ALL, of all together. */
struct profile_part {
    const char *folder;
    const struct gathered *all;
    uint32_t ntasks, phase;
    bool has_phases; /* else only PHASES_ALL, and all messages are of the first
                        one */
};

/* Graphs, messages and collectives. stages: in how many each type's messages
 * are; 0: not known of all of them. O(messages x stages). Errors: EIO, ENOMEM.
 */
int profile_part_write(uint16_t stages[NTYPES],
                       const struct profile_part *part,
                       struct mapcore_error *err);

#endif
