/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* foreign.h - graphs, networks and mappings from what other tools leave, read
 * by the Python programs that are installed beside topomap */
#ifndef TOOLS_FOREIGN_H
#define TOOLS_FOREIGN_H

#include "alloc/mapping.h"
#include "base/buffer.h"
#include "graph/graph.h"
#include "topo/topo.h"

/* format: as graph-readers.py has them, "any" for it to find out; path: a file,
 * or a folder with those of a run. Runs python3. Errors: EPARSE, ERANGE (file
 * and line), ENOENT (nothing of the format in the folder), EIO (also where
 * there is no python3), ENOMEM. */
int foreign_graph_read(struct mapcore_graph **out,
                       const char *format,
                       const char *path,
                       struct mapcore_error *err);

/* mapcore_topo_open, and also files of other tools, mapcore-topology(5), for
 * which network-readers.py runs. */
int foreign_network_open(struct mapcore_topo **out,
                         const char *spec,
                         struct mapcore_error *err);
/* A network from lines of any form, Slurm's for most; what network-readers.py
 * had to make of them replaces them (*lines is owned). Errors: as above;
 * ENOTSUP: nothing is in them, or no network. */
int foreign_network_read(struct mapcore_topo **out,
                         char **lines,
                         const char *name,
                         struct mapcore_error *err);

/* A mapping of any form, held against an allocation, whose hosts go by the
 * names that the network gives them. A hostfile says no slots, its ranks take
 * the slots of their host in ascending order; so do those of a rankfile in the
 * order of socket and core, unless all its places are single numbers that are
 * slots of their hosts. Errors: as above, and mapping_lines_read. */
int foreign_mapping_open(struct mapcore_mapping **out,
                         const char *path,
                         const struct mapcore_alloc *alloc,
                         struct mapcore_error *err);
/* Appends the mapping in a file as topomap convert writes it: a line "TASKS
 * HOSTS LOST", whether slots were lost, and the text. words: its form, or any;
 * its path; the form that is written; nodes and slots as typed, or "". Errors:
 * as above. */
int foreign_mapping_convert(struct buffer *out,
                            const char *const words[static 6],
                            struct mapcore_error *err);

#endif
