/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* topology.h - the network as slurmctld knows it */
#ifndef PLUGIN_TOPOLOGY_H
#define PLUGIN_TOPOLOGY_H

struct child;

/* Asks slurmctld, which has so many seconds; NULL when it cannot be asked. */
struct child *topology_ask(double seconds);

/* The lines that `scontrol show topology` prints, owned; NULL when Slurm has
 * none or did not answer. Releases child, which may be NULL. */
char *topology_take(struct child *child);

#endif
