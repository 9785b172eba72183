/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* graphs.h - a task graph as a command line names it: a file of any format, a
 * profile, or a pattern */
#ifndef TOOLS_GRAPHS_H
#define TOOLS_GRAPHS_H

#include "graph/file/file.h"
#include "metric/workload.h"
#include "tools/common/command_line.h"

#include <stdbool.h>

/* As typed. path: a graph's file; a profile, APP:NTASKS, name:NAME, its folder
 * or profile.json, or a program that was recorded; or a pattern
 * (grid/grid_make.h). */
struct graph_source {
    const char *path;
    /* Where profiles are looked for besides the user's own catalogue; NULL: in
     * those of the default site file. */
    const struct tool_list *catalogues;
    const char *config;
    const char *name; /* of a profile's graphs; NULL: see graphs_choose */
    struct mapcore_graph_reading how;
};
/* --from, --ntasks and --graph of a struct graph_source. */
extern const struct option_row graphs_rows[];
/* What --from takes: formats of libmapcore, and, from GRAPHS_FOREIGN on, those
 * of other tools (foreign.h). */
extern const struct option_word graphs_formats[];
enum { GRAPHS_FOREIGN = 64 };
/* The words of FORMATS in tools/graph-readers.py. */
#define GRAPHS_FOREIGN_WORDS                                                   \
    {"graphml", GRAPHS_FOREIGN, NULL, false},                                  \
        {"ompi-monitoring", GRAPHS_FOREIGN + 1, "a file or folder", false},    \
        {"ipm", GRAPHS_FOREIGN + 2, "XML", false},                             \
        {"tau", GRAPHS_FOREIGN + 3, "a folder", false},                        \
        {"nccl-inspector", GRAPHS_FOREIGN + 4, "a folder", false},             \
        {"otf2", GRAPHS_FOREIGN + 5, "otf2-print -A", false},                  \
        {"intel", GRAPHS_FOREIGN + 6, "stftool --print-statistics", false},    \
        {"kineto", GRAPHS_FOREIGN + 7, "a folder", false},                     \
        {"flight-recorder", GRAPHS_FOREIGN + 8, "a folder", false},            \
    {                                                                          \
        "chakra", GRAPHS_FOREIGN + 9, "a folder", false                        \
    }

/* A file of any format, of a tool's also the folder of a run. Errors: as
 * mapcore_graph_read and foreign_graph_read. */
int graphs_read_file(struct mapcore_graph **out,
                     const char *path,
                     const struct mapcore_graph_reading *how,
                     struct mapcore_error *err);

/* The folder of the profile that the path means, NULL: it is none; *out owned.
 * Errors: ENOENT (neither a file nor a profile), those of profile_select. */
int graphs_find_profile(char **out,
                        const struct graph_source *source,
                        struct mapcore_error *err);

/* The graph of a profile that a name means. Without one (NULL) it is what
 * topomap tune has measured to be best, else weighted-sum; "best" asks for the
 * former. *out owned. Errors: ENOENT and those of evaluation_read (best was
 * asked for, and is not known), ENOMEM. */
int graphs_choose(char **out,
                  const char *name,
                  const char *folder,
                  struct mapcore_error *err);

/* Reads it. Errors: as mapcore_graph_read, profile_read, taskgraphs_make;
 * EINVAL (an option that means nothing for what the path is). */
int graphs_open(struct mapcore_graph **out,
                const struct graph_source *source,
                struct mapcore_error *err);

/* Writes it to a file, "-" for stdout, as METIS. Errors: EIO, ETRUST, ENOMEM.
 */
int graphs_write(const struct mapcore_graph *graph,
                 const char *path,
                 struct mapcore_error *err);

/* The graphs whose times add up: of each type, or, where the program has named
 * phases, of each type in each of them. */
struct graph_types {
    struct mapcore_error *err; /* of the caller */
    struct graph_type {
        char *name;       /* "p2p", or of a phase "p2p@2"; owned */
        const char *type; /* "p2p"; of name or of the profile */
        const struct profile_phase *phase; /* of profile; NULL: of all */
        double seconds; /* of each task, as it was recorded; 0: not known */
        /* Of times by what is estimated, see graphs_scale.h. */
        double bytes, longest, scale, rest, block, reached;
        bool is_large; /* of what the recorder kept no pairs of */
        /* As it was recorded, or the one graph. */
        const struct mapcore_graph *graph;
        /* A collective as the MPI library runs it; NULL: the graph at once. */
        struct mapcore_phases *phases;
        struct type_stages *stages; /* what they are under a mapping, or NULL */
        /* How many messages the graph at once is, by directed pair; NULL: not
         * known, or not read, see graph_messages.h. */
        struct mapcore_phases *messages;
        bool is_directed; /* these have all bytes of the graph */
        /* [graph's entries] the stage of the flow from the row's task to the
         * other, or, is_directed, [flows of messages] that of each, see
         * graph_order.h; NULL: not known, or not read; owned. */
        uint8_t *order;
        struct mapcore_phases *ordered; /* messages, by these; or NULL */
    } * type;                           /* [n] */
    size_t n;
    bool is_profile;              /* seconds are known */
    bool has_phases;              /* of any type */
    bool is_latent;               /* far more was recorded than bytes need */
    struct mapcore_graph **owned; /* [n] */
    struct profile *profile;
};

/* The types of a profile that graphs_open has read whole, or, for any other
 * source or with a name, its one graph, borrowed. A collective that happens in
 * several phases, and of which only the sum over them is known, stays one.
 * After a failure graphs_clear_types is due all the same. Errors: as
 * graphs_open. */
int graphs_open_types(struct graph_types *out,
                      const struct graph_source *source,
                      const struct mapcore_graph *graph,
                      struct mapcore_error *err);
/* The profile that graphs_open has read whole; *out owned, NULL: source is
 * another, or but one graph of it. Errors: ENOMEM. */
int graphs_whole_profile(char **out,
                         const struct graph_source *source,
                         struct mapcore_error *err);
/* The two halves of that: of a profile's folder, and of one graph, borrowed. */
int graphs_open_profile_types(struct graph_types *out,
                              const char *folder,
                              struct mapcore_error *err);
int graphs_one_type(struct graph_types *out,
                    const struct mapcore_graph *graph,
                    struct mapcore_error *err);
void graphs_clear_types(struct graph_types *types);

/* Rates by which types are estimated: those of a profile, which decide, by what
 * is sure (ties_are_whole). */
struct mapcore_host_rates graphs_rates(const struct graph_types *types,
                                       const struct mapcore_host_rates *rates);

/* As the estimate takes it, borrowed, with its scale. */
struct mapcore_work_type graphs_work_type(const struct graph_types *types,
                                          size_t i);

#endif
