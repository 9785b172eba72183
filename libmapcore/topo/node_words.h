/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* node_words.h - bounds on hwloc's synthetic descriptions of a node */
#ifndef MAPCORE_TOPO_NODE_WORDS_H
#define MAPCORE_TOPO_NODE_WORDS_H

#include "base/error.h"

/* hwloc takes longer than a quadratic of them: 4,096 threads, a few times what
 * any node has, in three seconds at worst. */
enum { NODE_THREADS_MOST = 4096 };

/* Refuses what hwloc takes minutes or gigabytes for: more hardware threads
 * than that, an index from 65,536 on, and a list that names one twice, of which
 * hwloc prints a page of its own. Errors: ERANGE, EINVAL. */
int node_words_check(const char *description, struct mapcore_error *err);

#endif
