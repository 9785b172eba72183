/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* topology.h - the network as slurmctld knows it */
#ifndef PLUGIN_TOPOLOGY_H
#define PLUGIN_TOPOLOGY_H

/* Asks slurmctld, which has so many seconds, for the lines that `scontrol show
 * topology` prints, owned, "" when Slurm has none; NULL: it did not answer. */
char *topology_ask(double seconds);

#endif
