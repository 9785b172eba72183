/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* type_stages.h - the phases of a type of collective as the MPI library runs
 * it; under a mapping, where its calls go by node */
#ifndef PROFILES_TYPE_STAGES_H
#define PROFILES_TYPE_STAGES_H

#include "graph/phases.h"
#include "profiles/expand.h"
#include "profiles/profile.h"

struct type_stages;

/* One communicator after the other, stage after stage, as expanded_phases
 * puts them together. *stages, which may be NULL: not wanted; NULL after
 * success where the library runs the type's calls the same on any nodes
 * (collectives/by_node.h). Errors: those of expand_as_run, of which ENOENT and
 * ERANGE (too many messages) mean that there is nothing better than the
 * recorder's graph. */
int type_phases(struct mapcore_phases **out,
                struct type_stages **stages,
                const struct profile *profile,
                const struct expand_subject *subject,
                struct mapcore_error *err);
void type_stages_destroy(struct type_stages *stages);
/* What makes the phases; borrows stages, which may be NULL. A mapping costs
 * O(flows + calls x hosts). */
struct mapcore_staging type_stages_staging(const struct type_stages *stages);

#endif
