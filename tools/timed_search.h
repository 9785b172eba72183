/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* timed_search.h - a search with an end: by time, or by a signal; and its
 * options */
#ifndef TOOLS_SEARCH_H
#define TOOLS_SEARCH_H

#include "map/map.h"

/* The options that map and plan share, as typed. */
struct search_options {
    enum mapcore_choice choose;
    double alpha;                     /* 0: not said */
    double time_s;                    /* 0: not said */
    uint64_t work;                    /* 0: not said */
    struct mapcore_schedule schedule; /* all 0: not said */
    uint64_t seed;                    /* 0: not said */
    unsigned threads;                 /* 0: not said */
};
/* Values for getopt_long; no characters, so that they clash with none. */
enum {
    SEARCH_CHOOSE = 1000,
    SEARCH_ALPHA,
    SEARCH_TIME,
    SEARCH_WORK,
    SEARCH_SCHEDULE,
    SEARCH_SEED,
    SEARCH_THREADS,
};
/* clang-format off */
#define SEARCH_LONG_OPTIONS                                                    \
    {"choose", required_argument, NULL, SEARCH_CHOOSE},                        \
    {"alpha", required_argument, NULL, SEARCH_ALPHA},                          \
    {"time", required_argument, NULL, SEARCH_TIME},                            \
    {"work", required_argument, NULL, SEARCH_WORK},                            \
    {"schedule", required_argument, NULL, SEARCH_SCHEDULE},                    \
    {"seed", required_argument, NULL, SEARCH_SEED},                            \
    {"threads", required_argument, NULL, SEARCH_THREADS}
/* clang-format on */
/* Takes one of them; false after a usage error, which is printed. */
bool search_take_option(struct search_options *out,
                        const char *command,
                        int c,
                        const char *argument);

/* The schedule as --schedule takes it, into text[SEARCH_SCHEDULE_TEXT]; empty
 * where there was none. */
#define SEARCH_SCHEDULE_TEXT 40
void search_print_schedule(char *text, const struct mapcore_schedule *schedule);

/* How a search may end before its list does. */
struct search_bounds {
    double deadline; /* on tool_now()'s clock; 0: none */
    bool signals;    /* INT, TERM and HUP end the search instead of us */
    bool progress;   /* time left on stderr, if that is a terminal */
};

/* mapcore_search_run with these bounds; *signal (may be NULL) is the signal
 * that ended it, or 0. expired, spent and progress of search are set
 * here. */
int search_run(struct mapcore_result *out,
               int *signal,
               const struct mapcore_graph *graph,
               const struct mapcore_alloc *alloc,
               struct mapcore_search *search,
               const struct search_bounds *bounds,
               struct mapcore_error *err);

#endif
