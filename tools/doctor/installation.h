/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* installation.h - how this Slurm loads topomap, as the checks need to know */
#ifndef TOOLS_INSTALLATION_H
#define TOOLS_INSTALLATION_H

#include "tools/doctor/plugstack_conf.h"

#include "plugin/options.h"

#include <limits.h>

#define PLUGIN_NAME "topomap.so"
#define STUB_NAME   "topomap-options.so"
#define HWLOC_NAME  "topomap-hwloc.so"

/* The recorders that an installation may have. */
#define INSTALLATION_RECORDERS 3
extern const char *const installation_recorders[INSTALLATION_RECORDERS];

/* Starts as all zero, or with the site file that the user names; what is not
 * known is "" or NULL. */
struct installation {
    bool answers;              /* Slurm: it has told its configuration */
    char plugin_dir[PATH_MAX]; /* PluginDir, colons between folders */
    char plugstack[PATH_MAX];  /* PlugStackConfig */
    char mpi_default[64];
    struct plugstack_conf conf;
    const struct plugstack_entry *plugin, *stub; /* their lines in conf */
    struct plugstack words;                      /* the plugin's arguments */
    const char *site_file; /* that one, or what the arguments name; borrowed;
                              NULL: the one that is fixed at installation */
    char helper[PATH_MAX]; /* the topomap that the plugin runs */
    char self[PATH_MAX];   /* this one */
};

/* Asks scontrol for the configuration. Errors: EIO, with what scontrol says. */
int installation_ask_slurm(struct installation *out, struct mapcore_error *err);
/* Reads plugstack, and finds our lines. Errors: as plugstack_conf_read and
 * plugstack_parse; what could be read stands. */
int installation_read_plugstack(struct installation *installation,
                                struct mapcore_error *err);
/* The path of the topomap that runs; "" where /proc does not tell. */
void installation_find_self(char path[PATH_MAX]);
/* Where Slurm finds the plugin of a line, path[size]; false: nowhere. */
bool installation_find_plugin(char *path,
                              size_t size,
                              const struct installation *installation,
                              const struct plugstack_entry *entry);
void installation_clear(struct installation *installation);

#endif
