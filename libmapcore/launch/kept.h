/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* kept.h - the memory in which recorded tasks keep what they count, so that it
 * outlives them: how slurmstepd, the recorder and `topomap` see it */
#ifndef MAPCORE_LAUNCH_KEPT_H
#define MAPCORE_LAUNCH_KEPT_H

#include <stdint.h>

/* One file in memory a node and step, a region a task of the node. A region is
 * only address space: what a task touches is taken, as it would be from its
 * heap. A file of kept regions is the used bytes of one after the other. */
#define KEPT_REGION ((uint64_t)1 << 30)
/* Behind the regions of all tasks come those for the processes of each that use
 * NCCL: one a GPU, and as many again when they are started anew. */
#define KEPT_NCCL_REGIONS 16
/* Version 1; another byte order or layout reads it as something else. */
#define KEPT_MAGIC UINT64_C(0x31545045504d4f54)

/* In a spool, behind "node-N.": what tasks have left, and what they had when
 * they went on, which the first replaces. */
#define KEPT_END    "kept"
#define KEPT_SO_FAR "sofar"

enum kept_state {
    KEPT_FREE,
    KEPT_TAKEN,   /* by a task that is still in MPI_Init */
    KEPT_COUNTING /* until MPI_Finalize has handed over what it holds */
};

/* Beside the wait status, which slurmstepd adds when the task has ended. */
enum kept_ended {
    KEPT_ABORTED = 1 << 16, /* it called MPI_Abort with an error */
    KEPT_ALONE = 1 << 17,   /* several tasks, each with an MPI of its own */
    KEPT_NCCL = 1 << 18     /* processes of it count what NCCL sends */
};

/* At the beginning of a region, and all that is written of one that does not
 * count and did not end well. Times are CLOCK_MONOTONIC's but `began`. */
struct kept_head {
    uint64_t magic;
    uint32_t state;     /* enum kept_state */
    uint32_t rank;      /* in MPI_COMM_WORLD */
    uint32_t ntasks;    /* of MPI_COMM_WORLD */
    uint32_t lost;      /* blocks that found no room here */
    uint32_t is_active; /* calls are being counted */
    uint32_t ended; /* how, if not well: a wait status, and enum kept_ended */
    uint64_t used;  /* bytes from the head on, a multiple of 8 */
    uint64_t began_ns;   /* when MPI_Init returned */
    uint64_t last_ns;    /* when the last call that was counted returned */
    uint64_t since_ns;   /* when counting went on last */
    uint64_t counted_ns; /* how long it had gone on before */
    int64_t began;       /* seconds since 1970 */
};

/* Behind the head one block after the other, each with `size` bytes (a multiple
 * of 8) behind it. */
enum kept_kind {
    KEPT_SKIP,       /* nothing */
    KEPT_TEXT,       /* lines `word VALUE`: whose rows these are */
    KEPT_STATS,      /* the recorder's struct call_stats, several */
    KEPT_SIZED,      /* one of them, and a pointer */
    KEPT_ROWS,       /* struct row, several, and a pointer */
    KEPT_GROUP,      /* struct group */
    KEPT_COLLECTIVE, /* struct collective_record */
    KEPT_REGIONS,    /* struct region_names */
    KEPT_NCCL_COMM,  /* struct nccl_comm */
    KEPT_NCCL_ROWS   /* struct nccl_row, several */
};
struct kept_block {
    uint32_t kind, size;
};

#endif
