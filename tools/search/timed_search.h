/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* timed_search.h - a search with an end: by time, or by a signal; and its
 * options */
#ifndef TOOLS_SEARCH_H
#define TOOLS_SEARCH_H

#include "map/map.h"
#include "tools/common/command_line.h"
#include "tools/search/constraints.h"

/* The options that map and plan share. Begin as SEARCH_DEFAULTS. */
#define SEARCH_DEFAULTS .alpha = 1.05, .seed = 1
struct timed_search_options {
    enum mapcore_choice choose;
    double alpha;
    struct timed_search_time {
        double s;     /* 0: not said */
        bool settles; /* auto: less, where more gains nothing any more */
    } time;
    uint64_t work;                    /* 0: not said */
    struct mapcore_schedule schedule; /* all 0: not said */
    uint64_t seed;
    uint32_t threads; /* 0: not said */
    struct constraints constraints;
};
/* All of them but --time, whose default is the command's. */
extern const struct option_row timed_search_rows[];
/* SECONDS, auto or auto:SECONDS into a struct timed_search_time, for the row of
 * --time. Errors: EINVAL. */
int timed_search_take_time(void *at,
                           const char *text,
                           struct mapcore_error *err);
/* The time that --time=auto stands for where it says no number: of a search
 * that takes `least` seconds else, and `most` at most, 0: DEFAULTS_AUTO_MOST.
 */
double timed_search_auto(double least, double most);
#define SEARCH_TIME_LEAST 0.001
#define SEARCH_TIME_MOST  1e6
/* Where there are SEARCH_DIVIDED_S seconds or more, several searches of growing
 * time are made, the first of which takes SEARCH_FIRST_S; less than the share
 * SEARCH_SETTLED of what is chosen by is no gain, and SEARCH_IDLE without one
 * in a row are enough. */
#define SEARCH_DIVIDED_S 3.0
#define SEARCH_FIRST_S   0.5
#define SEARCH_SETTLED   0.01
#define SEARCH_IDLE      2

/* What a mapper chooses by, against --choose: parmapper by Pareto. */
void timed_search_settle_choice(struct timed_search_options *options,
                                const char *mapper);

/* A choice as --choose takes it. */
const char *timed_search_choice(enum mapcore_choice choice);

/* The schedule as --schedule takes it, into text[SEARCH_SCHEDULE_TEXT]; empty
 * where there was none. */
#define SEARCH_SCHEDULE_TEXT 48
void timed_search_print_schedule(char *text,
                                 const struct mapcore_schedule *schedule);
/* Back again; false for other text. */
bool timed_search_parse_schedule(struct mapcore_schedule *out,
                                 const char *argument);

/* The mapping's origin as --mapper takes it, into text[SEARCH_MAPPER_TEXT]. */
#define SEARCH_MAPPER_TEXT 112
void timed_search_print_mapper(char *text, const struct mapcore_result *result);
/* Sets candidate and is_refined from that; false for what is too long. */
bool timed_search_parse_mapper(struct mapcore_result *result, const char *text);

/* Which search, and how it may end before its list does. */
struct timed_search {
    const struct mapcore_graph *graph;
    const struct mapcore_alloc *alloc;
    const char *mapper; /* NULL: the portfolio; parmapper; else a mapper of the
                           registry with parameters, and "+refine" behind them
                           if what it gives is to be refined */
    double deadline;    /* on tool_now()'s clock; 0: none */
    bool settles; /* it is made again with twice the time, until that gains less
                     than SEARCH_SETTLED SEARCH_IDLE times, in that time */
    bool signals; /* INT, TERM and HUP end the search instead of us */
    bool progress; /* time left on stderr, if that is a terminal */
    /* Gets what a search reports, as progress of struct mapcore_search; NULL:
     * none. */
    void (*told)(void *arg, uint64_t work, const struct mapcore_metrics *best);
    /* The same, of its came. */
    void (*came)(void *arg,
                 const char *candidate,
                 bool is_refined,
                 const struct mapcore_metrics *metrics);
    void *told_arg;
    /* Of several searches: "rb, 2 of 5", or NULL; and the seconds that those to
     * come will take, where that is known. */
    const char *title;
    double later;
};

/* Whether a word is a mapper's, with parameters or without. */
bool timed_search_is_mapper(const char *word);

/* That search; *signal (may be NULL) is the signal that ended it, or 0.
 * expired, spent and progress of search are set here. */
int timed_search_run(struct mapcore_result *out,
                     int *signal,
                     const struct timed_search *which,
                     struct mapcore_search *search,
                     struct mapcore_error *err);

#endif
