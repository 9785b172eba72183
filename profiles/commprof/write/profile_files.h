/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_files.h - the long files of a profile: graphs, messages, collectives
 */
#ifndef COMMPROF_LISTS_H
#define COMMPROF_LISTS_H

#include "commprof/write/gathered.h"

#include <stdio.h>

/* A new file, writable by its owner alone even when the umask is 0. NULL and
 * err (EIO) on failure. */
FILE *output_create(const char *path, struct mapcore_error *err);
/* Closes it. Errors: EIO, also for what failed before. */
int output_finish(FILE *file, const char *path, struct mapcore_error *err);
/* A number and what comes after it: most of a profile is numbers. */
void output_number(FILE *file, uint64_t number, char after);

/* In how many stages: by type and phase; 0: not known of all its messages. */
struct write_order {
    uint16_t stages[NTYPES][PHASES_MOST];
};

/* O(n). */
void write_order_find(struct write_order *out, const struct messages *messages);
/* The lines "#order type from stage to ..." of that phase's messages, of the
 * types whose order is known. O(n x stages). */
void write_order_put(FILE *file,
                     const struct write_order *order,
                     const struct messages *messages,
                     uint32_t phase);

/* A METIS graph of message[n], all of one type and sorted: the weight of an
 * edge is the bytes of both directions. O(n + ntasks). Errors: EIO, ENOMEM. */
int profile_files_write_graph(const char *path,
                              const struct message *message,
                              size_t n,
                              uint32_t ntasks,
                              struct mapcore_error *err);
/* TYPE FROM TO SMALLEST COUNT BYTES, a line each, of one phase, or, with
 * PHASES_ALL, of all together; and in which order, where that is given: of
 * PHASES_ALL when there is but the first phase. Errors: EIO. */
int profile_files_write_messages(const char *path,
                                 const struct messages *messages,
                                 const struct write_order *order,
                                 uint32_t phase,
                                 struct mapcore_error *err);
/* Sets of tasks and their collectives, of all->records; phase as
 * above. Errors: EIO, ENOMEM. */
int profile_files_write_collectives(const char *path,
                                    const struct gathered *all,
                                    uint32_t phase,
                                    uint32_t ntasks,
                                    struct mapcore_error *err);

#endif
