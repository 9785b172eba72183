/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hardware.h - what is asked of hwloc, which is loaded when it is asked: with
 * it srun took 0.13 ms of CPU time more to load the plugin, needed or not */
#ifndef PLUGIN_TASK_HARDWARE_H
#define PLUGIN_TASK_HARDWARE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* The only symbol of topomap-hwloc.so, in the folder of topomap.so. */
#define HARDWARE_FILE   "topomap-hwloc.so"
#define HARDWARE_SYMBOL "topomap_hardware"

/* Masks are hexadecimal texts as Slurm writes them: 0xff00, bit = number that
 * the operating system gives a hardware thread (PU). */
struct binding {
    uint32_t nlocal;      /* tasks of this host */
    const uint32_t *slot; /* [nlocal] */
    const char *list;     /* the masks that Slurm computed, or NULL */
    const char *tree;     /* levels that the slots were planned for, or NULL */
    const char *cores;    /* without masks: Slurm's numbers of the step's cores,
                             "0-3,8", depth-first; tasks that are confined to them
                             are bound; or NULL */
};

struct hardware {
    /* PACKAGE_VERSION: an upgrade may have put another one there. */
    const char *version;
    /* *list (owned): the masks of all local tasks in task order, as
     * SLURM_CPU_BIND_LIST wants them, made of those that Slurm computed or of
     * the step's cores. One a task are put in the order of the slots, which is
     * that of their first PUs in the hardware tree, depth-first. One for all is
     * divided in that order: pieces keep to sockets, caches and cores as long
     * as there are enough of them, cores are split into threads only when tasks
     * outnumber cores, and every PU is in a piece; when tasks outnumber PUs,
     * each gets the whole mask. All have been tried on the calling process,
     * whose affinity is as it was. NULL when Slurm has neither bound nor
     * confined the tasks, and, with *is_other set, when this machine is not the
     * tree that was planned for (is_other may be NULL where tree is). Errors:
     * EPARSE (another number of masks, not hexadecimal, empty, or without a PU
     * of this machine), EIO (hwloc), those of affinity_apply. */
    int (*make)(char **list,
                bool *is_other,
                const struct binding *binding,
                struct mapcore_error *err);
    /* Such a list in words, "1 on 0; 5 on 8,24" (rank on CPUs), owned; once it
     * is longer than most, the rest is "and 7 more". Errors: EPARSE, ENOMEM. */
    int (*describe)(char **out,
                    const char *list,
                    const uint32_t *rank,
                    uint32_t nlocal,
                    size_t most,
                    struct mapcore_error *err);
    /* The levels of this machine down to PUs, as hwloc's synthetic descriptions
     * have them, "Package:2 L3Cache:4 Core:8 PU:2", without memory and
     * attributes; owned. Errors: ENOTSUP (objects of one level that differ
     * inside), EIO, ENOMEM. */
    int (*levels)(char **out, struct mapcore_error *err);
};
extern const struct hardware topomap_hardware
    __attribute__((visibility("default")));

/* Loads it into a task, or into what goes on to end: nothing is unloaded, and
 * from now on hwloc loads no libxml2, OpenCL or X11, to no end. *out is static.
 * Errors: EIO (it is not there, or hwloc is not), EVERSION. */
int hardware_open(const struct hardware **out, struct mapcore_error *err);

#endif
