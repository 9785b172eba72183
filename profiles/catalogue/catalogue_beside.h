/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* catalogue_beside.h - folders that stand in the user's own catalogue beside
 * the programs: what launches remember */
#ifndef PROFILES_CATALOGUE_BESIDE_H
#define PROFILES_CATALOGUE_BESIDE_H

#include "base/own_folder.h"

/* Opens ROOT/NAME, both believed as the user's own catalogue is. *out is ended
 * by own_folder_close. Errors: ENOENT, ETRUST, EIO, ENOMEM. */
int catalogue_beside(struct own_folder **out,
                     const char *root,
                     const char *name,
                     struct mapcore_error *err);
/* The same, made where it is not there, with that mode. Errors: ETRUST, EIO,
 * ENOMEM. */
int catalogue_make_beside(struct own_folder **out,
                          const char *root,
                          const char *name,
                          unsigned mode,
                          struct mapcore_error *err);

#endif
