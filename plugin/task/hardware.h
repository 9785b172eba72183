/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hardware.h - what is asked of hwloc, which is loaded when it is asked: with
 * it srun took 0.13 ms of CPU time more to load the plugin, whoever needs it */
#ifndef PLUGIN_TASK_HARDWARE_H
#define PLUGIN_TASK_HARDWARE_H

#include "plugin/task/binding.h"

/* The only symbol of topomap-hwloc.so, beside topomap.so. */
#define HARDWARE_FILE   "topomap-hwloc.so"
#define HARDWARE_SYMBOL "topomap_hardware"

struct hardware {
    /* PACKAGE_VERSION: an upgrade may have put another one there. */
    const char *version;
    /* binding.h */
    int (*make)(char **list,
                bool *is_other,
                const struct binding *binding,
                struct mapcore_error *err);
    int (*describe)(char **out,
                    const char *list,
                    const uint32_t *rank,
                    uint32_t nlocal,
                    size_t most,
                    struct mapcore_error *err);
    /* This machine, as cpuset_machine_describe has it; owned. */
    int (*levels)(char **out, struct mapcore_error *err);
};

/* Loads it into a task, or into what goes on to end: nothing is unloaded, and
 * from now on hwloc loads no libxml2, OpenCL or X11, to no end. *out is static.
 * Errors: EIO (it is not there, or hwloc is not), EVERSION. */
int hardware_open(const struct hardware **out, struct mapcore_error *err);

#endif
