/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* compare_main.c - topomap compare: mappings and mappers in one table */
#include "config.h"

#include "tools/common/command_line.h"

#include "base/array.h"
#include "tools/common/held_signals.h"
#include "tools/compare/compare_print.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const double DEFAULT_SECONDS = 10.0;
enum {
    MAX_THREADS = 64,
};

struct compare_options {
    struct inputs inputs;
    struct timed_search_options search;
    struct tool_list words;
    const char *output;
    enum compare_sort sort;
    bool json, csv;
};

static const struct option_row operands[] = {
    {.name = "GRAPH",
     OPTION_INTO(struct compare_options, inputs.source.path),
     .required = true,
     .help = GRAPHS_OPERAND_HELP},
    {.name = "MAPPING",
     OPTION_INTO(struct compare_options, words),
     .help = "a file of any form of mapping; or block, cyclic, plane or "
             "another mapper (topomap map --list), with +refine behind it "
             "refined; or portfolio, what topomap map does (default: block "
             "cyclic portfolio)"},
    {.name = NULL},
};

/* In the order of enum compare_sort. */
static const struct option_word sorts[] = {
    {"time", COMPARE_TIME, NULL, false},
    {"links", COMPARE_LINKS, "a byte", false},
    {"task", COMPARE_TASK, "the largest", false},
    {"link", COMPARE_BUSIEST, "the busiest", false},
    {"search", COMPARE_SEARCH, "its seconds", false},
    {"given", COMPARE_GIVEN, NULL, false},
    {NULL, 0, NULL, false},
};

static const struct option_row rows[] = {
    {.name = "sort",
     .argument = "COLUMN",
     OPTION_WORD_INTO(struct compare_options, sort, sorts),
     .shows_default = true,
     .help = "least first"},
    {.name = "time",
     .argument = "SECONDS",
     OPTION_CALL_INTO(struct compare_options,
                      search.time,
                      timed_search_take_time),
     .help = "bound on each search (default: a mapper is run once, and what "
             "goes on until it is told to end has 10); auto: until it gains no "
             "more"},
    {.name = NULL},
};

static const struct option_row output_rows[] = {
    {.name = "output",
     .letter = 'o',
     .argument = "FILE",
     OPTION_INTO(struct compare_options, output),
     .help = "write the mapping of the first row there"},
    {.name = "json",
     OPTION_INTO(struct compare_options, json),
     .help = "an object with mappings, an object each, sorted likewise"},
    {.name = "csv",
     OPTION_INTO(struct compare_options, csv),
     .help = "comma separated values, a line each, sorted likewise"},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "compare",
    .forms = (const char *const[]){"GRAPH --topology SPEC --tasks-per-node "
                                   "COUNTS [OPTION]... [MAPPING]...",
                                   NULL},
    .about = "Prints a table of mappings: links that a byte crosses, hop-bytes "
             "of the largest task, the busiest link, the estimated time of "
             "communication, and what the search took.",
    .operands = operands,
    .groups = {{inputs_rows, offsetof(struct compare_options, inputs)},
               {graphs_rows, offsetof(struct compare_options, inputs.source)},
               {inputs_rates_rows, offsetof(struct compare_options, inputs)},
               {rows, 0},
               {timed_search_rows, offsetof(struct compare_options, search)},
               {output_rows, 0}},
    .more = "Ctrl-C ends the search and prints what is there so far.",
};

/* The table that is being made. */
struct comparing {
    const struct compare_options *options;
    struct compare_scale scale;
    struct compare_row *row;
    size_t n, failed;
    struct mapcore_search search;
    int signal;
};

static const char *const defaults[] = {"block", "cyclic", COMPARE_PORTFOLIO};

static int prepare(struct comparing *c, struct mapcore_error *err)
{
    const struct tool_list *words = &c->options->words;
    int error = 0;

    c->n = words->n > 0 ? words->n : sizeof(defaults) / sizeof(*defaults);
    if (!(c->row = array_alloc(c->n, sizeof(*c->row), err)))
        return MAPCORE_ENOMEM;
    for (size_t i = 0; error == 0 && i < c->n; i++) {
        c->row[i].word = words->n > 0 ? words->item[i] : defaults[i];
        c->row[i].given = i;
        error = compare_row_prepare(&c->row[i], &c->options->inputs, err);
    }
    return error;
}

/* Seconds of a search, 0: it ends by itself, or by --work. */
static double seconds_for(const struct comparing *c, const char *word)
{
    const struct timed_search_options *search = &c->options->search;

    if (search->time.s > 0)
        return search->time.s;
    if (search->time.settles)
        return timed_search_auto(DEFAULT_SECONDS, 0);
    return search->work == 0 && compare_needs_bound(word) ? DEFAULT_SECONDS : 0;
}

/* Row after row, until a signal ends it. What one mapper cannot do says nothing
 * against the others. */
static void fill(struct comparing *c)
{
    struct held_signals between;
    struct mapcore_error err;
    char title[128];

    held_signals_begin(&between);
    for (size_t i = 0; c->signal == 0 && i < c->n; i++) {
        struct compare_row *row = &c->row[i];
        const double seconds = seconds_for(c, row->word);
        struct mapcore_search search = c->search;
        struct timed_search which = {.settles = c->options->search.time.settles,
                                     .deadline =
                                         seconds > 0 ? tool_now() + seconds : 0,
                                     .signals = true,
                                     .progress = true,
                                     .title = title};

        for (size_t j = i + 1; j < c->n; j++)
            if (!c->row[j].is_file)
                which.later += seconds_for(c, c->row[j].word);
        snprintf(title, sizeof(title), "%.64s, %zu of %zu", row->title, i + 1,
                 c->n);
        const bool is_once = seconds <= 0 && search.work == 0;

        if (is_once)
            search.work = 1;
        if (compare_row_fill(row, &c->signal, &c->scale, &search, &which,
                             &err) < 0) {
            tool_note("%s: %s", row->word, err.text);
            c->failed++;
        }
        if (is_once && c->signal == 0)
            row->was_cut = false; /* nobody asked for more */
        if (held_signals_came(&between))
            break;
    }
    if (c->signal == 0)
        c->signal = held_signals_end(&between);
    else
        (void)held_signals_end(&between);
}

static size_t count_made(const struct comparing *c)
{
    size_t made = 0;

    for (size_t i = 0; i < c->n; i++)
        made += c->row[i].mapping != NULL;
    return made;
}

static int print(const struct comparing *c, struct mapcore_error *err)
{
    const struct compare_options *options = c->options;
    /* Those without a mapping are last. */
    const struct table table = compare_table(c->row, count_made(c), &c->scale);

    if (options->json)
        return compare_print_json(&table, sorts[options->sort].name,
                                  c->signal != 0, err);
    if (options->csv) {
        table_csv(&table);
    } else {
        table_print(&table);
        compare_print_notes(&table);
    }
    return 0;
}

static int write_first(const struct comparing *c,
                       struct tool_output *output,
                       struct mapcore_error *err)
{
    const struct compare_row *first = c->row;
    int error;

    if (first->is_file)
        fprintf(output->file, "# topomap compare: %s\n", first->title);
    else
        fprintf(output->file, "# topomap compare: %s, seed %llu, work %llu\n",
                first->found, (unsigned long long)c->search.seed,
                (unsigned long long)first->work);
    error = mapcore_mapping_write(first->mapping, output->file, err);
    return error < 0 ? error : tool_output_commit(output, err);
}

static int make_table(struct comparing *c, struct mapcore_error *err)
{
    const struct compare_options *options = c->options;
    struct tool_output output = {0};
    int error = 0;

    if (options->output)
        error = tool_output_open(&output, options->output, err);
    if (error < 0)
        return error;
    fill(c);
    compare_rows_sort(c->row, c->n, options->sort);
    if (c->signal != 0)
        tool_note("%s: %zu of %zu mappings", strsignal(c->signal),
                  count_made(c), c->n);
    error = print(c, err);
    if (error == 0 && options->output && c->row[0].mapping)
        error = write_first(c, &output, err);
    tool_output_abandon(&output);
    return error;
}

static int compare(struct compare_options *options, struct mapcore_error *err)
{
    struct comparing c = {.options = options,
                          .search = {.choose = options->search.choose,
                                     .alpha = options->search.alpha,
                                     .seed = options->search.seed,
                                     .work = options->search.work,
                                     .schedule = options->search.schedule,
                                     .threads = options->search.threads != 0
                                                    ? options->search.threads
                                                    : tool_cpus(MAX_THREADS)}};
    uint32_t *pin = NULL;
    int error = inputs_open(&options->inputs, err);

    c.search.node = options->inputs.hwnode;
    if (error == 0)
        error = prepare(&c, err);
    if (error == 0)
        error = compare_scale_open(&c.scale, &options->inputs, err);
    if (error == 0)
        error =
            constraints_apply(&c.search, &pin, &options->search.constraints,
                              options->inputs.alloc, NULL,
                              mapcore_graph_ntasks(options->inputs.graph), err);
    if (error == 0)
        error = make_table(&c, err);
    compare_scale_close(&c.scale);
    compare_rows_close(c.row, c.n);
    free(pin);
    return error < 0 ? error : (int)c.failed;
}

int compare_main(int argc, char **argv)
{
    struct compare_options options = {.search = {SEARCH_DEFAULTS}};
    struct mapcore_error err;
    int status, failed;

    if (command_line_parse(&status, &line, &options, argc, argv)) {
        if ((failed = compare(&options, &err)) != 0) {
            status = TOOL_FAILED;
            if (failed < 0)
                tool_fail("%s", err.text);
        }
        inputs_close(&options.inputs);
    }
    free(options.words.item);
    return status;
}
