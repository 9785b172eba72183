/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_tool.h - what the verbs of `topomap profile` share */
#ifndef TOOLS_PROFILE_TOOL_H
#define TOOLS_PROFILE_TOOL_H

#include "tools/common/tool.h"

#include "tools/inputs/graphs.h"
#include "tools/profile/profile_select.h"
#include "tools/table/answer.h"

enum profile_mpi {
    PROFILE_ANY_MPI,
    PROFILE_MPICH,
    PROFILE_OPENMPI,
};

/* The options of all verbs; a verb allows some of them. Strings are borrowed
 * from argv. */
struct profile_options {
    struct mapcore_error *err; /* of the caller */
    struct tool_list catalogues;
    const char *config, *graph, *output, *program, *name, *node;
    const char *run, *folder; /* of programs, not of people */
    enum mapcore_graph_format format;
    enum profile_mpi mpi;
    uint32_t verb;
    uint32_t ntasks;     /* 0: not said */
    uint32_t keep;       /* 0: not said */
    uint32_t bits;       /* 0: not said */
    uint32_t neighbours; /* 0: not said */
    uint64_t least;      /* bytes of an edge; 0: not said */
    double share;
    const char *phase; /* of --graph; NULL: all together */
    struct answer_form form;
    bool all_versions, dry_run, replace, users;
    const char *operand; /* PROFILE, GRAPH or PROGRAM; NULL without */
    /* Of recorder: all words behind --, the first of them the operand; up to a
     * NULL. NULL without. */
    char **command;
};

/* The verbs; each returns an enum tool_exit, or an error. */
typedef int profile_verb(const struct profile_options *options);
profile_verb profile_list_run, profile_show_run, profile_graphs_run,
    profile_prune_run, profile_grid_run, profile_export_run, profile_import_run,
    profile_pack_run, profile_unpack_run, profile_merge_run, profile_rm_run,
    profile_recorder_run, profile_collect_run;

/* Finds and reads the profile that the operand means, and does that with it.
 * Errors: those of profile_select, of profile_read and of act. */
typedef int profile_act(void *arg,
                        const struct profile_options *options,
                        const struct catalogue_entry *entry,
                        const struct profile *profile);
int profile_with(const struct profile_options *options,
                 profile_act *act,
                 void *arg);

struct mapcore_graph;
/* The task graph of the profile that the operand means, by --graph and --share,
 * thinned and scaled as asked. *out owned. Errors: those of profile_select, and
 * of reading a profile and its graphs. */
int profile_graph_open(struct mapcore_graph **out,
                       const struct profile_options *options);

/* Prints the folder of a version that was filed. Errors: EIO, ENOMEM, ENOTSUP.
 */
int profile_say_filed(const struct profile_options *options, const char *path);

/* script_become with a verb's words, its flags and its operand (NULL: none),
 * which may be another than the user's. */
int profile_become(const char *script,
                   const char *verb,
                   const struct profile_options *options,
                   struct tool_list *words,
                   const char *operand);

#endif
