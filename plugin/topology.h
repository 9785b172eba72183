/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* topology.h - Slurm's own description of the network */
#ifndef PLUGIN_TOPOLOGY_H
#define PLUGIN_TOPOLOGY_H

/* The lines that `scontrol show topology` prints, owned; NULL when Slurm has
 * none or does not answer. */
char *topology_text(void);

#endif
