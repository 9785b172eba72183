/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_tool.h - what the verbs of `topomap profile` share */
#ifndef TOOLS_PROFILE_TOOL_H
#define TOOLS_PROFILE_TOOL_H

#include "tools/common/tool.h"

#include "profiles/catalogue/catalogue.h"
#include "profiles/program/identity.h"
#include "tools/inputs/graphs.h"

struct site_file;

enum profile_mpi {
    PROFILE_ANY_MPI,
    PROFILE_MPICH,
    PROFILE_OPENMPI,
};

/* The options of all verbs; a verb allows some of them. Strings are borrowed
 * from argv. */
struct profile_options {
    struct tool_list catalogues;
    const char *config, *graph, *output, *program, *name, *type, *node, *run;
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
    bool json, csv, all_versions, dry_run, replace, measured;
    const char *operand; /* PROFILE, GRAPH or PROGRAM; NULL without */
    /* Of recorder: all words behind --, the first of them the operand; up to a
     * NULL. NULL without. */
    char **command;
};

/* The verbs; each returns an enum tool_exit. */
int profile_list_run(const struct profile_options *options);
int profile_show_run(const struct profile_options *options);
int profile_graphs_run(const struct profile_options *options);
int profile_prune_run(const struct profile_options *options);
int profile_grid_run(const struct profile_options *options);
int profile_export_run(const struct profile_options *options);
int profile_import_run(const struct profile_options *options);
int profile_pack_run(const struct profile_options *options);
int profile_unpack_run(const struct profile_options *options);
int profile_merge_run(const struct profile_options *options);
int profile_rm_run(const struct profile_options *options);
int profile_recorder_run(const struct profile_options *options);
int profile_collect_run(const struct profile_options *options);

/* The catalogues that are looked through, in order: the user's own (when there
 * is a home), each --catalogue, the site file's. */
struct profile_roots {
    struct tool_list list;
    char *own;
    struct site_file *site;
};
/* Errors: those of site_read, ENOMEM. */
int profile_roots_open(struct profile_roots *out,
                       const struct profile_options *options,
                       struct mapcore_error *err);
void profile_roots_close(struct profile_roots *roots);

/* The one catalogue that is written to: the --catalogue given (one at most),
 * else the user's own. *out owned. Errors: EINVAL, ENOENT (no home). */
int profile_root_to_write(char **out,
                          const struct profile_options *options,
                          struct mapcore_error *err);

/* The version that the words PROFILE mean: the path of its folder;
 * PROGRAM[:NTASKS]; name:NAME[:NTASKS]. The first of roots[nroots] that has it
 * counts, and in it the build of the file PROGRAM before others, and the newest
 * version; roots[0] is the user's own when own_first. What is not to be trusted
 * is passed over, and named (ETRUST) when nothing else is found. A folder
 * outside of any catalogue has only its path set. Errors: ENOENT (with what
 * there is instead), EINVAL, EIO, ENOMEM. */
int profile_select(struct catalogue_entry *out,
                   const char *const *roots,
                   size_t nroots,
                   bool own_first,
                   const char *words,
                   struct mapcore_error *err);

/* Whether what is to be filed there would take the place of a recording, whose
 * types, calls and seconds would be out of sight; what: "this graph". identity
 * NULL: named. Errors: EINVAL (it would, and --replace lets it), ENOMEM. */
int profile_check_replaces(const char *root,
                           const char *program,
                           const char *identity,
                           uint32_t ntasks,
                           const char *what,
                           struct mapcore_error *err);

struct mapcore_graph;
/* The task graph of the profile that the operand means, by --graph and --share,
 * thinned and scaled as asked. *out owned. Errors: those of profile_select, and
 * of reading a profile and its graphs. */
int profile_graph_open(struct mapcore_graph **out,
                       const struct profile_options *options,
                       struct mapcore_error *err);

/* Whether the words are no profile's but a task graph themselves: a pattern, or
 * a file that is no program. */
bool profile_is_graph(const char *operand);

/* The first bytes of an identity, for tables. */
enum {
    PROFILE_SHORT_IDENTITY = 16,
};
void profile_shorten(char out[PROFILE_SHORT_IDENTITY], const char *identity);

#endif
