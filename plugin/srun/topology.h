/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* topology.h - the network as slurmctld knows it */
#ifndef PLUGIN_TOPOLOGY_H
#define PLUGIN_TOPOLOGY_H

/* The lines that `scontrol show topology` prints, owned; NULL when Slurm has
 * none or does not answer within so many seconds. */
char *topology_text(double seconds);

#endif
