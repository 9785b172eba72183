/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* report_main.c - topomap report: all pictures of a program in one page */
#include "config.h"

#include "tools/draw/draw_options.h"
#include "tools/draw/report_page.h"

static const struct option_row operands[] = {
    {.name = "PROFILE|GRAPH",
     OPTION_INTO(struct draw_options, subject.inputs.source.path),
     .required = true,
     .help = DRAW_OPERAND_HELP},
    {.name = NULL},
};

/* Nothing takes the name of the output that is not whole. */
static int report(struct draw_options *options,
                  char *const *command,
                  struct mapcore_error *err)
{
    struct tool_output output = {0};
    struct traffic traffic = {0};
    const char *type;
    int error =
        tool_output_open(&output, options->output ? options->output : "-", err);

    if (error < 0)
        return error;
    error = draw_subject_open(&options->subject, err);
    if (error == 0)
        error = draw_options_traffic(&traffic, &type, options, err);
    if (error == 0)
        error = report_page_write(output.file, &options->subject, &traffic,
                                  command, err);
    if (error == 0)
        error = tool_output_commit(&output, err);
    else
        tool_output_abandon(&output);
    traffic_clear(&traffic);
    return error;
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
        report(&options, argv, &err) < 0)
        status = tool_fail("%s", err.text);
    draw_subject_close(&options.subject);
    return status;
}
