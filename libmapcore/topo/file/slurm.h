/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* slurm.h - what the readers of Slurm's kinds of topology share */
#ifndef MAPCORE_TOPO_SLURM_H
#define MAPCORE_TOPO_SLURM_H

#include "topo/ops.h"

/* What follows "key=" in a word, whatever the case of the key; or NULL. */
const char *slurm_value(const char *word, const char *key);

/* All lines to the end of the text without comments, the first of which may
 * have been read already (else NULL); one that ends in a backslash goes on in
 * the next. Ends with the first failure of take. */
int slurm_lines(struct text *text,
                char *first_line,
                int (*take)(void *arg, char *line),
                void *arg,
                struct mapcore_error *err);

/* Blocks, rings and tori. Errors: EPARSE, ERANGE, ENOMEM. */
bool slurm_is_shape(const char *line);
int slurm_read_shapes(struct mapcore_topo **out,
                      struct text *text,
                      char *first_line,
                      struct mapcore_error *err);

#endif
