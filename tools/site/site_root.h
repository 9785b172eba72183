/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* site_root.h - the users' own catalogues, where the site file says that they
 * are */
#ifndef TOOLS_SITE_ROOT_H
#define TOOLS_SITE_ROOT_H

#include "tools/site/site.h"

/* TOPOMAP_CATALOGUE (launch/catalogue_root.h) for this user as the site file
 * says it: "/lustre/topomap/./bob"; owned. NULL: it does not say it, or the
 * user has set that variable. */
char *site_root_word(const struct site_file *site);

/* Sets it in this process, for its children, too. config: that site file, NULL:
 * the default one; one that is bad says nothing. */
void site_root_export(const struct site_file *site);
void site_root_export_of(const char *config);

/* Whether root has counted more in all catalogues of that place than
 * catalogue_quota_mb, as tools/catalogue.py leaves it there, where `own` is one
 * of them. */
bool site_root_is_full(const struct site_file *site, const char *own);

#endif
