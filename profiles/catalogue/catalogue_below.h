/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* catalogue_below.h - a user's own catalogue below a folder that the site has
 * made for all */
#ifndef PROFILES_CATALOGUE_BELOW_H
#define PROFILES_CATALOGUE_BELOW_H

#include "base/error.h"

/* The umask of what is filed: CATALOGUE_UMASK's, else own. */
unsigned catalogue_umask(unsigned own);

/* Where TOPOMAP_CATALOGUE (own; NULL: it is not set) has a "/./", as the site's
 * word has it: what is before it is root's or the user's own, and no other
 * user can rename in it what the user makes there; each folder behind it is the
 * user's alone, no link, and made where it is missing, for the user alone
 * unless CATALOGUE_UMASK allows more. Else does nothing.
 * Errors: ETRUST, EIO, naming the folder; ENOMEM. */
int catalogue_below_make(const char *own, struct mapcore_error *err);
/* Whether a folder can be that which is before it. Errors: as above. */
int catalogue_below_check_base(const char *path, struct mapcore_error *err);

#endif
