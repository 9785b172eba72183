/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* doctor_main.c - topomap doctor: is this installation what it should be */
#include "config.h"

#include "tools/common/command_line.h"

#include "tools/common/installed.h"
#include "tools/common/script.h"
#include "tools/doctor/checks.h"
#include "tools/doctor/doctor_here.h"
#include "tools/table/told.h"

#include "launch/plain_name.h"

#include <stdio.h>
#include <stdlib.h>

static int take_type(void *at, const char *text, struct mapcore_error *err)
{
    if (!plain_name_check(text, PLAIN_NAME_MOST))
        return error_set(err, MAPCORE_EINVAL, "'%.64s' is no type of MPI",
                         text);
    *(const char **)at = text;
    return 0;
}

static const struct option_row rows[] = {
    {.name = "launch",
     OPTION_INTO(struct doctor_options, launch),
     .help = "two steps of four ranks on two nodes, without MPI: do they move"},
    {.name = "mpi",
     .argument = "TYPE",
     OPTION_CALL_INTO(struct doctor_options, mpi, take_type),
     .help = "may ranks move under srun --mpi=TYPE: four ranks on two nodes "
             "are moved, and asked where they are"},
    {.name = "program",
     .argument = "FILE",
     OPTION_INTO(struct doctor_options, program),
     .help = "for --mpi: mpi_probe.c, built with the MPI of your programs "
             "(default: those that were built with topomap)"},
    {.name = "nodes",
     .argument = "NODES",
     OPTION_INTO(struct doctor_options, nodes),
     .help = "have these nodes, n[0-7], the same of topomap as this machine: "
             "a step of one task on each"},
    {.name = "srun",
     .argument = "FILE",
     OPTION_INTO(struct doctor_options, with),
     .help = "does this srun load the plugin: that of the next Slurm, before "
             "it is switched to (default: the one in PATH)"},
    {.name = "config",
     .argument = "FILE",
     OPTION_INTO(struct doctor_options, config),
     .help = "the site file (default: the one that plugstack.conf names, "
             "else " TOPOMAP_SITEFILE ")"},
    {.name = "here", OPTION_INTO(struct doctor_options, here)},
    {.name = "json",
     OPTION_INTO(struct doctor_options, json),
     .help = "print JSON"},
    {.name = "csv",
     OPTION_INTO(struct doctor_options, csv),
     .help = "comma-separated values, a line a finding"},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "doctor",
    .forms = (const char *const[]){"[--srun FILE] [--config FILE] [--json]",
                                   "[--launch] [--nodes NODES] [--mpi TYPE "
                                   "[--program FILE]] [--json] "
                                   "[-- SRUN-OPTION...]",
                                   NULL},
    .about = "Checks an installation by trying it, and prints a line for each "
             "thing that was tried: ok, !! where it is wrong, ! where it works "
             "and could be better, or -- where nothing could be found out; "
             "below it what to do. Without --launch, --nodes or --mpi it looks "
             "at all that takes no step.",
    .groups = {{rows, 0}},
    .stops = true,
    .rest = offsetof(struct doctor_options, srun),
    .words = offsetof(struct doctor_options, words),
    .more = "What stands behind -- goes to srun: --partition=debug.",
};

/* All that takes no step. */
static void look(struct doctor_report *report,
                 struct installation *installation,
                 const struct doctor_options *options)
{
    check_plugin(report, installation, options->with);
    check_files(report, installation);
    check_site(report, installation);
    check_catalogues(report, installation);
    doctor_say(report, VERDICT_UNTRIED, "steps", NULL,
               "none were started: --launch, --mpi TYPE and --nodes NODES do");
}

static void examine(struct doctor_report *report,
                    const struct doctor_options *options)
{
    struct installation installation = {.site_file = options->config};

    look(report, &installation, options);
    installation_clear(&installation);
}

/* Printed when it is whole. */
static int examine_for_programs(struct doctor_report *report,
                                const struct doctor_options *options,
                                struct mapcore_error *err)
{
    struct json_writer *writer;
    struct told_answer told;
    char *text = NULL;
    size_t n = 0;
    FILE *file = open_memstream(&text, &n);
    int error = MAPCORE_ENOMEM;

    if (!file)
        return error_set(err, MAPCORE_ENOMEM, "out of memory");
    writer = told_begin(&told, file, options->csv ? "findings" : NULL, err);
    if (writer) {
        report->writer = writer;
        json_begin_object(writer, NULL);
        json_begin_array(writer, "findings");
        examine(report, options);
        json_end_array(writer);
        json_put_u64(writer, "ok", report->count[VERDICT_OK]);
        json_put_u64(writer, "untried", report->count[VERDICT_UNTRIED]);
        json_put_u64(writer, "warnings", report->count[VERDICT_WARNING]);
        json_put_u64(writer, "wrong", report->count[VERDICT_WRONG]);
        json_end_object(writer);
        error = told_end(&told, 0, err);
    }
    fclose(file);
    if (error == 0)
        fputs(text, stdout);
    free(text);
    return error;
}

/* What takes a step is tried by doctor.py, which is told where the MPI programs
 * and the source of them are. */
static int try_steps(struct doctor_options *options, struct mapcore_error *err)
{
    struct buffer probes = {0}, source = {0};
    struct tool_list *words = &options->words;
    int error = installed_path(&probes, TOPOMAP_PROBEDIR, ".", err);

    if (error == 0)
        error =
            installed_path(&source, TOPOMAP_PROBESRCDIR, "mpi_probe.c", err);
    if (error == 0 && (error = tool_list_add(words, "probes", err)) == 0 &&
        (error = tool_list_add(words, probes.bytes, err)) == 0 &&
        (error = tool_list_add(words, "source", err)) == 0 &&
        (error = tool_list_add(words, source.bytes, err)) == 0)
        error = script_become("doctor.py", "doctor", words, options->srun, err);
    buffer_clear(&probes);
    buffer_clear(&source);
    return error;
}

static int act(struct doctor_report *report,
               struct doctor_options *options,
               struct mapcore_error *err)
{
    if (options->here)
        return doctor_here_print(options->config, err);
    if (options->launch || options->nodes || options->mpi)
        return try_steps(options, err);
    if (options->json || options->csv)
        return examine_for_programs(report, options, err);
    examine(report, options);
    return 0;
}

int doctor_main(int argc, char **argv)
{
    struct doctor_options options = {0};
    struct doctor_report report = {0};
    struct mapcore_error err;
    int status;

    if (!command_line_parse(&status, &line, &options, argc, argv))
        return status;
    if (options.program && !options.mpi)
        return tool_usage("doctor", "--program is for --mpi");
    if (act(&report, &options, &err) < 0)
        status = tool_fail("%s", err.text);
    else if (report.count[VERDICT_WRONG] > 0)
        status = TOOL_FAILED;
    free(options.words.item);
    return status;
}
