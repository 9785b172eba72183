/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* merge.h - measured rates put into a site file that somebody else wrote */
#ifndef TOOLS_CALIBRATE_MERGE_H
#define TOOLS_CALIBRATE_MERGE_H

#include "base/error.h"

/* ports, nic_rate, memory_rate and what messages take of the site file
 * `measured` take the place of those of the site file `path`, or come behind
 * its last key. All else of it stays, to the byte; what it was is path~ then,
 * and it has its mode. Either all is done or nothing. Errors: as site_read, of
 * both; ENOENT (nothing was measured), ETRUST (path is a symlink, or no regular
 * file), EIO, ENOMEM. */
int calibrate_merge(const char *path,
                    const char *measured,
                    struct mapcore_error *err);

#endif
