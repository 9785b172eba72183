/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rank_list.h - where ranks went, for programs that look at names and numbers
 * of nodes instead of asking MPI */
#ifndef PLUGIN_RANK_LIST_H
#define PLUGIN_RANK_LIST_H

#include "base/error.h"

/* Hosts 0 .. nhosts-1 of nodelist (Slurm's expression); host: [ntasks] that of
 * each rank. */
struct rank_list {
    const char *nodelist;
    uint32_t ntasks, nhosts;
    const uint32_t *host;
};

/* All owned. */
struct rank_texts {
    char *master; /* the node of rank 0 */
    char *nodes;  /* the number of each host, as RUNS (launch/runs.h): hosts
                     count in the order of their lowest ranks, and those
                     without ranks behind them */
    char *list;   /* the hosts in that order, Slurm's expression */
    char *ranks;  /* "RANK NODE" lines */
};

/* rank_texts_clear is due in any case. Errors: those of hosts_expand, ENOMEM.
 */
int rank_list_make(struct rank_texts *out,
                   const struct rank_list *list,
                   struct mapcore_error *err);
void rank_texts_clear(struct rank_texts *texts);

#endif
