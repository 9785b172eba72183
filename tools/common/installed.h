/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* installed.h - where the files lie that were installed with this program */
#ifndef TOOLS_INSTALLED_H
#define TOOLS_INSTALLED_H

#include "base/buffer.h"

/* Appends the path of FOLDER/NAME, folder being one that configure has fixed.
 * An installation may have been moved below another folder as a whole (a staged
 * or relocated one): what stands before BINDIR/topomap in our own path stands
 * before the other's too. Errors: ENOMEM. */
int installed_path(struct buffer *out,
                   const char *folder,
                   const char *name,
                   struct mapcore_error *err);

#endif
