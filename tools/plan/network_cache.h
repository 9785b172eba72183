/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* network_cache.h - what slurmctld has said of its network, in
 * profiles/cache.h, so that few launches ask it */
#ifndef TOOLS_NETWORK_CACHE_H
#define TOOLS_NETWORK_CACHE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* "private:127.0.0.1:6817:9728:109 all", "private all" */
#define NETWORK_CACHE_OF 512

/* The network of this process's job, as srun's environment names it: cluster
 * (before Slurm 24.11 also host and port of its slurmctld, and its protocol),
 * and the partition, of which each may have a network of its own. False: it is
 * not named, and so not to be told from others. */
bool network_cache_of(char of[NETWORK_CACHE_OF]);

/* Slurm's lines in n bytes of such a file, borrowed, "" where it has none; NULL
 * where it is no whole file, or one of another network. text[n] is NUL. */
const char *network_cache_parse(const char *text, size_t n, const char *of);

/* *out (owned) is what was said, *age_s seconds ago, below 0 where clocks
 * differ. Errors: ENOENT, ETRUST, EPARSE and others: there is none to be had.
 */
int network_cache_read(char **out,
                       double *age_s,
                       const char *root,
                       const char *of,
                       struct mapcore_error *err);

/* Errors: ERANGE (too large to be kept), ETRUST, EIO, ENOMEM. */
int network_cache_write(const char *root,
                        const char *of,
                        const char *lines,
                        struct mapcore_error *err);

#endif
