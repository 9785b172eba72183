/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* draw_subject.h - what pictures are of: a program's traffic, a network and
 * mappings side by side */
#ifndef TOOLS_DRAW_DRAW_SUBJECT_H
#define TOOLS_DRAW_DRAW_SUBJECT_H

#include "profiles/profile.h"
#include "tools/eval/eval_mappings.h"
#include "tools/inputs/inputs.h"

/* What a search tells, as it comes: a mapping that was tried, whose mapper is
 * named ("rb", "rb, refined": with any parameters), or, where none is,
 * that the best one so far got better, and after how much work. */
struct search_event {
    double seconds; /* since the search began */
    uint64_t work;
    double hops_per_byte;
    char mapper[48];
};

/* Starts as all zero but start and best. */
struct search_trace {
    double start, seconds; /* when it began, on any clock; how long it took */
    uint64_t work;         /* in all */
    char mapper[128];      /* that the result comes from */
    double best;           /* of the last event without a mapper */
    size_t n, capacity;
    struct search_event *event; /* [n] */
};

struct draw_subject {
    struct mapcore_error *err; /* of the caller */
    /* As typed, borrowed. */
    struct inputs inputs;
    struct tool_list mappings, catalogues;
    const char *config;
    uint32_t nodes; /* that are drawn inside; 0: six lines of them */
    double seconds; /* of the search, where no mapping is named */
    /* Made by draw_subject_open. */
    char *folder;              /* of a profile; NULL: it is none */
    struct profile *profile;   /* its profile.json */
    struct eval_mapping *side; /* [nsides], the first one "before" */
    size_t nsides;
    struct search_trace search; /* that made the last one; n 0: none did */
};

/* Finds the profile, if the operand means one, reads the graph, and, where a
 * topology is named, that, the nodes and the mappings: those of --mapping, or,
 * without, block and what a search finds. After a failure draw_subject_close is
 * due all the same. Errors: those of inputs_open, profile_select, the
 * mappings'. */
int draw_subject_open(struct draw_subject *subject);
/* Only the profile. Errors: also EINVAL (it is a graph, no profile). */
int draw_subject_open_profile(struct draw_subject *subject);
void draw_subject_close(struct draw_subject *subject);

/* How people call it: the program, or the file. */
const char *draw_subject_name(const struct draw_subject *subject);

#endif
