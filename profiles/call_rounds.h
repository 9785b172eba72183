/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* call_rounds.h - which calls go on at once: those of communicators that share
 * no task */
#ifndef PROFILES_CALL_ROUNDS_H
#define PROFILES_CALL_ROUNDS_H

#include "graph/phases.h"
#include "profiles/expanded.h"

/* Calls that are alike, on communicators that share no task, go on at once;
 * those on others, such as the rows and the columns of a grid, follow each
 * other. Which are which is seen by their sizes, by how far apart their tasks
 * are numbered, and by what they send. A stage of all calls on a communicator
 * is one phase. The stages of expanded become the numbers of phases. Errors:
 * EINVAL, ENOMEM. */
int call_rounds_phases(struct mapcore_phases **out,
                       uint32_t ntasks,
                       struct expanded *expanded,
                       struct mapcore_error *err);

#endif
