/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* write.h - the files of a profile: profile.json, one graph a type, messages,
 * collectives */
#ifndef COMMPROF_WRITE_H
#define COMMPROF_WRITE_H

#include "commprof/write/gathered.h"

#include <stdbool.h>
#include <stdio.h>

/* What profile.json says besides the numbers; all borrowed. */
struct subject {
    /* write_version: NULL, or the name by which alone it is known. */
    const char *program;
    const char *path, *identity, *job, *user, *mpi;
    const char *mpi_type;           /* srun's --mpi, or NULL: not known */
    const char *node;               /* what it is inside, or NULL: not known */
    int64_t time;                   /* seconds since 1970 */
    uint64_t elapsed_ns, active_ns; /* in all; while calls were counted */
    uint32_t ntasks;
    uint32_t large_ppm;
    uint32_t nrecorded; /* tasks whose counts came; 0: all */
    int64_t until; /* without MPI_Finalize: the last call, since 1970; else 0 */
    /* Of write_version: whose bytes the identity is made of; why it is partial,
     * in a line, or NULL; keys of remembered.h for what has no name, or NULL.
     */
    const char *file, *partial, *commands;
};

/* Writes all files into folder, readable by all less the umask. Errors: EIO,
 * ENOMEM. O(messages + types * ntasks). */
int write_profile(const char *folder,
                  const struct gathered *all,
                  const struct subject *subject,
                  struct mapcore_error *err);

/* Files all as a new version, under the name or by path's last part and its
 * identity; *filed (owned): its folder. It is filed all the same when the
 * command's keys cannot be written. Errors: those of identity_of_file,
 * catalogue_begin and write_profile. */
int write_version(char **filed,
                  const char *root,
                  const struct gathered *all,
                  const struct subject *subject,
                  struct mapcore_error *err);

/* A new file, writable by its owner alone even when the umask is 0. NULL and
 * err (EIO) on failure. */
FILE *output_create(const char *path, struct mapcore_error *err);
/* Closes it. Errors: EIO, also for what failed before. */
int output_finish(FILE *file, const char *path, struct mapcore_error *err);

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
