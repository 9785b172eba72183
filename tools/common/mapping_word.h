/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mapping_word.h - the mapping that a word of --mapping means */
#ifndef TOOLS_MAPPING_WORD_H
#define TOOLS_MAPPING_WORD_H

#include "alloc/mapping.h"
#include "tools/common/inputs.h"

#include <stdbool.h>

/* A mapper, as --mapper of topomap map takes it, run once with seed 1; or a
 * file of any form of mapcore-graph(5), for certain when there is a slash in
 * it. *out is owned. Errors: those of the readers and searches; EINVAL
 * (another number of tasks than the graph has). */
int mapping_word_open(struct mapcore_mapping **out,
                      const char *word,
                      const struct inputs *inputs,
                      struct mapcore_error *err);

/* Whether a word is a mapper's, with parameters or without. */
bool mapping_word_is_mapper(const char *word);

#endif
