/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* comm.h - communicators, with their ranks in MPI_COMM_WORLD */
#ifndef COMMPROF_COMM_H
#define COMMPROF_COMM_H

#include "commprof/count/group.h"
#include "commprof/count/record.h"

#include <mpi.h>
#include <stdbool.h>
#include <string.h>

/* What a rule needs to know of one communicator. Peers are those whom calls
 * address: the remote group of an inter-communicator, else its own group. */
struct comm {
    int rank;   /* own, in the own group */
    int size;   /* of the own group */
    int npeers; /* of the peers' group */
    bool inter;
    bool large;            /* too many of the world's tasks for pairs */
    bool speaks;           /* this task counts the communicator for all */
    const uint32_t *world; /* world[npeers], MAPCORE_NONE: not in
                            * MPI_COMM_WORLD; NULL: the same ranks as there */
    uint32_t *own_world;   /* world, when it is no group's */
    struct group *group;   /* of an intra-communicator; NULL: no memory */
    struct call_stats *stats[NTYPES];
    struct collective *collective[NTYPES];
    bool neighbours_known;
    int nneighbours, *neighbours; /* neighbours[nneighbours]: whom neighbourhood
                                     collectives reach */
};

/* Prepares; called once MPI is up. large_ppm: a communicator of more than this
 * share of MPI_COMM_WORLD, in millionths, is large. False when MPI refuses. */
bool comm_begin(uint32_t large_ppm);
/* A communicator's attribute that its duplicates do not get. */
int comm_copy_nothing(MPI_Comm comm,
                      int key,
                      void *extra,
                      void *value,
                      void *out,
                      int *flag);

/* comm_get of a window: its peers are the window's group. */
struct comm *comm_of_window(MPI_Win win);

/* What calls of this type over this communicator are credited to. Never NULL:
 * without memory they are the counters of no communicator. */
struct call_stats *comm_stats(struct comm *comm, enum call_type type);
/* Where this task's collectives of this type are kept for expansion; NULL when
 * there is no memory. root: this task's own rank, or 0. */
struct collective *comm_collective(struct comm *comm,
                                   enum call_type type,
                                   uint32_t root);
/* Fills neighbours and nneighbours from the communicator's topology. */
void comm_find_neighbours(struct comm *comm, MPI_Comm handle);

/* The last communicators seen, by handle: asking MPI for the attribute costs
 * about as much as the rest of counting. Under shared_lock. */
enum { COMM_NCACHED = 8 };
struct comm_cached {
    MPI_Comm handle;
    struct comm *comm; /* NULL: nothing is here */
};
extern struct comm_cached comm_cache[COMM_NCACHED];
struct comm *comm_look_up(MPI_Comm handle);

static inline struct comm_cached *comm_cache_slot(MPI_Comm handle)
{
    uintptr_t bits = 0;
    memcpy(&bits, &handle, sizeof(handle));
    return &comm_cache[(bits ^ bits >> 6 ^ bits >> 12) % COMM_NCACHED];
}

/* The communicator's record, made at its first call and kept as its attribute
 * until it is freed (borrowed). NULL when there is no memory. */
static inline struct comm *comm_get(MPI_Comm handle)
{
    const struct comm_cached *cached = comm_cache_slot(handle);

    shared_lock();
    struct comm *comm = cached->handle == handle ? cached->comm : NULL;
    shared_unlock();
    return __builtin_expect(comm != NULL, 1) ? comm : comm_look_up(handle);
}

/* World rank of a peer; MAPCORE_NONE for MPI_PROC_NULL and other non-ranks. */
static inline uint32_t comm_world_rank(const struct comm *comm, int peer)
{
    if (peer < 0 || peer >= comm->npeers)
        return MAPCORE_NONE;
    return comm->world ? comm->world[peer] : (uint32_t)peer;
}

#endif
