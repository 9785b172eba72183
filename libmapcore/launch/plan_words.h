/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_words.h - the words of a launch: a task graph, unit= and pin=; the same
 * for srun and `topomap plan` */
#ifndef LAUNCH_PLAN_WORDS_H
#define LAUNCH_PLAN_WORDS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* For a program that trains by NCCL, without MPI. */
#define GRAPH_WORD_LLM "--topomap=llm:tp=T,pp=P,dp=D"

/* Whether a word means a file, not a graph of the profile: it has a / in it, or
 * ends in .graph, .grf, .mtx or .edges. */
bool graph_word_is_file(const char *word);
/* Whether it is a pattern, grid:4x4, llm:tp=8, ring, alltoall and what may
 * follow: neither of them. */
bool graph_word_is_pattern(const char *word);
/* The path behind plan:, of a plan that was made before
 * (tools/plan/plan_file.h), or NULL where the word is no such. */
const char *graph_word_plan(const char *word);
/* Whether it is one of these three, for which no profile is needed. */
bool graph_word_is_whole(const char *word);
/* How long the first word of a list with commas is: those of llm: are its own.
 */
size_t graph_word_length(const char *text);

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
