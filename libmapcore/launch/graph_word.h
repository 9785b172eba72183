/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* graph_word.h - what a word for a task graph means: a type of call of a
 * profile, a file, a pattern, or a plan that needs none; the same for srun and
 * `topomap plan` */
#ifndef LAUNCH_GRAPH_WORD_H
#define LAUNCH_GRAPH_WORD_H

#include <stdbool.h>
#include <stddef.h>

/* What a program is told that trains by NCCL, without MPI. */
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
/* How long the first word of a list with commas is: those of llm: are its own.
 */
size_t graph_word_length(const char *text);

#endif
