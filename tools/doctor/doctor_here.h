/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* doctor_here.h - what of topomap is on this node, so that nodes can be held
 * against each other */
#ifndef TOOLS_DOCTOR_HERE_H
#define TOOLS_DOCTOR_HERE_H

#include "base/buffer.h"

/* What stands in front of each line of a node, and its name. */
#define DOCTOR_HERE_MARK "topomap-doctor-here "

/* Appends a line for each thing, "helper /usr/bin/topomap 5d41402abc4b2a76":
 * plugin, helper, recorders and the site file with the first half of their
 * SHA-256, and the site's catalogues with `readable'; or with why not. config:
 * the site file, NULL for the one that plugstack.conf names, or the default.
 * Errors: ENOMEM. */
int doctor_here_collect(struct buffer *out,
                        const char *config,
                        struct mapcore_error *err);
/* The same on stdout, each line with the mark and this node's name in front. */
int doctor_here_print(const char *config, struct mapcore_error *err);

#endif
