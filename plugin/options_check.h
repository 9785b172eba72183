/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* options_check.h - the files that options name */
#ifndef PLUGIN_OPTIONS_CHECK_H
#define PLUGIN_OPTIONS_CHECK_H

#include "launch/catalogue_root.h"
#include "plugin/options.h"

/* What the options alone tell of a launch that cannot be mapped or recorded: a
 * file that is not there, no catalogue at all: neither the user's own, by env,
 * nor one of the site's; site_file may name one, and only `topomap` reads it.
 * asks is told each path before it is looked at, which may take for ever.
 * Errors: ENOENT. */
int options_check(const struct options *options,
                  const struct plugstack *plugstack,
                  const struct catalogue_env *env,
                  const char *site_file,
                  void (*asks)(const char *path),
                  struct mapcore_error *err);

#endif
