/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cpuset.h - slot -> CPUs: masks put into the order of the hardware tree, or
 * one mask divided among tasks; hwloc stays behind this door */
#ifndef PLUGIN_CPUSET_H
#define PLUGIN_CPUSET_H

#include "base/error.h"

/* Masks are hexadecimal texts as Slurm writes them: 0xff00, bit = number that
 * the operating system gives a hardware thread (PU). */

/* The hardware tree of a machine. */
struct cpuset_machine;

/* This machine (synthetic NULL), or the one that an hwloc synthetic description
 * or, when it begins with '<', XML text describes. I/O objects are left out:
 * their discovery has hung inside slurmstepd. Errors: EIO, EINVAL, ENOMEM. */
int cpuset_machine_open(struct cpuset_machine **out,
                        const char *description,
                        struct mapcore_error *err);
void cpuset_machine_close(struct cpuset_machine *machine);

/* Its levels down to hardware threads, as hwloc's synthetic descriptions have
 * them, "Package:2 L3Cache:4 Core:8 PU:2", without memory and attributes,
 * owned. Errors: ENOTSUP (objects of one level that differ inside), ENOMEM. */
int cpuset_machine_describe(char **out,
                            const struct cpuset_machine *machine,
                            struct mapcore_error *err);

/* order[n]: the masks' indices, sorted by the depth-first place of their first
 * PU, then of the second ..., ties by index. Errors: EPARSE (not hexadecimal,
 * empty, or without a PU of this machine), ENOMEM. */
int cpuset_order(uint32_t *order,
                 const struct cpuset_machine *machine,
                 const char *const *masks,
                 uint32_t n,
                 struct mapcore_error *err);

/* Divides mask into n, in depth-first order: pieces keep to sockets, caches and
 * cores as long as there are enough of them, cores are split into threads only
 * when tasks outnumber cores, and every PU of mask is in a piece; when tasks
 * outnumber PUs, each gets the whole mask. out[n]: owned texts. Errors: as
 * cpuset_order. */
int cpuset_divide(char **out,
                  const struct cpuset_machine *machine,
                  const char *mask,
                  uint32_t n,
                  struct mapcore_error *err);

/* The PUs of cores, a list such as "0-3,8" of depth-first core numbers (Slurm's
 * abstract ids). Errors: EPARSE, ERANGE (a core that is not there), ENOMEM. */
int cpuset_of_cores(char **out,
                    const struct cpuset_machine *machine,
                    const char *cores,
                    struct mapcore_error *err);

/* A mask in the numbers of its PUs, "0-3,8". Errors: EPARSE, ENOMEM. */
int cpuset_list(char **out, const char *mask, struct mapcore_error *err);

/* Whether two masks hold the same PUs; false when one is no mask. */
_Bool cpuset_equal(const char *a, const char *b);

#endif
