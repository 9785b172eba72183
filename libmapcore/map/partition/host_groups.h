/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* host_groups.h - the tasks cut into one group a host, for mappers that then
 * place groups: Galvez, Jain, Kale (ICS'17, section 5.1) ran TopoLB and FAQ so
 */
#ifndef MAPCORE_MAP_HOST_GROUPS_H
#define MAPCORE_MAP_HOST_GROUPS_H

#include "map/mapper.h"

/* Groups and places are both numbered 0 .. n-1: the hosts that have slots, as
 * the allocation has them. Group i was cut for place i and fits every place of
 * the same number of slots, which is what may be exchanged. With fewer tasks
 * than slots groups are smaller in proportion, and may be empty. */
struct host_groups {
    uint32_t n;
    uint32_t *host;              /* [n], of the allocation */
    uint32_t *group;             /* [ntasks] */
    struct mapcore_graph *graph; /* of the groups, bytes added up */
    uint16_t *distance;          /* [n * n], between places */
    uint32_t nclasses;
    uint32_t *first;      /* [nclasses + 1] into member */
    uint32_t *member;     /* [n], the places of class 0, 1, ..., ascending */
    uint32_t *size_class; /* [n], of a place and its group */
    uint32_t *rank;       /* [n], of a place among those of its class */
};

/* Cuts the tasks, the same for all mappers at the same seed and pass; all but
 * the graph is the call's arena's, and host_groups_clear is due also after a
 * failure. mapper: which an error names, for more places than limit. O(E log n
 * + n^2). Errors: EINVAL (too many hosts), ENOMEM, and what
 * partition_graph gives. */
int host_groups_create(struct host_groups *out,
                       bool *timed_out,
                       const struct map_problem *problem,
                       const struct mapper_call *call,
                       const char *mapper,
                       uint32_t limit);
void host_groups_clear(struct host_groups *groups);

/* host[ntasks] from the place[n] of each group. */
void host_groups_place(uint32_t *host,
                       const struct host_groups *groups,
                       uint32_t ntasks,
                       const uint32_t *place);

#endif
