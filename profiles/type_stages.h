/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* type_stages.h - the phases of a type under a mapping, where its collectives
 * go by node */
#ifndef PROFILES_TYPE_STAGES_H
#define PROFILES_TYPE_STAGES_H

#include "graph/phases.h"
#include "profiles/expanded.h"
#include "profiles/profile.h"

struct type_stages;

/* *out is NULL without an error where the profile's library runs the type's
 * calls the same on any nodes (profiles/by_node.h). Takes the calls and the
 * members of expanded, and leaves it empty, if there is something to keep.
 * Errors: ENOMEM. */
int type_stages_create(struct type_stages **out,
                       struct expanded *expanded,
                       const struct profile *profile,
                       const char *type,
                       struct mapcore_error *err);
void type_stages_destroy(struct type_stages *stages);
/* What makes the phases; borrows stages, which may be NULL. A mapping costs
 * O(flows + calls x hosts). */
struct mapcore_staging type_stages_staging(const struct type_stages *stages);

#endif
