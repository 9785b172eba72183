/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* own_spool.h - the spool of a recording that neither srun nor slurmstepd knows
 * of: the processes beside its tasks leave there what is not handed over */
#ifndef TOOLS_OWN_SPOOL_H
#define TOOLS_OWN_SPOOL_H

#include "base/error_set.h"

/* Makes the catalogue's folder, and below it .spool-UID/PID.0-N, which
 * collect_spool files. *out owned. Errors: EIO (cannot be written, belongs to
 * somebody else), ENOMEM. */
int own_spool_make(char **out, const char *root, struct mapcore_error *err);

/* The launcher has ended, and its tasks with it: returns as soon as a profile
 * is filed, or all tasks have left what they had, or nothing has come for some
 * seconds. */
void own_spool_wait(const char *spool);

#endif
