/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* eval.h - topomap eval: mappings, each measured as it is, type by type, link
 * by link and rank by rank */
#ifndef TOOLS_EVAL_H
#define TOOLS_EVAL_H

#include "metric/estimate.h"
#include "metric/metric.h"
#include "play/play.h"
#include "tools/eval/eval_mappings.h"
#include "tools/eval/ports_model.h"
#include "tools/inputs/inputs.h"
#include "tools/search/timed_search.h"
#include "tools/table/answer.h"
#include "tools/table/quantity.h"

/* The word for what topomap map does without --mapper. */
#define EVAL_PORTFOLIO "portfolio"

enum eval_sort {
    EVAL_GIVEN,
    EVAL_TIME,
    EVAL_HOPS,
    EVAL_TASK,
    EVAL_LINK,
    EVAL_SEARCH,
};
/* How the time of a type is found. */
enum eval_model { EVAL_LINKS, EVAL_PORTS };
/* None, as the site file says, or EVAL_PLAY_BY + an enum mapcore_routing. */
enum eval_play { EVAL_NO_PLAY, EVAL_PLAY, EVAL_PLAY_BY };

struct eval_options {
    struct inputs inputs;
    struct timed_search_options search;
    struct tool_list words;
    const char *output;
    enum eval_sort sort;
    enum mapcore_routes routes;
    enum eval_model model;
    enum eval_play play;
    enum eval_order { EVAL_RECORDED, EVAL_AT_ONCE } order;
    double merge;
    bool by_type, links, ranks;
    struct answer_form form;
};

/* A type of call under a mapping; estimated is in the unit of ports, the other
 * times are in that of the table. */
struct eval_type {
    const char *type; /* borrowed */
    double time, slowest_port, latency, messages;
    double estimated;
    struct mapcore_estimate estimate;
    struct mapcore_play play; /* of --play */
};

struct eval_row {
    const char *word;            /* as typed, borrowed */
    struct eval_mapping is;      /* without a mapping until one is found */
    struct eval_type *type;      /* [types.n], owned */
    double time;                 /* of all types */
    double gain;                 /* of the block layout's time */
    double without_busiest;      /* the time without the slowest port */
    double latency, messages;    /* of the time */
    struct mapcore_port busiest; /* the slowest port of the slowest type */
    bool is_file;    /* no search, and the three below mean nothing */
    double search_s; /* on the clock */
    uint64_t work;   /* units that counted */
    bool was_cut;    /* by time, work or a signal */
    char found[SEARCH_MAPPER_TEXT]; /* the mapper that the mapping is of */
    double key;                     /* what rows are sorted by */
    size_t given;                   /* its place on the command line */
};

struct eval {
    struct mapcore_error *err; /* of the caller */
    struct eval_options *options;
    struct graph_types types;
    struct ports_model ports; /* of that model */
    struct eval_row block;    /* what times are compared with */
    struct eval_row *row; /* [n], of which the first `made` have a mapping */
    size_t n, made, failed;
    bool has_parts;  /* latency or the time of messages is known */
    bool is_ordered; /* --play: an order is known of a type */
    struct mapcore_search search;
    int signal; /* that ended it, or 0 */
    enum quantity_time unit, port_unit;
};

/* Opens the types of the graph and the time of each under the block layout.
 * Errors: those of graphs_open_types, ports_model_open, the models. */
int eval_times_open(struct eval *e);
/* The times of a row that has a mapping. Errors: those of the models. */
int eval_times_compute(struct eval_row *row, const struct eval *e);
/* The mapping to use: the fastest, or block, where none is faster by 1%. */
const char *eval_times_best(const struct eval *e);
void eval_times_close(struct eval *e);

/* Tables of e->row[made], and below them what of the times is to be said.
 * sorted_by: the word of --sort. Errors: ENOMEM, EIO. */
int eval_print(const struct eval *e, const char *sorted_by);
#endif
