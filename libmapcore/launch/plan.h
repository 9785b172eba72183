/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan.h - the plan: host and slot of every rank, and its text on the way
 * from `topomap plan` to srun */
#ifndef MAPCORE_LAUNCH_PLAN_H
#define MAPCORE_LAUNCH_PLAN_H

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>

enum mapcore_plan_outcome {
    MAPCORE_PLAN_FAILED,      /* Slurm's own layout stays, reason says why */
    MAPCORE_PLAN_PLACED,      /* the ranks have places */
    MAPCORE_PLAN_UNCHANGED,   /* Slurm's own layout is the best */
    MAPCORE_PLAN_UNRECORDED,  /* as failed: there is no profile */
    MAPCORE_PLAN_UNCONCERNED, /* the program uses no MPI */
};

/* The number that a plan was decided by. */
enum mapcore_plan_decision {
    MAPCORE_PLAN_BY_NOTHING,       /* "nothing": none is worth it */
    MAPCORE_PLAN_BY_LINK_TIME,     /* "slowest-link": its time */
    MAPCORE_PLAN_BY_HOP_BYTES,     /* "hop-bytes": a task's average */
    MAPCORE_PLAN_BY_MAX_HOP_BYTES, /* "maximum-hop-bytes" of a task */
    MAPCORE_PLAN_BY_INSIDE,        /* "inside-hop-bytes": average */
    MAPCORE_PLAN_BY_TIME,          /* "time": estimated, with messages */
};

/* Nodes in the order of their lowest ranks: SLURM_NODEID and the lists. */
#define MAPCORE_PLAN_ENV_NODES "nodes"

/* Plain arrays: launching does not know how a mapping was found. */
struct mapcore_plan {
    uint32_t ntasks;
    uint32_t nhosts;
    enum mapcore_plan_outcome outcome;
    uint32_t record_s; /* seconds of this run to be recorded; 0:
                          none is */
    bool times_mpi;    /* how long this run is in MPI is to be counted */
    char *reason;      /* one line, owned: what was found, or why not */
    char *tree;        /* what nodes are asked of their hardware trees, one line
                          (launch/step_files.h), owned; NULL: nothing */
    char *found;   /* how a search found it, one line (tools/plan/plan_cache.h),
                      owned; NULL: not said */
    char *env;     /* MAPCORE_PLAN_ENV_NODES, owned, or NULL: which variables of
                      Slurm the tasks are to see as placed */
    char *network; /* what it was made for and who said so, one line, owned;
                      NULL: not said */
    char *advice;  /* what else could bring its ranks nearer to each other, one
                      line, owned; NULL: not said */
    uint32_t *host; /* [ntasks] index into the step's node list; NULL unless
                       placed */
    uint32_t *slot; /* [ntasks] 0 .. tasks of that host - 1, depth-first in
                       the hardware tree; NULL unless placed */
    /* For the line to the user; before is Slurm's own layout. */
    double hops_per_byte[2]; /* [0] before, [1] after */
    uint64_t off_node_bytes[2];
    double max_link_bytes[2];
    enum mapcore_plan_decision decided_by;
    double decided[2];      /* that number */
    double milliseconds[3]; /* catalogue, topology, mapping */
};

/* The word of a decision, "slowest-link"; static. NULL: there is none. */
MAPCORE_API const char *mapcore_plan_decision_name(
    enum mapcore_plan_decision decision);

MAPCORE_API void mapcore_plan_destroy(struct mapcore_plan *plan);

/* The wire form, ended by a line `end <checksum>`, so that a reader knows
 * that it has all of it without waiting for EOF:
 *   topomap-plan 2
 *   outcome placed         (or: unchanged, unrecorded, unconcerned, failed;
 *                           `time` or `record 600` may follow, for who asks for
 *                           that)
 *   reason ...
 *   tree check KIND LEVELS (or: ask KIND; only where nodes are asked)
 *   found ...              (of a search's result)
 *   env nodes              (where tasks are to see it)
 *   network ...            (may be left out; lines that a reader does not know
 *                           may stand here, too)
 *   ntasks 16
 *   nhosts 8
 *   hops-per-byte 1.5 0.75
 *   off-node-bytes 100 50
 *   max-link-bytes 10 5
 *   decided-by slowest-link 3e-3 1e-3
 *   milliseconds 1.2 0.4 3.1
 *   hosts RUNS             (only with placed)
 *   slots RUNS
 *   end 89abcdef01234567   (FNV-1a 64 of all bytes before this line)
 * RUNS: values in rank order, comma separated, v or v*count or a..b
 * (ascending by one). *out is owned, NUL-terminated. Errors: ENOMEM. */
MAPCORE_API int mapcore_plan_format(char **out,
                                    const struct mapcore_plan *plan,
                                    struct mapcore_error *err);
/* Parses text of n bytes; believes nothing: counts must equal the caller's,
 * every host's share and its slots must be injective and within counts[host]
 * ([nhosts] tasks of each host). Errors: EPARSE, EVERSION, ERANGE, ENOMEM. */
MAPCORE_API int mapcore_plan_parse(struct mapcore_plan **out,
                                   const char *text,
                                   size_t n,
                                   uint32_t ntasks,
                                   uint32_t nhosts,
                                   const uint32_t *counts,
                                   struct mapcore_error *err);
/* n where text ends with an `end` line whose checksum holds; 0 while it is not
 * complete. */
MAPCORE_API size_t mapcore_plan_complete(const char *text, size_t n);

/* Forms for other launchers, to people. names: [nhosts], for the first two;
 * counts as above. hostfile: SLURM_HOSTFILE for --distribution=arbitrary, one
 * name a task; rankfile: Open MPI's `rank 3=n1 slot=0`; mpich:
 * MPICH_RANK_ORDER, ranks in the order in which a block layout would place
 * them, comma separated; plain: host and slot, a line a task. Errors: EIO. */
enum mapcore_plan_form {
    MAPCORE_PLAN_HOSTFILE,
    MAPCORE_PLAN_RANKFILE,
    MAPCORE_PLAN_MPICH,
    MAPCORE_PLAN_PLAIN,
};
MAPCORE_API int mapcore_plan_write(const struct mapcore_plan *plan,
                                   enum mapcore_plan_form form,
                                   const char *const *names,
                                   FILE *file,
                                   struct mapcore_error *err);

#endif
