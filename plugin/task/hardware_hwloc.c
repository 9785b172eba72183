/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hardware_hwloc.c - topomap-hwloc.so: what of the plugin needs hwloc */
#include "config.h"

#include "plugin/task/cpuset.h"
#include "plugin/task/hardware.h"

static int describe_levels(char **out, struct mapcore_error *err)
{
    struct cpuset_machine *machine = NULL;
    int error = cpuset_machine_open(&machine, NULL, err);

    if (error == 0)
        error = cpuset_machine_describe(out, machine, err);
    cpuset_machine_close(machine);
    return error;
}

extern const struct hardware topomap_hardware
    __attribute__((visibility("default")));
const struct hardware topomap_hardware = {
    .version = PACKAGE_VERSION,
    .make = binding_make,
    .describe = binding_describe,
    .levels = describe_levels,
};
