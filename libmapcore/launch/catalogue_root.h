/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* catalogue_root.h - where a user's own catalogue is, for the plugin, the
 * command and the recorder alike */
#ifndef MAPCORE_LAUNCH_CATALOGUE_ROOT_H
#define MAPCORE_LAUNCH_CATALOGUE_ROOT_H

#include "base/error.h"

/* The variable with the umask, in octal, of what is filed in a catalogue, where
 * the site gives one; else the process's own holds. */
#define CATALOGUE_UMASK "TOPOMAP_UMASK"

/* get: getenv, which this library does not ask by itself.
 * TOPOMAP_CATALOGUE as it stands (but for a "/./" in it,
 * profiles/catalogue/catalogue_below.h), else
 * $XDG_DATA_HOME/topomap, else $HOME/.local/share/topomap; what is empty counts
 * as unset, and so does an XDG_DATA_HOME that is relative (XDG Base Directory
 * Specification 0.8: such a path is to be ignored). The folder need not exist.
 * *out owned. Errors: ENOENT (none is set), ENOMEM. */
int catalogue_root_find(char **out,
                        char *(*get)(const char *name),
                        struct mapcore_error *err);

/* Makes a root and the folders above it. *path comes back as it was. -1: errno
 * says why not. */
int catalogue_root_make(char *path);

#endif
