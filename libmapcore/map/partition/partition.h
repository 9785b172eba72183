/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* partition.h - a task graph cut into parts with few bytes between them; and
 * one part a host */
#ifndef MAPCORE_MAP_PARTITION_H
#define MAPCORE_MAP_PARTITION_H

#include "graph/graph.h"
#include "map/mapper.h"
#include "map/problem.h"

#include <stdbool.h>

struct arena;

/* What is to be cut into parts, and until when. All is borrowed. */
struct partition_problem {
    const struct mapcore_graph *graph;
    uint32_t nparts;      /* >= 1 */
    const uint32_t *size; /* [nparts], tasks of each part, > 0 */
    const uint32_t *load; /* [ntasks], what tasks compute; NULL: all alike */
    uint32_t seed;
    const struct map_deadline *deadline;
};

/* Cuts the graph into nparts parts, part[ntasks]; part p gets exactly
 * floor(T (s_0 + ... + s_p) / S) - floor(T (s_0 + ... + s_p-1) / S) of the T
 * tasks, s being the sizes and S their sum: size[p] tasks when there are as
 * many tasks as places.
 *
 * Recursive bisection: the parts lo .. hi-1 are halved by number, the tasks cut
 * in two by METIS 5 (Karypis and Kumar, 1998) in the proportion of the halves,
 * and then, one at a time, the task whose move costs the fewest bytes goes to
 * the other side until the numbers are exact. So neighbouring parts have
 * neighbouring numbers, and the deadline is asked for between the cuts. (METIS
 * in one call of k-way, measured with 16 tasks a part, cut up to 1.7 times more
 * bytes and took four times as long.)
 *
 * With loads the parts are also about equal by these for their sizes: METIS is
 * given two weights a task, 1 and that.
 *
 * METIS counts bytes in 32 bits: where twice the sum of all bytes exceeds 2^30
 * every weight is divided by the same power of two and rounded up.
 *
 * Same inputs and seed, same parts. One cut at a time: other threads wait.
 * METIS replaces the handlers of SIGTERM and SIGABRT while it runs and uses
 * rand(); all three are as before on return, and SIGTERM is held back
 * meanwhile in the calling thread. *timed_out: time was up and part is not
 * complete. Errors: ERANGE (more than 2^28 edges or tasks), ENOMEM, EINVAL
 * (METIS refuses). */
int partition_graph(uint32_t *part,
                    bool *timed_out,
                    const struct partition_problem *problem,
                    struct mapcore_error *err);

/* The tasks of a graph in pieces that are cut again and again, those of a piece
 * next to each other in task[]. */
struct pieces {
    const struct mapcore_graph *graph;
    uint32_t *task, *place; /* [ntasks], and where each stands in task[] */
    uint8_t *side;          /* [ntasks], of the i-th task of a piece */
    uint32_t *spare;        /* [ntasks] */
    struct metis_graph *metis;
    struct arena *arena;
};

/* One piece of all tasks. load: [ntasks], borrowed, may be 0, or NULL; counts:
 * the numbers of tasks are weights, too. All is the arena's. Errors: ERANGE,
 * ENOMEM. */
int pieces_make(struct pieces *out,
                const struct mapcore_graph *graph,
                const uint32_t *load,
                bool counts,
                struct arena *arena);
/* Bytes of the edges inside the piece task[begin .. begin + n - 1]. */
uint64_t pieces_bytes(const struct pieces *pieces, uint32_t begin, uint32_t n);
/* Sets side[n] of a piece as METIS cuts it: exactly `left` tasks on side 0, or
 * with left = 0 vertices of about half of the load (a few per cent, or one
 * vertex, apart; a side may come out empty when there are few). Where there are
 * no edges the first are on side 0, or all. bytes: of the edges, or more; by
 * them weights shrink. Errors: as above, EINVAL. */
int pieces_cut(struct pieces *pieces,
               uint32_t begin,
               uint32_t n,
               uint32_t left,
               uint64_t bytes,
               uint32_t seed);
/* Puts side 0 of a piece in front of side 1, both in the order they had;
 * returns how many are on side 0. */
uint32_t pieces_sort(struct pieces *pieces, uint32_t begin, uint32_t n);

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
