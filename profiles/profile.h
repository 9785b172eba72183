/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile.h - one recorded profile, read: profile.json */
#ifndef PROFILES_PROFILE_H
#define PROFILES_PROFILE_H

#include "graph/graph.h"
#include "json/json.h"

#include <stdbool.h>

/* The seconds of single tasks in MPI: the longest one, the shortest one, and
 * which they are. */
struct profile_span {
    bool is_known; /* not by older recorders, nor of what was imported */
    double max, min;
    uint32_t max_task, min_task;
};

/* A type's calls on communicators of one size. */
struct profile_communicators {
    uint32_t size;          /* tasks */
    uint64_t communicators; /* how many there were of that size */
    uint64_t calls, bytes;
    double seconds; /* these three as in struct profile_type */
};

/* One type of call: p2p, alltoall, allreduce, ... */
struct profile_type {
    char *name;
    uint64_t calls; /* all tasks */
    uint64_t bytes; /* sent, all tasks */
    double seconds; /* summed over tasks */
    struct profile_span task_seconds;
    uint64_t paired_bytes; /* of these, in the type's graph */
    uint64_t large_bytes;  /* of these, by collectives too large for pairs */
    uint64_t nccl_calls;   /* of the calls, which have no seconds */
    char *graph; /* file name in the profile's folder, or NULL: no pairs */
    char *why;   /* why there is no graph, or NULL */
    /* Of the order in which tasks first sent to each other; 0: not known;
     * MESSAGE_ORDER_STAGES: or more. */
    uint32_t stages;
    /* By size of communicator; none in what older recorders wrote. */
    size_t ncommunicators;
    struct profile_communicators *communicators;
};

/* As many as the recorder names. */
enum { PROFILE_PHASES_MOST = 64 };

/* What was counted while MPI_Pcontrol, or a region of the program's, named that
 * phase. Its types have no communicators and no seconds of single tasks. */
struct profile_phase {
    uint32_t phase;
    char *name; /* of the region: a plain name, and no number; or NULL */
    size_t ntypes;
    struct profile_type *types;
};

struct profile {
    uint32_t ntasks;
    char *program, *identity, *recorded; /* ISO 8601 UTC */
    char *path, *mpi, *job, *user;       /* each may be NULL: not known */
    char *mpi_type; /* srun's --mpi when it was recorded, or NULL */
    uint32_t hosts; /* 0: not known */
    char *node; /* what a node is inside, "Package:2 Core:8 PU:2", or NULL */
    /* Of a recording without MPI_Finalize: the tasks whose counts came (0: all)
     * and until when (ISO 8601 UTC); else 0 and NULL. */
    uint32_t tasks_recorded;
    char *until;
    char *partial; /* why it is not of a whole run (the file CATALOGUE_PARTIAL
                      beside it), or NULL; by profile_read alone */
    struct profile_span task_seconds; /* of all types together */
    double seconds; /* wall time from MPI_Init to MPI_Finalize, rank 0 */
    /* Collectives over more than this share of the tasks made no pairs; 0: not
     * known. */
    double large_share;
    size_t ntypes;
    struct profile_type *types;
    /* In the order of their numbers; none: the program has named none. */
    size_t nphases;
    struct profile_phase *phases;
};

/* The format that is written, and the latest that is read. */
#define PROFILE_FORMAT 1

/* Reads FOLDER/profile.json. Errors: EIO, EPARSE (file and what), EVERSION,
 * ERANGE, ENOMEM. */
int profile_read(struct profile **out,
                 const char *folder,
                 struct mapcore_error *err);
/* The same from n bytes in memory, under a name for messages. */
int profile_parse(struct profile **out,
                  const char *name,
                  const char *bytes,
                  size_t n,
                  struct mapcore_error *err);
/* Writes it. Errors: EIO, ENOMEM. */
int profile_write(const struct profile *profile,
                  const char *folder,
                  struct mapcore_error *err);
/* The members of that file, into an object that is open. */
void profile_put(struct json_writer *writer, const struct profile *profile);
/* Its member "task_seconds", when it is known. */
void profile_put_span(struct json_writer *writer,
                      const struct profile_span *span);
void profile_destroy(struct profile *profile);

/* How much of the tasks' time between MPI_Init and MPI_Finalize was spent in
 * MPI calls, 0 .. 1; negative: not known, as of what was imported. */
double profile_mpi_share(const struct profile *profile);
/* The same of the task that spent least in MPI, for which the others wait: it
 * computes longest, and no placement can save more of the run than that. */
double profile_least_mpi_share(const struct profile *profile);

/* Whose seconds are in it: how many tasks. */
uint32_t profile_tasks_seen(const struct profile *profile);
/* That type, or NULL: no call of it. */
const struct profile_type *profile_find_type(const struct profile *profile,
                                             const char *name);

/* The phase of that name or number, or NULL. */
const struct profile_phase *profile_find_phase(const struct profile *profile,
                                               const char *word);
/* Its name, else its number; out[PROFILE_PHASE_WORD]. Returns out. */
enum { PROFILE_PHASE_WORD = 80 };
const char *profile_phase_word(char *out, const struct profile_phase *phase);

/* The graph of the type called name, of the profile in folder; checks the
 * number of tasks. TYPE@N or TYPE@NAME: that of this phase alone; all@N: of
 * all its types together. Sums of types: profiles/taskgraphs.h. Errors as
 * graph_read_metis, ENOENT (no such type; it has no graph). */
int profile_graph(struct mapcore_graph **out,
                  const struct profile *profile,
                  const char *folder,
                  const char *name,
                  struct mapcore_error *err);

#endif
