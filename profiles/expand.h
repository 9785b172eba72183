/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* expand.h - task graphs of collectives, expanded when they are wanted */
#ifndef PROFILES_EXPAND_H
#define PROFILES_EXPAND_H

#include "base/text.h"
#include "profiles/expanded.h"
#include "profiles/profile.h"

/* How a collective over a set of tasks becomes pairs. */
enum expansion {
    /* What the recorder's own graphs have: the root with each other task;
     * partners at distances that double; each with each. */
    EXPAND_DIRECT,
    /* The same, but rooted collectives along a binomial tree: the task of
     * relative rank r exchanges with r minus its lowest bit; bcast and reduce
     * move the vector over each edge, scatter and gather the blocks of the
     * whole subtree. */
    EXPAND_TREE,
    /* As the profile's MPI library runs them: profiles/algorithm.h. */
    EXPAND_LIBRARY,
};

/* The graph of one type of collective, computed from the file `collectives` in
 * the profile's folder: also of communicators that the recorder took for too
 * large. Errors: ENOENT (nothing of that type is in there), EIO, EPARSE (file
 * and line), EVERSION, ERANGE (also: too many tasks or pairs to take memory
 * for), ENOMEM. O(edges). */
int expand_graph(struct mapcore_graph **out,
                 const struct profile *profile,
                 const char *folder,
                 const char *type,
                 enum expansion how,
                 struct mapcore_error *err);

/* The same from the file's text, whose name is for messages. */
int expand_text(struct mapcore_graph **out,
                const struct profile *profile,
                struct text *text,
                const char *type,
                enum expansion how,
                struct mapcore_error *err);

/* Reads the file `collectives`, or that of a phase, by its name, which is
 * there, and expands nothing. Errors: EIO, ETRUST, EPARSE (file and line),
 * EVERSION, ERANGE, ENOMEM. */
int expand_check(const struct profile *profile,
                 const char *folder,
                 const char *file,
                 struct mapcore_error *err);

/* The graph of a type as the library runs it, in place of the recorder's: over
 * the communicators that the recorder kept pairs of. Only where the recorder's
 * graph is that of the collectives of equal blocks in the file, and nothing
 * else. Errors: those of expand_graph, of which ENOENT means that there is
 * nothing better than the recorder's graph. */
int expand_as_run(struct mapcore_graph **out,
                  const struct profile *profile,
                  const char *folder,
                  const char *type,
                  const struct mapcore_graph *recorded,
                  struct mapcore_error *err);

/* Who sends what to whom and in which order, where expand_as_run has a graph;
 * of one phase of the program alone, or of all together (NULL). Starts as all
 * zero; expanded_clear is due also after a failure. Errors: those of
 * expand_as_run. */
int expand_flows(struct expanded *out,
                 const struct profile *profile,
                 const char *folder,
                 const struct profile_phase *phase,
                 const char *type,
                 const struct mapcore_graph *recorded,
                 struct mapcore_error *err);

/* expand_graph for a name as of TYPE:tree, TYPE:direct or TYPE:library. */
int expand_named(struct mapcore_graph **out,
                 const struct profile *profile,
                 const char *folder,
                 const char *name,
                 struct mapcore_error *err);

#endif
