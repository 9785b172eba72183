/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* binding.h - the CPUs of a host's tasks, by their slots */
#ifndef PLUGIN_BINDING_H
#define PLUGIN_BINDING_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct cpuset_machine;

/* The places of n tasks on a host, slot by slot in depth-first order, made of
 * the masks that Slurm has computed, as SLURM_CPU_BIND_LIST has them: one a
 * task are put in order; one for all of them is divided. out[n]: owned texts.
 * Errors: EPARSE (another number of masks, or one that cpuset_order refuses),
 * ENOMEM. */
int binding_by_slot(char **out,
                    const struct cpuset_machine *machine,
                    const char *list,
                    uint32_t n,
                    struct mapcore_error *err);

struct binding {
    uint32_t nlocal;      /* tasks of this host */
    const uint32_t *slot; /* [nlocal] */
    const char *list;     /* the masks that Slurm computed, or NULL */
    const char *tree;     /* levels that the slots were planned for, as
                             cpuset_machine_describe has them, or NULL */
    const char *cores; /* Slurm's numbers of the step's cores, or NULL: without
                          masks, tasks that are confined to them are bound */
};

/* *list (owned): the masks of all local tasks in task order, as
 * SLURM_CPU_BIND_LIST wants them. masks: as Slurm writes them. Errors: of
 * binding_by_slot. */
int binding_masks(char **list,
                  const struct cpuset_machine *machine,
                  const char *masks,
                  const struct binding *binding,
                  struct mapcore_error *err);

/* The same for the machine that this is, from the masks of Slurm or the cores
 * of the step; each has been tried on the calling process, whose affinity is as
 * it was. NULL when Slurm has neither bound nor confined the tasks, and, with
 * *is_other set, when this machine is not the tree that was planned for
 * (is_other may be NULL where tree is). Errors: as above, of
 * cpuset_machine_open and of affinity_apply. */
int binding_make(char **list,
                 bool *is_other,
                 const struct binding *binding,
                 struct mapcore_error *err);

/* Such a list in words, "1 on 0; 5 on 8,24" (rank on CPUs), owned; once it is
 * longer than most, the rest is "and 7 more". Errors: EPARSE, ENOMEM. */
int binding_describe(char **out,
                     const char *list,
                     const uint32_t *rank,
                     uint32_t nlocal,
                     size_t most,
                     struct mapcore_error *err);

#endif
