/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* draw_main.c - topomap draw: one picture, as SVG */
#include "config.h"

#include "tools/draw/draw_options.h"
#include "tools/draw/draw_output.h"
#include "tools/draw/matrix/matrix_picture.h"
#include "tools/draw/network/network_picture.h"
#include "tools/draw/node_picture.h"
#include "tools/draw/profile_picture.h"
#include "tools/draw/search_picture.h"
#include "tools/draw/svg/svg.h"

#include <stdlib.h>

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
     .help = DRAW_OPERAND_HELP},
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

static int draw_matrix(struct svg *svg,
                       struct draw_options *options,
                       struct mapcore_error *err)
{
    struct matrix_picture picture = {.subject = &options->subject,
                                     .most_strokes = MATRIX_STROKES};
    struct traffic traffic = {0};
    int error = draw_subject_open(&options->subject, err);

    if (error == 0)
        error = draw_options_traffic(&traffic, &picture.type, options, err);
    picture.traffic = &traffic;
    if (error == 0)
        error = matrix_picture_write(svg, &picture, err);
    traffic_clear(&traffic);
    return error;
}

static int draw_network(struct svg *svg,
                        struct draw_options *options,
                        struct mapcore_error *err)
{
    int error = draw_subject_open(&options->subject, err);

    return error < 0 ? error
                     : network_picture_write(svg, &options->subject, err);
}

static int draw_nodes(struct svg *svg,
                      struct draw_options *options,
                      struct mapcore_error *err)
{
    int error = draw_subject_open(&options->subject, err);

    return error < 0 ? error : node_picture_write(svg, &options->subject, err);
}

static int draw_profile(struct svg *svg,
                        struct draw_options *options,
                        struct mapcore_error *err)
{
    const struct draw_subject *subject = &options->subject;
    struct traffic traffic = {0};
    const char *type;
    int error = draw_subject_open_profile(&options->subject, err);

    if (error == 0)
        error = draw_options_traffic(&traffic, &type, options, err);
    if (error == 0)
        error = profile_picture_write(svg, subject->profile, subject->folder,
                                      &traffic, err);
    traffic_clear(&traffic);
    return error;
}

static int draw_search(struct svg *svg,
                       struct draw_options *options,
                       struct mapcore_error *err)
{
    const struct draw_subject *subject = &options->subject;
    int error = draw_subject_open(&options->subject, err);

    if (error == 0)
        search_picture_write(svg, &subject->search,
                             subject->side[0].metrics.hops_per_byte);
    return error;
}

static int (*const drawing[])(struct svg *svg,
                              struct draw_options *options,
                              struct mapcore_error *err) = {
    [VERB_MATRIX] = draw_matrix, [VERB_NETWORK] = draw_network,
    [VERB_NODES] = draw_nodes,   [VERB_PROFILE] = draw_profile,
    [VERB_SEARCH] = draw_search,
};

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

static int draw(FILE *file, void *arg, struct mapcore_error *err)
{
    struct draw_options *options = arg;
    struct svg svg = {.file = file};

    return drawing[options->verb](&svg, options, err);
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
        (draw_output_write(options.output, draw, &options, &err) < 0 ||
         draw_options_say(&options, verbs[options.verb].name, &err) < 0))
        status = tool_fail("%s", err.text);
    draw_subject_close(&options.subject);
    return status;
}
