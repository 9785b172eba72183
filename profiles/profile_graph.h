/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_graph.h - the task graph of one type of call */
#ifndef PROFILES_PROFILE_GRAPH_H
#define PROFILES_PROFILE_GRAPH_H

#include "graph/graph.h"
#include "profiles/profile.h"

/* The graph of the type called name, of the profile in folder; checks the
 * number of tasks. TYPE@N or TYPE@NAME: that of this phase alone; all@N: of
 * all its types together. Sums of types: profiles/taskgraphs.h. Errors as
 * graph_read_metis, ENOENT (no such type; it has no graph). */
int profile_graph(struct mapcore_graph **out,
                  const struct profile *profile,
                  const char *folder,
                  const char *name,
                  struct mapcore_error *err);

#endif
