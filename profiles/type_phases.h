/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* type_phases.h - the phases of a type of collective, as the MPI library runs
 * it: one communicator after the other, stage after stage */
#ifndef PROFILES_TYPE_PHASES_H
#define PROFILES_TYPE_PHASES_H

#include "graph/phases.h"
#include "profiles/profile.h"
#include "profiles/type_stages.h"

/* As call_rounds_phases puts them together. recorded: the type's graph of the
 * profile, of which this is a better account. phase: of that of the program
 * alone, with its graph; NULL: of all together. *stages, which may be NULL: not
 * wanted, as type_stages_create has them. Errors: those of expand_flows, of
 * which ENOENT (no collectives of equal blocks are known) and ERANGE (too many
 * messages) mean that there is nothing better. */
int type_phases(struct mapcore_phases **out,
                struct type_stages **stages,
                const struct profile *profile,
                const char *folder,
                const struct profile_phase *phase,
                const char *type,
                const struct mapcore_graph *recorded,
                struct mapcore_error *err);

#endif
