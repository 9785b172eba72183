/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* constraint_words.h - what unit= and pin= say: the same for srun, `topomap
 * plan` and `topomap map` */
#ifndef LAUNCH_CONSTRAINT_WORDS_H
#define LAUNCH_CONSTRAINT_WORDS_H

#include "base/error.h"

#include <stdbool.h>

/* All tasks of a node. */
#define UNIT_NODE UINT32_MAX

/* "rank" (1), "node" (UNIT_NODE) or a number of tasks. False: none of them. */
bool unit_word_parse(uint32_t *out, const char *word);

/* An item of "0-7+12@n5": ranks first .. last, and the node that they are for;
 * without one they stay where Slurm puts them. */
struct pin_words {
    uint32_t first, last;
    const char *node; /* into the text, nnode long, or NULL */
    size_t nnode;
};

/* Reads the item at *cursor and moves behind it and the + or comma that
 * follows; 1: there was one; 0: the end ("off" has none). Errors: EINVAL. */
int pin_words_next(struct pin_words *out,
                   const char **cursor,
                   struct mapcore_error *err);
/* Whether text is a list of such items. */
bool pin_words_check(const char *text);

#endif
