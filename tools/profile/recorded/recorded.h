/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* recorded.h - what the files that tasks left behind say together */
#ifndef TOOLS_RECORDED_H
#define TOOLS_RECORDED_H

#include "base/name_set.h"
#include "base/text.h"
#include "profiles/commprof/count/nccl_rows.h"
#include "profiles/commprof/write/write.h"

/* A rank of a communicator, and the task that it belongs to. */
struct nccl_seen {
    struct nccl_comm comm;
    uint32_t task, at; /* where it stood before they were sorted */
};

/* What all files together say. */
struct recorded {
    struct gathered all;
    struct subject subject; /* program: "" without a name; its texts are of: */
    struct name_set texts, hosts;
    /* Of NCCL (count/nccl_rows.h): rows by their communicators' places here. */
    struct nccl_seen *comm; /* comm[ncomms], owned */
    struct nccl_row *row;   /* row[nrows], owned */
    size_t ncomms, comms_capacity, nrows, rows_capacity;
    uint32_t nccl_ranks, nccl_silent; /* that counted, and did not */
    uint32_t task; /* whose rows are being read, MAPCORE_NONE: not known yet */
    bool is_nccl;  /* the rows that are being read are a process's of it */
    struct task_times times;     /* of the task whose rows are being read */
    struct region_names regions; /* the same: its own, */
    uint32_t phase[PHASES_MOST]; /* and what its phases are in all */
    size_t capacity;             /* of all.messages */
    uint32_t nfound, *found;     /* found[nfound]: ranks of tasks */
    size_t found_capacity;
    uint32_t nlost;   /* tasks that had more than could be kept */
    uint32_t ended;   /* run_end.h: of all of them */
    char partial[96]; /* why it is, or "": some tasks are missing alone */
    const char *path; /* of what is being read */
    struct text *text;
    struct mapcore_error *err;
};

/* Of one file. */
#define RECORDED_MOST ((size_t)1 << 30)

/* Adds the n bytes of a file of kept regions, of several tasks. Errors: EPARSE,
 * EINVAL (of another run), ENOMEM. */
int recorded_take_kept(struct recorded *merge,
                       const char *path,
                       const char *bytes,
                       size_t n);
/* All files are taken: they are of one run that is known, and no task is there
 * twice; from is for messages. Errors: ENOENT (of no task), EPARSE. */
int recorded_check(struct recorded *merge, const char *from);
/* Files it as a version of a profile; *filed (owned): its folder. Where it is
 * not of all tasks, too, it is partial. Errors: those of identity_of_file,
 * catalogue_begin and write_profile. */
int recorded_file(struct recorded *merge, const char *root, char **filed);
void recorded_clear(struct recorded *merge);

/* Adds NCCL's rows to all: the ranks of a communicator are the tasks that said
 * so, each task once, in the order of its lowest rank. O(rows log rows +
 * messages). Errors: ENOMEM. */
int recorded_join_nccl(struct recorded *merge);

#endif
