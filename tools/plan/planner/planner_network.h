/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* planner_network.h - the network that slurmctld knows, of a launch whose srun
 * can be asked for it (launch/facts.h) */
#ifndef TOOLS_PLANNER_NETWORK_H
#define TOOLS_PLANNER_NETWORK_H

#include "tools/plan/planner/planner.h"

/* Sets machine.topo, which stays NULL where Slurm has none or does not answer.
 * What is kept is as old as the site file allows, older only where slurmctld
 * does not answer. Errors: EPARSE (what it says), EIO, ENOMEM. */
int planner_ask_network(struct planner *planner, struct mapcore_error *err);

/* Keeps what slurmctld has told just now, for later launches. Behind the
 * answer: nobody waits for storage. */
void planner_keep_network(const struct planner *planner);

#endif
