/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* draw_main.c - topomap draw: one picture, as SVG; and topomap report: all of a
 * program in one page */
#include "config.h"

#include "tools/draw/draw_options.h"
#include "tools/draw/scene.h"

#include <string.h>

enum {
    VERB_MATRIX,
    VERB_NETWORK,
    VERB_NODES = DRAW_NODES,
    VERB_PROFILE,
    VERB_SEARCH,
};

static const struct option_row operands[] = {
    {.name = "PROFILE|GRAPH",
     OPTION_INTO(struct draw_options, subject.inputs.source.path),
     .required = true,
     .help = GRAPHS_OPERAND_HELP},
    {.name = NULL},
};

static const struct option_verb verbs[] = {
    [VERB_MATRIX] = {"matrix",
                     "who talks with whom: by rank, and as placed in a network",
                     operands},
    [VERB_NETWORK] = {"network",
                      "what the links of a network carry, mapping by mapping",
                      operands},
    [VERB_NODES] = {"nodes",
                    "who sits where in the first nodes, and what flows between "
                    "them",
                    operands},
    [VERB_PROFILE] = {"profile",
                      "share of the run in MPI, calls by type, sizes of "
                      "messages, bytes by rank",
                      operands},
    [VERB_SEARCH] = {"search",
                     "how the best mapping got better with time, mapper by "
                     "mapper",
                     operands},
    {NULL, NULL, NULL},
};

/* Opens what the picture needs, and has it drawn. */
static int draw(struct buffer *out,
                struct draw_options *options,
                const char *picture,
                char *const *command,
                struct mapcore_error *err)
{
    const bool is_profile = strcmp(picture, "profile") == 0;
    struct traffic traffic = {0};
    struct scene scene = {
        .picture = picture, .subject = &options->subject, .command = command};
    int error = is_profile ? draw_subject_open_profile(&options->subject, err)
                           : draw_subject_open(&options->subject, err);

    if (error == 0 &&
        (is_profile || command || strcmp(picture, "matrix") == 0)) {
        scene.traffic = &traffic;
        error = draw_options_traffic(&traffic, &scene.type, options, err);
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
    int error =
        tool_output_open(&output, options->output ? options->output : "-", err);

    if (error < 0)
        return error;
    error = draw(&bytes, options, picture, command, err);
    if (error == 0) {
        fwrite(bytes.bytes, 1, bytes.n, output.file);
        error = tool_output_commit(&output, err);
    }
    tool_output_abandon(&output);
    buffer_clear(&bytes);
    return error < 0 ? error : draw_options_say(options, picture, err);
}

static int check(const struct draw_options *options)
{
    const bool places = options->verb == VERB_NETWORK ||
                        options->verb == VERB_NODES ||
                        options->verb == VERB_SEARCH;

    if (places && !options->subject.inputs.topology)
        return tool_usage("draw", "%s needs --topology",
                          verbs[options->verb].name);
    if (options->verb == VERB_SEARCH && options->subject.mappings.n > 0)
        return tool_usage("draw", "search makes its own mappings: it takes no "
                                  "--mapping");
    return draw_options_check(options, "draw");
}

int draw_main(int argc, char **argv)
{
    struct draw_options options = {.subject = {.seconds = 2}};
    struct option_row input_rows[DRAW_INPUT_ROWS];
    const struct command_line line = {
        .name = "draw",
        .about = "Writes a picture as SVG, which browsers show: on light and "
                 "dark ground, and who points at something is told what it is.",
        .verbs = verbs,
        .verb = offsetof(struct draw_options, verb),
        .groups = {{input_rows, offsetof(struct draw_options, subject.inputs)},
                   {graphs_rows,
                    offsetof(struct draw_options, subject.inputs.source)},
                   {draw_subject_rows, offsetof(struct draw_options, subject)},
                   {draw_by_rows, 0},
                   {draw_output_rows, 0}},
    };
    struct mapcore_error err;
    int status;

    draw_input_rows(input_rows);
    if (command_line_parse(&status, &line, &options, argc, argv) &&
        (status = check(&options)) == TOOL_OK &&
        write_picture(&options, verbs[options.verb].name, NULL, &err) < 0)
        status = tool_fail("%s", err.text);
    draw_subject_close(&options.subject);
    return status;
}

int report_main(int argc, char **argv)
{
    struct draw_options options = {.subject = {.seconds = 2}};
    struct option_row input_rows[DRAW_INPUT_ROWS];
    const struct command_line line = {
        .name = "report",
        .about =
            "Writes one page of HTML about a program: who talks with whom, "
            "what the links of a network carry under each mapping, what "
            "it does in MPI. It needs nothing beside it, and fetches "
            "nothing.",
        .operands = operands,
        .groups = {{input_rows, offsetof(struct draw_options, subject.inputs)},
                   {graphs_rows,
                    offsetof(struct draw_options, subject.inputs.source)},
                   {draw_subject_rows, offsetof(struct draw_options, subject)},
                   {draw_output_rows, 0}},
    };
    struct mapcore_error err;
    int status;

    draw_input_rows(input_rows);
    if (command_line_parse(&status, &line, &options, argc, argv) &&
        (status = draw_options_check(&options, "report")) == TOOL_OK &&
        write_picture(&options, "report", argv, &err) < 0)
        status = tool_fail("%s", err.text);
    draw_subject_close(&options.subject);
    return status;
}
