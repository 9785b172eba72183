/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* recorded.h - what the files that tasks left behind say together */
#ifndef TOOLS_RECORDED_H
#define TOOLS_RECORDED_H

#include "base/buffer.h"
#include "base/text.h"
#include "profiles/commprof/write/gathered.h"

#include <stdbool.h>

/* What all files together say. */
struct recorded {
    struct gathered all;
    struct task_times times;     /* of the task whose rows are being read */
    struct region_names regions; /* the same: its own, */
    uint32_t phase[PHASES_MOST]; /* and what its phases are in all */
    size_t capacity;             /* of all.messages */
    char *program, *name, *mpi;  /* of the first file; owned */
    char *mpi_type;              /* srun's --mpi, or NULL */
    char *job, *user;
    char *node;    /* of the first that says so, or NULL */
    char *command; /* keys of the command that led there, or NULL */
    char **hosts;  /* hosts[all.hosts], owned */
    size_t hosts_capacity;
    uint32_t ntasks, nfound, large_ppm;
    uint32_t nlost; /* tasks that had more than could be kept */
    uint64_t elapsed_ns, counted_ns;
    uint32_t ended;   /* run_end.h: of all of them */
    char partial[96]; /* why it is, or "": some tasks are missing alone */
    int64_t until;    /* seconds since 1970; 0: not known */
    const char *path; /* of what is being read */
    uint32_t *found;  /* found[nfound]: their ranks */
    size_t found_capacity;
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
/* For recorded_take_kept: the lines of merge->text, to its end. */
int recorded_take_head(struct recorded *merge);
/* Counters of the task that is being read. Errors: ENOMEM. */
int recorded_take_stats(struct recorded *merge, const struct call_stats *stats);
void recorded_clear(struct recorded *merge);

#endif
