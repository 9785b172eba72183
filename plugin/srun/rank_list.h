/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rank_list.h - what programs are told of where their ranks went, who look at
 * node names and numbers instead of asking MPI */
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

/* *master: the node of rank 0. *nodes: the number of each host, as RUNS
 * (launch/runs.h), hosts counted in the order of their lowest ranks; one
 * without ranks gets a number behind them. *ranks: "RANK NODE" lines. All owned
 * by the caller. Errors: those of hosts_expand, ENOMEM. */
int rank_list_make(char **master,
                   char **nodes,
                   char **ranks,
                   const struct rank_list *list,
                   struct mapcore_error *err);

#endif
