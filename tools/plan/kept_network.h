/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* kept_network.h - what slurmctld has told of its network, ROOT/.networks/<of
 * which> in the user's own catalogue, so that few launches ask it */
#ifndef TOOLS_KEPT_NETWORK_H
#define TOOLS_KEPT_NETWORK_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

#define KEPT_NETWORK_FOLDER ".networks"
/* Networks that are kept, the newest, and bytes of one. */
#define KEPT_NETWORK_FILES 16
#define KEPT_NETWORK_MOST  ((size_t)4 << 20)
/* "private:127.0.0.1:6817:9728:109 all", "private all" */
#define KEPT_NETWORK_OF 512

/* The network of this process's job, as srun's environment names it: cluster
 * (before Slurm 24.11 also host and port of its slurmctld, and its protocol),
 * and the partition, of which each may have a network of its own. False: it is
 * not named, and so not to be told from others. */
bool kept_network_of(char of[KEPT_NETWORK_OF]);

/* Slurm's lines in n bytes of such a file, borrowed, "" where it has none; NULL
 * where it is no whole file, or one of another network. text[n] is NUL. */
const char *kept_network_parse(const char *text, size_t n, const char *of);

/* *out (owned) is what was told, *age_s seconds ago, below 0 where clocks
 * differ. What lies there is believed as a catalogue is. Errors: ENOENT,
 * ETRUST, EPARSE and others: there is none to be had. */
int kept_network_read(char **out,
                      double *age_s,
                      const char *root,
                      const char *of,
                      struct mapcore_error *err);

/* Errors: ERANGE (too large to be kept), ETRUST, EIO, ENOMEM. */
int kept_network_write(const char *root,
                       const char *of,
                       const char *lines,
                       struct mapcore_error *err);

#endif
