/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_files.h - the long files of a profile: graphs, messages, collectives
 */
#ifndef COMMPROF_LISTS_H
#define COMMPROF_LISTS_H

#include "commprof/write/gathered.h"
#include "commprof/write/write_order.h"

/* A METIS graph of message[n], all of one type and sorted: the weight of an
 * edge is the bytes of both directions. O(n + ntasks). Errors: EIO, ENOMEM. */
int profile_files_write_graph(const char *path,
                              const struct message *message,
                              size_t n,
                              uint32_t ntasks,
                              struct mapcore_error *err);
/* TYPE FROM TO SMALLEST COUNT BYTES, a line each, of one phase, or, with
 * PHASES_ALL, of all together; and in which order, where that is given: of
 * PHASES_ALL when there is but the first phase. Errors: EIO, ENOMEM. */
int profile_files_write_messages(const char *path,
                                 const struct messages *messages,
                                 const struct write_order *order,
                                 uint32_t phase,
                                 struct mapcore_error *err);
/* Sets of tasks and their collectives, of words as of group_pack's; phase as
 * above. Errors: EIO, ENOMEM. */
int profile_files_write_collectives(const char *path,
                                    const uint32_t *records,
                                    size_t n,
                                    uint32_t phase,
                                    uint32_t ntasks,
                                    struct mapcore_error *err);

#endif
