/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* expand.h - task graphs of collectives, expanded when they are wanted */
#ifndef PROFILES_EXPAND_H
#define PROFILES_EXPAND_H

#include "base/text.h"
#include "profiles/expanded.h"
#include "profiles/profile.h"

/* The graph of one type of collective, TYPE:tree, TYPE:direct or TYPE:library,
 * as a library runs it (collectives/algorithm.h), computed from the file
 * `collectives` in the profile's folder: also of communicators that the
 * recorder took for too large. Errors: ENOENT (nothing of that type is in
 * there), EIO, EPARSE (file and line), EVERSION, ERANGE (also: too many tasks
 * or pairs to take memory for), ENOMEM. O(edges). */
int expand_named(struct mapcore_graph **out,
                 const struct profile *profile,
                 const char *folder,
                 const char *name,
                 struct mapcore_error *err);

/* The same of a type from the file's text, whose name is for messages. */
int expand_text(struct mapcore_graph **out,
                const struct profile *profile,
                struct text *text,
                const char *type,
                enum algorithm_library library);

/* Reads the file `collectives`, or that of a phase, by its name, which is
 * there, and expands nothing. Errors: EIO, ETRUST, EPARSE (file and line),
 * EVERSION, ERANGE, ENOMEM. */
int expand_check(const struct profile *profile,
                 const char *folder,
                 const char *file,
                 struct mapcore_error *err);

/* A type of collective in a profile's folder: of one phase of the program, or
 * of all together (NULL); recorded: the recorder's graph of it. */
struct expand_subject {
    const char *folder;
    const struct profile_phase *phase;
    const char *type;
    const struct mapcore_graph *recorded; /* NULL: nothing is compared */
    /* The communicators that the recorder kept no pairs of, in place of the
     * others, unless a call is more than EXPAND_LARGE messages of each task:
     * those of all with all are the same wherever tasks are; or more than
     * EXPAND_LARGE_MOST, which take too long. */
    bool is_large;
};
enum { EXPAND_LARGE = 64, EXPAND_LARGE_MOST = 1 << 17 };

/* The type as the profile's library runs it, over the communicators that the
 * recorder kept pairs of, or over the others: its graph, or, where flows is not
 * NULL, its messages in their order. flows starts as all zero; expanded_clear
 * is due also after a failure. Errors: those of expand_named, of which ENOENT
 * means that nothing is better than the recorder's graph: it has other calls
 * than those of equal blocks. */
int expand_as_run(struct mapcore_graph **out,
                  struct expanded *flows,
                  const struct profile *profile,
                  const struct expand_subject *subject,
                  struct mapcore_error *err);

#endif
