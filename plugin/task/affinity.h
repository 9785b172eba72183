/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* affinity.h - which CPUs the calling thread may use, in masks as Slurm writes
 * them */
#ifndef PLUGIN_TASK_AFFINITY_H
#define PLUGIN_TASK_AFFINITY_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Leaves the digits of (*mask)[*n], without its 0x. Errors: EPARSE (empty, too
 * long for any machine, not hexadecimal). */
int affinity_mask_check(const char **mask,
                        size_t *n,
                        struct mapcore_error *err);

/* The calling thread's affinity (owned), and its change to mask[n]. Errors:
 * EPARSE, EINVAL (the kernel refuses: outside a cgroup's cpuset, no such CPU),
 * ENOMEM. */
int affinity_current(char **out, struct mapcore_error *err);
int affinity_apply(const char *mask, size_t n, struct mapcore_error *err);

/* Whether the kernel would take each mask of a list with commas, so that one
 * task can speak for all. The thread takes the CPUs of all of them at once, for
 * one mask after the other would move it to each, to wait there for what
 * runs; its affinity is afterwards as it was. Errors: as affinity_apply, for
 * the first mask that would be refused. */
int affinity_try_all(const char *list, struct mapcore_error *err);

/* Whether two tasks that Slurm has given a mask each stay in their order, and
 * so keep these, which are not looked at: they are as far from each other
 * either way, and reading the tree costs more than all else. list: such masks,
 * or NULL; slot[n]. */
bool affinity_is_settled(const char *list, const uint32_t *slot, uint32_t n);

/* Binds the calling thread to the mask of the local-th task in a list. Errors:
 * EPARSE, and of affinity_apply. */
int affinity_take(const char *list, uint32_t local, struct mapcore_error *err);

#endif
