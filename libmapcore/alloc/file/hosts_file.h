/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hosts_file.h - the file of --nodefile: the hosts of a job, one a line */
#ifndef MAPCORE_ALLOC_HOSTS_FILE_H
#define MAPCORE_ALLOC_HOSTS_FILE_H

#include "base/error.h"

struct mapcore_topo;

/* Reads it into *host[*n], numbers of the
 * network, which the caller owns. Errors: EPARSE with file and line (unknown,
 * twice, none at all), EIO, ENOMEM. */
int hosts_file_read(uint32_t **host,
                    uint32_t *n,
                    const struct mapcore_topo *topo,
                    const char *path,
                    struct mapcore_error *err);

#endif
