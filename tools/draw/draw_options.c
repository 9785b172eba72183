/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* draw_options.c - options that draw and report share, and what they mean */
#include "config.h"

#include "tools/draw/draw_options.h"

#include "profiles/taskgraphs.h"
#include "tools/search/timed_search.h"
#include "tools/table/answer.h"
#include "json/json.h"

#include <string.h>

void draw_input_rows(struct option_row out[DRAW_INPUT_ROWS])
{
    size_t n = 0;

    for (; inputs_rows[n].name && n + 1 < DRAW_INPUT_ROWS; n++) {
        out[n] = inputs_rows[n];
        out[n].required = false;
    }
    out[n] = (struct option_row){.name = NULL};
}

const struct option_row draw_subject_rows[] = {
    {.name = "mapping",
     .argument = "MAPPING",
     OPTION_INTO(struct draw_subject, mappings),
     .help = "as in topomap eval: a file, or block, cyclic or another mapper; "
             "repeated, they are drawn side by side (default: block, and what "
             "topomap map finds in --time)"},
    {.name = "time",
     .argument = "SECONDS",
     OPTION_INTO(struct draw_subject, seconds),
     .least = SEARCH_TIME_LEAST,
     .most = SEARCH_TIME_MOST,
     .shows_default = true,
     .help = "of that search"},
    {.name = "show",
     .argument = "N",
     OPTION_INTO(struct draw_subject, nodes),
     .min = 1,
     .max = 512,
     .verbs = 1u << DRAW_NODES,
     .help = "so many nodes are drawn inside (default 6)"},
    {.name = "catalogue",
     .argument = "DIR",
     OPTION_INTO(struct draw_subject, catalogues),
     .help = "look for profiles there too, behind your own (may be repeated)"},
    {.name = "config",
     .argument = "FILE",
     OPTION_INTO(struct draw_subject, config),
     .help =
         "the site file, for its catalogues (default " TOPOMAP_SITEFILE ")"},
    {.name = NULL},
};

static const struct option_word units[] = {
    {"bytes", AMOUNT_BYTES, NULL, false},
    {"messages", AMOUNT_MESSAGES, "of a recorded profile", false},
    {"seconds", AMOUNT_SECONDS,
     "in calls, of a profile: a type's are shared out by bytes", false},
    {NULL, 0, NULL, false},
};

const struct option_row draw_by_rows[] = {
    {.name = "by",
     .argument = "WHAT",
     OPTION_WORD_INTO(struct draw_options, by, units),
     .shows_default = true,
     .verbs = 1,
     .help = "what colours of a matrix stand for"},
    {.name = NULL},
};

const struct option_row draw_output_rows[] = {
    {.name = "output",
     .letter = 'o',
     .argument = "FILE",
     OPTION_INTO(struct draw_options, output),
     .help = "write it there instead of to stdout"},
    {.name = "json",
     OPTION_INTO(struct draw_options, json),
     .help = "with -o: print as JSON what was drawn: output, of, mappings"},
    {.name = "csv",
     OPTION_INTO(struct draw_options, csv),
     .help = "the same as comma-separated values"},
    {.name = NULL},
};

int draw_options_check(const struct draw_options *options, const char *command)
{
    const struct inputs *inputs = &options->subject.inputs;

    if ((options->json || options->csv) && !options->output)
        return tool_usage(command, "--%s tells what -o FILE has got",
                          options->json ? "json" : "csv");
    if (!inputs->topology &&
        (inputs->tasks_per_node || inputs->nodelist || inputs->nodefile))
        return tool_usage(command, "--topology says of which network");
    if (!inputs->topology && options->subject.mappings.n > 0)
        return tool_usage(command, "--mapping needs --topology");
    if (inputs->topology && !inputs->tasks_per_node)
        return tool_usage(command, "--topology needs --tasks-per-node");
    return TOOL_OK;
}

int draw_options_say(const struct draw_options *options,
                     const char *picture,
                     struct mapcore_error *err)
{
    const struct draw_subject *subject = &options->subject;
    struct json_writer *writer;
    struct answer answer;

    if (!options->json && !options->csv)
        return 0;
    writer = answer_begin(&answer, stdout, options->csv ? ANSWER_ONE_ROW : NULL,
                          err);
    if (!writer)
        return MAPCORE_ENOMEM;
    json_begin_object(writer, NULL);
    json_put_string(writer, "output", options->output);
    json_put_string(writer, "picture", picture);
    json_put_string(writer, "of", draw_subject_name(subject));
    if (subject->folder)
        json_put_string(writer, "folder", subject->folder);
    json_begin_array(writer, "mappings");
    for (size_t i = 0; i < subject->nsides; i++)
        json_put_string(writer, NULL, subject->side[i].title);
    json_end_array(writer);
    json_end_object(writer);
    return answer_end(&answer, 0, err);
}

/* One type of call, no sum of them. */
static const char *type_of(const char *name)
{
    return name && !taskgraphs_is_sum(name) && strcmp(name, "best") != 0 ? name
                                                                         : NULL;
}

/* What was sent, not what is weighted for mapping. */
static int open_bytes(struct traffic *out,
                      const struct draw_subject *subject,
                      struct mapcore_error *err)
{
    struct graph_source source = subject->inputs.source;
    struct mapcore_graph *graph = NULL;
    int error;

    if (subject->inputs.graph && (!subject->profile || source.name))
        return traffic_from_graph(out, subject->inputs.graph, err);
    if (!source.name)
        source.name = "all";
    error = graphs_open(&graph, &source, err);
    if (error == 0)
        error = traffic_from_graph(out, graph, err);
    mapcore_graph_destroy(graph);
    return error;
}

int draw_options_traffic(struct traffic *out,
                         const char **type,
                         const struct draw_options *options,
                         struct mapcore_error *err)
{
    const struct draw_subject *subject = &options->subject;

    *type = type_of(subject->inputs.source.name);
    if (options->by == AMOUNT_BYTES)
        return open_bytes(out, subject, err);
    if (!subject->profile)
        return error_set(err, MAPCORE_EINVAL,
                         "%s is a task graph, which knows bytes alone: --by "
                         "messages and seconds are for profiles",
                         subject->inputs.source.path);
    return options->by == AMOUNT_MESSAGES
               ? traffic_read_messages(out, subject->profile->ntasks,
                                       subject->folder, *type, err)
               : traffic_share_seconds(out, subject->folder, *type, err);
}
