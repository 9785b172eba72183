/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* compare_rows.h - a row a mapping: what it comes to, and what the search for
 * it took */
#ifndef TOOLS_COMPARE_ROWS_H
#define TOOLS_COMPARE_ROWS_H

#include "tools/common/graphs.h"
#include "tools/common/inputs.h"
#include "tools/common/timed_search.h"

/* The word for what topomap map does without --mapper. */
#define COMPARE_PORTFOLIO "portfolio"

struct compare_row {
    const char *word;                /* as typed, borrowed */
    const char *title;               /* its last part */
    struct mapcore_mapping *mapping; /* owned; NULL: none (yet) */
    struct mapcore_metrics metrics;
    double time;     /* of all types, comparison_unit() says in what */
    bool is_file;    /* no search, and the three below mean nothing */
    double search_s; /* on the clock */
    uint64_t work;   /* units that counted */
    bool was_cut;    /* by time, work or a signal */
    char found[SEARCH_MAPPER_TEXT]; /* the mapper that the mapping is of */
    double key;                     /* what rows are sorted by */
    size_t given;                   /* its place on the command line */
};

/* What all rows are measured by. */
struct compare_scale {
    const struct inputs *inputs;
    struct graph_types types;
    double *block;           /* [types.n] the time of the block layout, owned */
    enum quantity_time unit; /* of times */
};
/* After a failure compare_scale_close is due all the same. Errors: those of
 * graphs_open_types and mapcore_estimate_compute. */
int compare_scale_open(struct compare_scale *out,
                       const struct inputs *inputs,
                       struct mapcore_error *err);
void compare_scale_close(struct compare_scale *scale);

/* Reads the mapping of a row whose word is a file, or sees that the word is a
 * mapper's: before any search, so that a slip costs none. Errors: those of
 * mapping_word_open. */
int compare_row_prepare(struct compare_row *row,
                        const struct inputs *inputs,
                        struct mapcore_error *err);
/* Searches where there is no mapping yet, and measures. *signal: what ended the
 * search, or 0. Errors: those of the search. */
int compare_row_fill(struct compare_row *row,
                     int *signal,
                     const struct compare_scale *scale,
                     const struct mapcore_search *how,
                     const struct timed_search *which,
                     struct mapcore_error *err);
/* Whether --time or --work should bound the search for a word: what searches
 * until it is told to end. */
bool compare_needs_bound(const char *word);

enum compare_sort {
    COMPARE_TIME,
    COMPARE_LINKS,
    COMPARE_TASK,
    COMPARE_BUSIEST,
    COMPARE_SEARCH,
    COMPARE_GIVEN,
};
/* Ascending; of equals the first that was given; those without a mapping
 * last. */
void compare_rows_sort(struct compare_row *row, size_t n, enum compare_sort by);
void compare_rows_close(struct compare_row *row, size_t n);

#endif
