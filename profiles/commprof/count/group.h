/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* group.h - sets of tasks that had collectives, each once however often a
 * communicator of it is made and freed; knows nothing of MPI */
#ifndef COMMPROF_GROUP_H
#define COMMPROF_GROUP_H

#include "commprof/count/messages.h"

#include <stdbool.h>

struct group {
    struct group *next;
    uint32_t used; /* bit TYPE: counted in stats.communicators */
    uint32_t n;    /* 0: MPI_COMM_WORLD in its own order */
    struct collective_record *records;
    uint64_t number;   /* of those made before it */
    uint32_t member[]; /* member[n], world ranks in the group's order */
};

struct collective_record {
    struct collective collective;
    uint64_t group; /* its number */
    struct collective_record *next;
};

/* The group of these members, made when it is new; kept until group_clear.
 * NULL when there is no memory, or when there are too many groups. */
struct group *group_get(const uint32_t *member, uint32_t n);
/* Its row of that type, phase and root, made when it is new. NULL: no memory.
 */
struct collective *group_collective(struct group *group,
                                    enum call_type type,
                                    uint32_t phase,
                                    uint32_t root);
/* All that were called, as long as 0 is returned. False: it was not, or groups
 * were refused. */
typedef int group_visit(void *arg,
                        const uint32_t *member,
                        uint32_t n,
                        const struct collective *collective);
bool group_each(group_visit *visit, void *arg);
void group_clear(void);

#endif
