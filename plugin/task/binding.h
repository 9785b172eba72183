/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* binding.h - the CPUs of one task, by the slots of its host */
#ifndef PLUGIN_BINDING_H
#define PLUGIN_BINDING_H

#include "base/error.h"

struct binding {
    uint32_t nlocal, local; /* tasks of this host, and which of them we are */
    const uint32_t *slot;   /* [nlocal] */
    const char *list;       /* the masks that Slurm computed, or NULL */
    const char *cores; /* Slurm's numbers of the step's cores, or NULL: without
                          masks, a task that is confined to them is bound */
};

/* Binds the calling process. *list (owned): the masks of all local tasks in
 * task order, as SLURM_CPU_BIND_LIST wants them; NULL when Slurm has neither
 * bound nor confined the tasks, and nothing was done. The first task of a host
 * tries the masks of the others, too, so that it can speak for all. On failure
 * the affinity is as it was. Errors: of cpuset_by_slot and cpuset_apply. */
int binding_apply(char **list,
                  const struct binding *binding,
                  struct mapcore_error *err);

#endif
