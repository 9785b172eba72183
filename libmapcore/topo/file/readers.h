/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* readers.h - the readers of network files, one a format; topo_open.c chooses
 * among them by the first line */
#ifndef MAPCORE_TOPO_READERS_H
#define MAPCORE_TOPO_READERS_H

#include "base/text.h"

#include <stdbool.h>

struct mapcore_topo;

/* Each goes on behind the line that was read. Errors: EPARSE with file and
 * line, EINVAL, ERANGE, ENOMEM. */

/* A word such as torus:4x4, then lines of hosts; line: the first. Errors: the
 * name of the file without a line for what is no line's fault. */
int topo_read_spec(struct mapcore_topo **out,
                   struct text *text,
                   char *line,
                   struct mapcore_error *err);

/* A list of links, mapcore-topology(5); rest: of the first line, behind the
 * word links. */
int topo_read_links(struct mapcore_topo **out,
                    struct text *text,
                    const char *rest,
                    struct mapcore_error *err);

/* What ibnetdiscover(8) prints. */
bool topo_is_ibnetdiscover(const char *first_line);
int topo_read_ibnetdiscover(struct mapcore_topo **out,
                            struct text *text,
                            struct mapcore_error *err);

/* Slurm's topology.yaml. Errors: also ENOTSUP (a build without libyaml). */
int topo_read_yaml(struct mapcore_topo **out,
                   struct text *text,
                   const char *first_line,
                   struct mapcore_error *err);

/* Slurm's topology.conf, also as scontrol prints it; first_line: read already,
 * or NULL. Errors: as mapcore_topo_parse_slurm. */
int topo_read_slurm(struct mapcore_topo **out,
                    struct text *text,
                    char *first_line,
                    struct mapcore_error *err);

#endif
