/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* report_main.c - topomap report: all pictures of a program in one page */
#include "config.h"

#include "tools/draw/draw_options.h"
#include "tools/draw/draw_output.h"
#include "tools/draw/report/report_page.h"

static const struct option_row operands[] = {
    {.name = "PROFILE|GRAPH",
     OPTION_INTO(struct draw_options, subject.inputs.source.path),
     .required = true,
     .help = DRAW_OPERAND_HELP},
    {.name = NULL},
};

struct report_request {
    struct draw_options options;
    char *const *command; /* as typed */
};

static int report(FILE *file, void *arg, struct mapcore_error *err)
{
    struct report_request *request = arg;
    struct draw_subject *subject = &request->options.subject;
    struct traffic traffic = {0};
    const char *type;
    int error = draw_subject_open(subject, err);

    if (error == 0)
        error = draw_options_traffic(&traffic, &type, &request->options, err);
    if (error == 0)
        error =
            report_page_write(file, subject, &traffic, request->command, err);
    traffic_clear(&traffic);
    return error;
}

int report_main(int argc, char **argv)
{
    struct report_request request = {.options = {.subject = {.seconds = 2}},
                                     .command = argv};
    struct draw_options *options = &request.options;
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
    if (command_line_parse(&status, &line, options, argc, argv) &&
        (status = draw_options_check(options, "report")) == TOOL_OK &&
        (draw_output_write(options->output, report, &request, &err) < 0 ||
         draw_options_say(options, "report", &err) < 0))
        status = tool_fail("%s", err.text);
    draw_subject_close(&options->subject);
    return status;
}
