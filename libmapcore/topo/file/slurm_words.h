/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* slurm_words.h - the lines of Slurm's topology.conf and their KEY=VALUE
 * words */
#ifndef MAPCORE_TOPO_SLURM_WORDS_H
#define MAPCORE_TOPO_SLURM_WORDS_H

#include "base/text.h"

/* What follows "key=" in a word, whatever the case of the key; or NULL. */
const char *slurm_words_value(const char *word, const char *key);

/* Calls take with each line to the end of the text, the first of which may have
 * been read already (else NULL), without its comment; a line that ends in a
 * backslash goes on in the next. Ends with the first failure of take, which is
 * returned, or with one of the text. */
int slurm_words_lines(struct text *text,
                      char *first_line,
                      int (*take)(void *arg, char *line),
                      void *arg,
                      struct mapcore_error *err);

#endif
