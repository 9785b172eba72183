/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* nccl_rows.h - what a process has counted of NCCL, in the blocks
 * KEPT_NCCL_COMM and KEPT_NCCL_ROWS of its region; knows nothing of NCCL */
#ifndef COMMPROF_NCCL_ROWS_H
#define COMMPROF_NCCL_ROWS_H

#include <stdint.h>

/* A communicator as one of its ranks sees it. */
struct nccl_comm {
    uint64_t id;         /* the same for all its ranks; 0: not known */
    uint32_t number;     /* of those that this process had before */
    uint32_t rank, size; /* size 0: not known */
    uint32_t unused;     /* 0 */
};

/* What that rank did there: messages to one peer of one size class, as in
 * messages.h, or a collective with one algorithm and root. */
struct nccl_row {
    uint32_t comm;      /* its number */
    uint8_t type;       /* enum call_type */
    uint8_t algorithm;  /* enum algorithm_library; 0: none was reported */
    uint8_t size_class; /* 0 of a collective */
    uint8_t is_used;    /* the last to be written */
    uint32_t peer;      /* or root: a rank of the communicator */
    uint32_t unused;    /* 0 */
    uint64_t calls;
    uint64_t bytes; /* sent to the peer; of a collective one rank's vector or
                       block, of a reduce-scatter what it gets */
};

#endif
