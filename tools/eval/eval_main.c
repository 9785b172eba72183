/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* eval_main.c - topomap eval: mappings and mappers in one table; makes the
 * mappings that are compared, and has them measured */
#include "config.h"

#include "tools/eval/eval.h"

#include "base/array.h"
#include "base/text.h"
#include "tools/common/command_line.h"
#include "tools/common/held_signals.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const double DEFAULT_SECONDS = 10.0;
enum {
    MAX_THREADS = 64,
};

static const struct option_row operands[] = {
    {OPTION_NAMED("GRAPH", struct eval_options, inputs.source.path),
     .required = true},
    {OPTION_NAMED("MAPPING", struct eval_options, words)},
    {.name = NULL},
};

/* In the order of enum eval_sort. */
static const struct option_word sorts[] = {
    {"given", EVAL_GIVEN, NULL, false},
    {"time", EVAL_TIME, NULL, false},
    {"hops", EVAL_HOPS, "per byte", false},
    {"task", EVAL_TASK, "the largest", false},
    {"link", EVAL_LINK, "the busiest", false},
    {"search", EVAL_SEARCH, "its seconds", false},
    {NULL, 0, NULL, false},
};

static const struct option_word routes[] = {
    {"dor", MAPCORE_ROUTES_STATIC, "each pair of nodes has one route", false},
    {"least-loaded", MAPCORE_ROUTES_LEAST_LOADED,
     "task pair after task pair takes the shortest path that carries least so "
     "far, ICS 2017",
     false},
    {NULL, 0, NULL, false},
};

static const struct option_word models[] = {
    {"links", EVAL_LINKS, "bytes over capacity", false},
    {"ports", EVAL_PORTS,
     "messages by their lengths, by the ports of the site file", false},
    {NULL, 0, NULL, false},
};

static const struct option_word routings[] = {
    {"site", EVAL_PLAY, "as the site file says, else static", false},
    {"static", EVAL_PLAY_BY + MAPCORE_ROUTING_STATIC,
     "as the network is described: by dimensions, up and down", false},
    {"ecmp", EVAL_PLAY_BY + MAPCORE_ROUTING_ECMP,
     "each flow any shortest path, by chance", false},
    {"adaptive", EVAL_PLAY_BY + MAPCORE_ROUTING_ADAPTIVE,
     "the least loaded shortest path, flow after flow", false},
    {"ugal", EVAL_PLAY_BY + MAPCORE_ROUTING_UGAL,
     "that, or a detour where it is less loaded", false},
    {NULL, 0, NULL, false},
};

static const struct option_word orders[] = {
    {"recorded", EVAL_RECORDED,
     "as tasks first sent to each other, where a profile knows it", false},
    {"none", EVAL_AT_ONCE, "all of a type at once", false},
    {NULL, 0, NULL, false},
};

static const struct option_row rows[] = {
    {OPTION_NAMED("by-type", struct eval_options, by_type)},
    {OPTION("play", "ROUTING"),
     OPTION_WORD_INTO(struct eval_options, play, routings),
     .may_stand_alone = true},
    {OPTION_NAMED("links", struct eval_options, links)},
    {OPTION_NAMED("ranks", struct eval_options, ranks)},
    {OPTION("model", "WHAT"),
     OPTION_WORD_INTO(struct eval_options, model, models),
     .shows_default = true},
    {OPTION("routes", "ROUTES"),
     OPTION_WORD_INTO(struct eval_options, routes, routes)},
    {OPTION("order", "WHAT"),
     OPTION_WORD_INTO(struct eval_options, order, orders)},
    {OPTION_TAKES("merge", "SHARE", struct eval_options, merge), .least = 0,
     .most = 1},
    {OPTION("sort", "COLUMN"),
     OPTION_WORD_INTO(struct eval_options, sort, sorts), .shows_default = true},
    {OPTION("time", "SECONDS"), OPTION_CALL_INTO(struct eval_options,
                                                 search.time,
                                                 timed_search_take_time)},
    {.name = NULL},
};

static const struct option_row output_rows[] = {
    {OPTION_TAKES("output", "FILE", struct eval_options, output),
     .letter = 'o'},
    {OPTION_NAMED("json", struct eval_options, form.json)},
    {OPTION_NAMED("csv", struct eval_options, form.csv)},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "eval",
    .operands = operands,
    .groups = {{inputs_rows, offsetof(struct eval_options, inputs)},
               {graphs_rows, offsetof(struct eval_options, inputs.source)},
               {inputs_rates_rows, offsetof(struct eval_options, inputs)},
               {rows, 0},
               {timed_search_rows, offsetof(struct eval_options, search)},
               {output_rows, 0}},
};

static const char *const defaults[] = {"block", "cyclic", EVAL_PORTFOLIO};

/* Reads the mapping where the word is a file, or sees that it is a mapper's:
 * before any search, so that a slip costs none. */
static int prepare_row(struct eval_row *row,
                       const struct inputs *inputs,
                       struct mapcore_error *err)
{
    row->is.title = row->word; /* parameters may have a slash */
    if (strcmp(row->word, EVAL_PORTFOLIO) == 0 ||
        timed_search_is_mapper(row->word))
        return 0;
    row->is_file = true;
    row->is.title = text_last_part(row->word);
    return eval_mapping_read(&row->is.mapping, row->word, inputs, err);
}

static int prepare(struct eval *e)
{
    const struct tool_list *words = &e->options->words;
    int error = 0;

    e->n = words->n > 0 ? words->n : sizeof(defaults) / sizeof(*defaults);
    if (!(e->row = array_alloc(e->n, sizeof(*e->row), e->err)))
        return MAPCORE_ENOMEM;
    for (size_t i = 0; error == 0 && i < e->n; i++) {
        e->row[i].word = words->n > 0 ? words->item[i] : defaults[i];
        e->row[i].given = i;
        error = prepare_row(&e->row[i], &e->options->inputs, e->err);
    }
    return error;
}

/* Seconds of a search, 0: it ends by itself, or by --work. */
static double seconds_for(const struct eval *e, const char *word)
{
    const struct timed_search_options *search = &e->options->search;
    const bool needs_bound = strcmp(word, EVAL_PORTFOLIO) == 0 ||
                             strcmp(word, "parmapper") == 0 ||
                             strstr(word, "+refine") != NULL;

    if (search->time.s > 0)
        return search->time.s;
    if (search->time.settles)
        return timed_search_auto(DEFAULT_SECONDS, 0);
    return search->work == 0 && needs_bound ? DEFAULT_SECONDS : 0;
}

static int search(struct eval_row *row,
                  struct eval *e,
                  const struct timed_search *which,
                  bool is_once)
{
    const struct inputs *inputs = &e->options->inputs;
    struct mapcore_search copy = e->search;
    struct timed_search named = *which;
    struct mapcore_result result = {0};
    const double start = tool_now();
    int error;

    if (is_once)
        copy.work = 1;
    named.graph = inputs->graph;
    named.alloc = inputs->alloc;
    named.mapper = strcmp(row->word, EVAL_PORTFOLIO) == 0 ? NULL : row->word;
    error = timed_search_run(&result, &e->signal, &named, &copy, e->err);
    if (error < 0)
        return error;
    row->search_s = tool_now() - start;
    row->work = result.work;
    /* One run was asked for. */
    row->was_cut = result.interrupted && (!is_once || e->signal != 0);
    timed_search_print_mapper(row->found, &result);
    row->is.mapping = result.mapping;
    result.mapping = NULL;
    mapcore_result_clear(&result);
    return 0;
}

/* Searches where there is no mapping yet, and measures. */
static int fill_row(struct eval *e, size_t i)
{
    struct eval_row *row = &e->row[i];
    const double seconds = seconds_for(e, row->word);
    char title[128];
    struct timed_search which = {.settles = e->options->search.time.settles,
                                 .deadline =
                                     seconds > 0 ? tool_now() + seconds : 0,
                                 .signals = true,
                                 .progress = true,
                                 .title = title};
    int error = 0;

    for (size_t j = i + 1; j < e->n; j++)
        if (!e->row[j].is_file)
            which.later += seconds_for(e, e->row[j].word);
    snprintf(title, sizeof(title), "%.64s, %zu of %zu", row->is.title, i + 1,
             e->n);
    if (!row->is.mapping)
        error = search(row, e, &which, seconds <= 0 && e->search.work == 0);
    if (error == 0)
        error =
            eval_mapping_take(&row->is, row->is.title, row->is.mapping,
                              &e->options->inputs, e->options->routes, e->err);
    if (!e->options->links) {
        free(row->is.load);
        row->is.load = NULL;
    }
    if (error == 0)
        error = eval_times_compute(row, e);
    if (error < 0) {
        mapcore_mapping_destroy(row->is.mapping);
        row->is.mapping = NULL;
    }
    return error;
}

/* Row after row, until a signal ends it. What one mapper cannot do says nothing
 * against the others. */
static void fill(struct eval *e)
{
    struct held_signals between;
    struct mapcore_error err;
    int came;

    held_signals_begin(&between);
    for (size_t i = 0; e->signal == 0 && i < e->n; i++) {
        if (fill_row(e, i) < 0) {
            tool_note("%s: %s", e->row[i].word, err.text);
            e->failed++;
        }
        if (held_signals_came(&between))
            break;
    }
    came = held_signals_end(&between);
    if (e->signal == 0)
        e->signal = came;
    for (size_t i = 0; i < e->n; i++)
        e->made += e->row[i].is.mapping != NULL;
}

static double key_of(const struct eval_row *row, enum eval_sort by)
{
    const double key[] = {
        [EVAL_GIVEN] = (double)row->given,
        [EVAL_TIME] = row->time,
        [EVAL_HOPS] = row->is.metrics.hops_per_byte,
        [EVAL_TASK] = row->is.metrics.max_hop_bytes,
        [EVAL_LINK] = row->is.metrics.max_link_bytes,
        [EVAL_SEARCH] = row->is_file ? 0 : row->search_s,
    };

    return row->is.mapping ? key[by] : INFINITY;
}

static int ascending(const void *a, const void *b)
{
    const struct eval_row *x = a, *y = b;

    if (x->key < y->key || x->key > y->key)
        return x->key < y->key ? -1 : 1;
    return (x->given > y->given) - (x->given < y->given);
}

static int write_first(const struct eval *e, struct tool_output *output)
{
    const struct eval_row *first = e->row;
    int error;

    if (first->is_file)
        fprintf(output->file, "# topomap eval: %s\n", first->is.title);
    else
        fprintf(output->file, "# topomap eval: %s, seed %llu, work %llu\n",
                first->found, (unsigned long long)e->search.seed,
                (unsigned long long)first->work);
    error = mapcore_mapping_write(first->is.mapping, output->file, e->err);
    return error < 0 ? error : tool_output_commit(output, e->err);
}

static int make_table(struct eval *e)
{
    const struct eval_options *options = e->options;
    struct tool_output output = {0};
    int error = 0;

    if (options->output &&
        (error = tool_output_open(&output, options->output, e->err)) < 0)
        return error;
    fill(e);
    for (size_t i = 0; i < e->n; i++)
        e->row[i].key = key_of(&e->row[i], options->sort);
    qsort(e->row, e->n, sizeof(*e->row), ascending);
    if (e->signal != 0)
        tool_note("%s: %zu of %zu mappings", strsignal(e->signal), e->made,
                  e->n);
    if (e->made > 0)
        error = eval_print(e, sorts[options->sort].name);
    if (error == 0 && options->output && e->made > 0)
        error = write_first(e, &output);
    tool_output_abandon(&output);
    return error;
}

static int evaluate(struct eval_options *options, struct mapcore_error *err)
{
    const struct timed_search_options *search = &options->search;
    struct inputs *inputs = &options->inputs;
    struct eval e = {.options = options,
                     .err = err,
                     .ports.err = err,
                     .search = {.choose = search->choose,
                                .alpha = search->alpha,
                                .seed = search->seed,
                                .work = search->work,
                                .schedule = search->schedule,
                                .threads = search->threads != 0
                                               ? search->threads
                                               : tool_cpus(MAX_THREADS)}};
    uint32_t *pin = NULL;
    int error = inputs_open(inputs, err);

    e.search.node = inputs->hwnode;
    if (error == 0)
        error = prepare(&e);
    if (error == 0)
        error = eval_times_open(&e);
    if (error == 0)
        error = constraints_apply(&e.search, &pin, &search->constraints,
                                  inputs->alloc, NULL,
                                  mapcore_graph_ntasks(inputs->graph), err);
    if (error == 0)
        error = make_table(&e);
    for (size_t i = 0; e.row && i < e.n; i++) {
        eval_mapping_clear(&e.row[i].is);
        free(e.row[i].type);
    }
    free(e.row);
    eval_times_close(&e);
    free(pin);
    return error < 0 ? error : (int)e.failed;
}

static int check_options(const struct eval_options *options)
{
    if (options->form.csv &&
        options->by_type + options->links + options->ranks > 1)
        return tool_usage("eval", "--csv is one table: of --by-type, --links "
                                  "and --ranks it takes one");
    return options->model == EVAL_PORTS && options->play != EVAL_NO_PLAY
               ? tool_usage("eval", "either --model=ports or --play")
               : TOOL_OK;
}

int eval_main(int argc, char **argv, struct mapcore_error *err)
{
    struct eval_options options = {.search = {SEARCH_DEFAULTS}, .merge = 0.01};
    int status;

    if (command_line_parse(&status, &line, &options, argc, argv) &&
        (status = check_options(&options)) == TOOL_OK) {
        if ((status = evaluate(&options, err)) > 0)
            status = TOOL_FAILED;
        inputs_close(&options.inputs);
    }
    free(options.words.item);
    return status;
}
