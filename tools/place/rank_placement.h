/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rank_placement.h - a plan in the words, the file and the variables of a
 * launcher
 */
#ifndef TOOLS_RANK_PLACEMENT_H
#define TOOLS_RANK_PLACEMENT_H

#include "launch/plan.h"
#include "tools/place/launcher.h"

enum {
    PLACEMENT_WORDS = 6,
    PLACEMENT_VARIABLES = 2,
};

struct rank_placement {
    char *word[PLACEMENT_WORDS + 1];         /* put in at line->first; owned */
    char *variable[PLACEMENT_VARIABLES + 1]; /* "NAME=VALUE", owned */
    char *text;                              /* of the file, owned; or NULL */
};

/* What its file is called, or NULL: it needs none. */
const char *rank_placement_file(enum launcher_kind kind, bool binds);
/* Whether that must stand where all nodes see it. */
bool rank_placement_is_shared(enum launcher_kind kind);

/* What is to be placed; all borrowed. */
struct rank_request {
    const struct mapcore_plan *plan; /* it applies */
    const char *const *names;        /* [nhosts of plan] */
    const char *path; /* where the file will be, absolute or not */
    bool binds;       /* ranks get the cores of their slots as well, where a
                         launcher can (Open MPI) */
};

/* What was not set is NULL; rank_placement_clear is due in any case. Errors:
 * ENOTSUP, EIO, ENOMEM. */
int rank_placement_make(struct rank_placement *out,
                        const struct launcher_line *line,
                        const struct rank_request *request,
                        struct mapcore_error *err);
void rank_placement_clear(struct rank_placement *placement);

/* The whole command: line's words with the placement's put in (NULL: none, and
 * nothing is left out). *out: up to a NULL, the array is owned, its words are
 * line's and the placement's. Errors: ENOMEM. */
int rank_placement_command(char ***out,
                           const struct launcher_line *line,
                           const struct rank_placement *placement,
                           struct mapcore_error *err);

#endif
