/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* installation.h - how this Slurm loads topomap, as the checks need to know */
#ifndef TOOLS_INSTALLATION_H
#define TOOLS_INSTALLATION_H

#include "tools/doctor/plugstack_conf.h"

#include "plugin/options.h"

#include <limits.h>

#define PLUGIN_NAME "topomap.so"
#define STUB_NAME   "topomap-options.so"

/* Starts as all zero; what is not known is "" or NULL. */
struct installation {
    char plugin_dir[PATH_MAX]; /* PluginDir, colons between folders */
    char plugstack[PATH_MAX];  /* PlugStackConfig */
    char mpi_default[64];
    struct plugstack_conf conf;
    const struct plugstack_entry *plugin, *stub; /* their lines in conf */
    struct plugstack words;                      /* the plugin's arguments */
    char helper[PATH_MAX]; /* the topomap that the plugin runs */
    char self[PATH_MAX];   /* this one */
};

/* Asks scontrol for the configuration. Errors: EIO, with what scontrol says. */
int installation_ask_slurm(struct installation *out, struct mapcore_error *err);
/* Reads plugstack, and finds our lines. Errors: as plugstack_conf_read and
 * plugstack_parse; what could be read stands. */
int installation_read_plugstack(struct installation *installation,
                                struct mapcore_error *err);
/* Where Slurm finds the plugin of a line, path[size]; false: nowhere. */
bool installation_find_plugin(char *path,
                              size_t size,
                              const struct installation *installation,
                              const struct plugstack_entry *entry);
void installation_clear(struct installation *installation);

#endif
