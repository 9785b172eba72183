/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* readers.h - the readers of network files, one a format; topo_open.c chooses
 * among them by the first line */
#ifndef MAPCORE_TOPO_READERS_H
#define MAPCORE_TOPO_READERS_H

#include "base/text.h"

struct mapcore_topo;

/* Each goes on behind the line that was read. Errors: EPARSE with file and
 * line, EINVAL, ERANGE, ENOMEM. */

/* A word such as torus:4x4, then lines of hosts; line: the first. Errors: the
 * name of the file without a line for what is no line's fault. */
int topo_read_spec(struct mapcore_topo **out, struct text *text, char *line);

/* A list of links, mapcore-topology(5); rest: of the first line, behind the
 * word links. */
int topo_read_links(struct mapcore_topo **out,
                    struct text *text,
                    const char *rest);

/* Slurm's topology.conf, also as `scontrol show topology` prints it:
 * SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[0-3] | Switches=s[0-1]. scontrol
 * also lists under a higher switch the nodes below it: they belong to the
 * deepest switch that names them. Several roots are joined by one nameless root
 * above them. Errors: EPARSE (a node on two leaf switches, a loop, an unknown
 * switch), ERANGE, ENOMEM, ENOTSUP (other words than of switches). */
int topo_read_slurm(struct mapcore_topo **out,
                    struct text *text,
                    char *first_line);

/* Any of these. Errors: as mapcore_topo_open. */
int topo_read(struct mapcore_topo **out, struct text *text);

#endif
