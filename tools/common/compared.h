/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* compared.h - the mappings that a command compares: the block layout, then
 * those of --mapping */
#ifndef TOOLS_COMPARED_H
#define TOOLS_COMPARED_H

#include "alloc/mapping.h"
#include "tools/common/inputs.h"
#include "tools/common/tool.h"

/* What is less is not worth moving ranks for, as for topomap plan. */
#define COMPARED_WORTH 0.01

struct compared {
    const char *name; /* "block", or the word; borrowed */
    struct mapcore_mapping *mapping;
};

/* Opens words, as mapping_word.h takes them, into *out[words->n + 1], which
 * compared_close ends. Errors: as mapping_word_open, ENOMEM. */
int compared_open(struct compared **out,
                  const struct tool_list *words,
                  const struct inputs *inputs,
                  struct mapcore_error *err);
/* n: elements; compared may be NULL. */
void compared_close(struct compared *compared, size_t n);

/* The fastest of time[n], or 0, block, where none is faster by
 * COMPARED_WORTH. */
size_t compared_best(const double *time, size_t n);

#endif
