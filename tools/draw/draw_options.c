/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* draw_options.c - topomap draw: one picture, as SVG; and topomap report: all
 * of a program in one page */
#include "config.h"

#include "tools/draw/draw_options.h"

#include "profiles/taskgraphs.h"
#include "tools/draw/scene.h"
#include "tools/search/timed_search.h"
#include "json/json.h"

#include <string.h>
#include <unistd.h>

enum draw_verb {
    VERB_MATRIX,
    VERB_NETWORK,
    VERB_NODES,
    VERB_PROFILE,
    VERB_SEARCH,
};

static const struct option_row operands[] = {
    {OPTION_NAMED("PROFILE|GRAPH",
                  struct draw_options,
                  subject.inputs.source.path),
     .required = true},
    {.name = NULL},
};

static const struct option_verb verbs[] = {
    [VERB_MATRIX] = {"matrix", operands},
    [VERB_NETWORK] = {"network", operands},
    [VERB_NODES] = {"nodes", operands},
    [VERB_PROFILE] = {"profile", operands},
    [VERB_SEARCH] = {"search", operands},
    {NULL, NULL},
};

enum { INPUT_ROWS = 16 };
/* Those of struct inputs, of which none is required, since a matrix needs no
 * network. */
static void copy_input_rows(struct option_row out[INPUT_ROWS])
{
    size_t n = 0;

    for (; inputs_rows[n].name && n + 1 < INPUT_ROWS; n++) {
        out[n] = inputs_rows[n];
        out[n].required = false;
    }
    out[n] = (struct option_row){.name = NULL};
}

static const struct option_row subject_rows[] = {
    {OPTION_TAKES("mapping", "MAPPING", struct draw_subject, mappings)},
    {OPTION_TAKES("time", "SECONDS", struct draw_subject, seconds),
     .least = SEARCH_TIME_LEAST, .most = SEARCH_TIME_MOST,
     .shows_default = true},
    {OPTION_TAKES("show", "N", struct draw_subject, nodes), .min = 1,
     .max = 512, .verbs = 1u << VERB_NODES},
    {OPTION_TAKES("catalogue", "DIR", struct draw_subject, catalogues)},
    {OPTION_TAKES("config", "FILE", struct draw_subject, config)},
    {.name = NULL},
};

static const struct option_word units[] = {
    {"bytes", AMOUNT_BYTES, NULL, false},
    {"messages", AMOUNT_MESSAGES, "of a recorded profile", false},
    {"seconds", AMOUNT_SECONDS,
     "in calls, of a profile: a type's are shared out by bytes", false},
    {NULL, 0, NULL, false},
};

static const struct option_row by_rows[] = {
    {OPTION("by", "WHAT"), OPTION_WORD_INTO(struct draw_options, by, units),
     .shows_default = true, .verbs = 1},
    {.name = NULL},
};

static const struct option_row output_rows[] = {
    {OPTION_TAKES("output", "FILE", struct draw_options, output),
     .letter = 'o'},
    {OPTION_NAMED("json", struct draw_options, form.json)},
    {OPTION_NAMED("csv", struct draw_options, form.csv)},
    {.name = NULL},
};

static int check(const struct draw_options *options,
                 const char *command,
                 bool has_verb)
{
    const struct inputs *inputs = &options->subject.inputs;

    if (has_verb && !inputs->topology && options->verb != VERB_MATRIX &&
        options->verb != VERB_PROFILE)
        return tool_usage(command, "%s needs --topology",
                          verbs[options->verb].name);
    if (has_verb && options->verb == VERB_SEARCH &&
        options->subject.mappings.n > 0)
        return tool_usage(command, "search makes its own mappings: it takes no "
                                   "--mapping");

    if (answer_word(&options->form) && !options->output)
        return tool_usage(command, "--%s tells what -o FILE has got",
                          answer_word(&options->form));
    if (!inputs->topology &&
        (inputs->tasks_per_node || inputs->nodelist || inputs->nodefile))
        return tool_usage(command, "--topology says of which network");
    if (!inputs->topology && options->subject.mappings.n > 0)
        return tool_usage(command, "--mapping needs --topology");
    if (inputs->topology && !inputs->tasks_per_node)
        return tool_usage(command, "--topology needs --tasks-per-node");
    if (!options->output && isatty(STDOUT_FILENO))
        return tool_usage(command, "not for a terminal: -o FILE");
    return TOOL_OK;
}

/* With --json or --csv: what was drawn. */
static int say(const struct draw_options *options,
               const char *picture,
               struct mapcore_error *err)
{
    const struct draw_subject *subject = &options->subject;
    struct json_writer *writer;
    struct answer answer;

    if (!answer_word(&options->form))
        return 0;
    writer =
        answer_begin(&answer, stdout, &options->form, NULL, ANSWER_ONE_ROW);
    json_put_string(writer, "output", options->output);
    json_put_string(writer, "picture", picture);
    json_put_string(writer, "of", draw_subject_name(subject));
    if (subject->folder)
        json_put_string(writer, "folder", subject->folder);
    json_begin_array(writer, "mappings");
    for (size_t i = 0; i < subject->nsides; i++)
        json_put_string(writer, NULL, subject->side[i].title);
    return answer_end(&answer, 0, err);
}

/* What was sent, not what is weighted for mapping. */
static int open_bytes(struct traffic *out, const struct draw_subject *subject)
{
    struct graph_source source = subject->inputs.source;
    struct mapcore_graph *graph = NULL;
    int error;

    if (subject->inputs.graph && (!subject->profile || source.name))
        return traffic_from_graph(out, subject->inputs.graph);
    if (!source.name)
        source.name = "all";
    error = graphs_open(&graph, &source, subject->err);
    if (error == 0)
        error = traffic_from_graph(out, graph);
    mapcore_graph_destroy(graph);
    return error;
}

int draw_options_traffic(struct traffic *out,
                         const char **type,
                         const struct draw_options *options)
{
    const struct draw_subject *subject = &options->subject;

    /* One type of call, no sum of them. */
    *type = subject->inputs.source.name;
    if (*type && (taskgraphs_is_sum(*type) || strcmp(*type, "best") == 0))
        *type = NULL;
    if (options->by == AMOUNT_BYTES)
        return open_bytes(out, subject);
    if (!subject->profile)
        return error_set(out->err, MAPCORE_EINVAL,
                         "%s is a task graph, which knows bytes alone: --by "
                         "messages and seconds are for profiles",
                         subject->inputs.source.path);
    return options->by == AMOUNT_MESSAGES
               ? traffic_read_messages(out, subject->profile->ntasks,
                                       subject->folder, *type)
               : traffic_share_seconds(out, subject->folder, *type);
}

/* Opens what the picture needs, and has it drawn. */
static int draw(struct buffer *out,
                struct draw_options *options,
                const char *picture,
                char *const *command,
                struct mapcore_error *err)
{
    const bool is_profile = strcmp(picture, "profile") == 0;
    struct traffic traffic = {.err = err};
    struct scene scene = {
        .picture = picture, .subject = &options->subject, .command = command};
    int error;

    options->subject.err = err;
    error = is_profile ? draw_subject_open_profile(&options->subject)
                       : draw_subject_open(&options->subject);
    if (error == 0 &&
        (is_profile || command || strcmp(picture, "matrix") == 0)) {
        scene.traffic = &traffic;
        error = draw_options_traffic(&traffic, &scene.type, options);
    }
    if (error == 0)
        error = scene_draw(out, &scene, err);
    traffic_clear(&traffic);
    return error;
}

/* The output is opened first: a search whose result cannot be written is not
 * worth its time. It gets all of the picture or nothing. */
static int write_picture(struct draw_options *options,
                         const char *picture,
                         char *const *command,
                         struct mapcore_error *err)
{
    struct tool_output output = {0};
    struct buffer bytes = {0};
    int error = tool_output_open(&output, options->output, err);

    if (error == 0 &&
        (error = draw(&bytes, options, picture, command, err)) == 0)
        fwrite(bytes.bytes, 1, bytes.n, output.file);
    error = tool_output_end(&output, error, err);
    buffer_clear(&bytes);
    return error < 0 ? error : say(options, picture, err);
}

/* Reads the command line, and draws; picture NULL: the verb's. */
static int run(const struct command_line *line,
               const char *picture,
               int argc,
               char **argv,
               struct mapcore_error *err)
{
    struct draw_options options = {.subject = {.seconds = 2}};
    int status;

    if (command_line_parse(&status, line, &options, argc, argv) &&
        (status = check(&options, line->name, !picture)) == TOOL_OK)
        status = write_picture(&options,
                               picture ? picture : verbs[options.verb].name,
                               picture ? argv : NULL, err);
    draw_subject_close(&options.subject);
    return status;
}

int draw_main(int argc, char **argv, struct mapcore_error *err)
{
    struct option_row input_rows[INPUT_ROWS];
    const struct command_line line = {
        .name = "draw",
        .verbs = verbs,
        .verb = offsetof(struct draw_options, verb),
        .groups = {{input_rows, offsetof(struct draw_options, subject.inputs)},
                   {graphs_rows,
                    offsetof(struct draw_options, subject.inputs.source)},
                   {subject_rows, offsetof(struct draw_options, subject)},
                   {by_rows, 0},
                   {output_rows, 0}},
    };

    copy_input_rows(input_rows);
    return run(&line, NULL, argc, argv, err);
}

int report_main(int argc, char **argv, struct mapcore_error *err)
{
    struct option_row input_rows[INPUT_ROWS];
    const struct command_line line = {
        .name = "report",
        .operands = operands,
        .groups = {{input_rows, offsetof(struct draw_options, subject.inputs)},
                   {graphs_rows,
                    offsetof(struct draw_options, subject.inputs.source)},
                   {subject_rows, offsetof(struct draw_options, subject)},
                   {output_rows, 0}},
    };

    copy_input_rows(input_rows);
    return run(&line, "report", argc, argv, err);
}
