/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* run.h - graphs of which several files tell, one of each process of a run, as
 * tools inside MPI programs leave them in a folder */
#ifndef MAPCORE_GRAPH_RUN_H
#define MAPCORE_GRAPH_RUN_H

#include "base/text.h"
#include "graph/file/edges.h"

/* What has been read of a run; a tool's own state begins with it. */
struct run {
    struct edges edges;
    uint32_t nfiles;
    uint32_t ntasks;  /* as far as it is known */
    const char *name; /* of the file, or of the folder */
};

/* A tool's files. */
struct run_format {
    const char
        *about; /* for messages: "files *.prof of Open MPI's monitoring" */
    const char *prefix, *suffix; /* of their names; "": any */
    size_t size;                 /* of the state, all zero at first */
    /* Reads one to its end. */
    int (*add)(void *state, struct text *text, struct mapcore_error *err);
    /* Checks that all is there, and sets run.ntasks. */
    int (*finish)(void *state, struct mapcore_error *err);
    void (*clear)(void *state); /* of what is not run; or NULL */
};
extern const struct run_format run_monitoring, run_tau, run_nccl, run_otf2,
    run_intel;

/* The graph of one text, or of all such files of a folder, in the order of
 * their names. Errors: those of the readers; ENOENT (no such file in the
 * folder), EIO, ERANGE, ENOMEM. */
int run_read_text(struct mapcore_graph **out,
                  const struct run_format *format,
                  struct text *text,
                  struct mapcore_error *err);
int run_read_folder(struct mapcore_graph **out,
                    const struct run_format *format,
                    const char *path,
                    struct mapcore_error *err);

#endif
