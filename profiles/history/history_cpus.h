/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* history_cpus.h - which CPUs each rank of a step began with: told by its nodes
 * (launch/step_files.h), gathered when it has ended, kept beside its map */
#ifndef PROFILES_HISTORY_CPUS_H
#define PROFILES_HISTORY_CPUS_H

#include "base/own_folder.h"
#include "launch/plain_name.h"

#include <stddef.h>
#include <stdint.h>

/* Of a step on more nodes none is asked: each writes a file. */
#define HISTORY_CPUS_NODES 1024

struct history_cpus_step {
    const struct own_folder *folder; /* of the history */
    struct step_name name;
};

/* Makes the folder for the nodes, without what an earlier job of that number
 * has left there. What goes wrong leaves the CPUs unknown. */
void history_cpus_begin(const struct history_cpus_step *step);
/* Reads what the nodes have told, takes it away, with what has lain there for a
 * week, and keeps it as the folder's file of that name, lines `RANK CPUS`,
 * "0-3,8" as Linux numbers CPUs. Errors: ENOENT (nobody has told anything),
 * EIO, ERANGE (too long), ENOMEM. */
int history_cpus_keep(const struct history_cpus_step *step,
                      const char *name,
                      struct mapcore_error *err);

#endif
