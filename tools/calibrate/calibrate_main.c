/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* calibrate_main.c - topomap calibrate: its options, with which it becomes
 * calibrate.py */
#include "config.h"

#include "tools/common/command_line.h"
#include "tools/common/script.h"
#include "tools/site/site_ports.h"

#include <stdlib.h>

enum { LONGEST = 4194304 };

struct calibrate_options {
    const char *mpi, *program, *output, *merge, *from;
    uint32_t longest;
    double sample_s;
    bool json, csv;
    char **srun; /* further words for srun, up to a NULL */
    struct tool_list words;
};

static const struct option_row rows[] = {
    {OPTION_TAKES("mpi", "TYPE", struct calibrate_options, mpi)},
    {OPTION_TAKES("output", "FILE", struct calibrate_options, output),
     .letter = 'o'},
    {OPTION_TAKES("merge", "SITEFILE", struct calibrate_options, merge)},
    {OPTION_TAKES("from", "FILE", struct calibrate_options, from)},
    {OPTION_TAKES("program", "FILE", struct calibrate_options, program)},
    {OPTION_TAKES("longest", "BYTES", struct calibrate_options, longest),
     .min = 1, .max = LONGEST},
    {OPTION_TAKES("sample", "SECONDS", struct calibrate_options, sample_s),
     .least = 1e-6, .most = 60},
    {OPTION_NAMED("json", struct calibrate_options, json)},
    {OPTION_NAMED("csv", struct calibrate_options, csv)},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "calibrate",
    .groups = {{rows, 0}},
    .stops = true,
    .rest = offsetof(struct calibrate_options, srun),
    .words = offsetof(struct calibrate_options, words),
};

/* What a site file is, the command knows. */
static int check_site(const char *path, struct mapcore_error *err)
{
    struct site_file *site = NULL;
    struct site_ports ports = {0};
    int error = site_read(&site, path, err);

    if (error == 0)
        error = site_ports_read(&ports, site, err);
    site_ports_clear(&ports);
    site_close(site);
    return error;
}

static int become(const struct calibrate_options *options,
                  struct mapcore_error *err)
{
    const char *verb = options->merge ? "merge" : "measure";
    int error = 0;

    if (!options->merge != !options->from || !options->merge == !options->mpi)
        return tool_usage("calibrate", "either --mpi, or --merge and --from");
    if (options->merge && (error = check_site(options->from, err)) == 0)
        error = check_site(options->merge, err);
    return error < 0 ? error
                     : script_become("calibrate.py", verb, &options->words,
                                     options->srun, err);
}

int calibrate_main(int argc, char **argv, struct mapcore_error *err)
{
    struct calibrate_options options = {.longest = 0};
    int status;

    if (command_line_parse(&status, &line, &options, argc, argv))
        status = become(&options, err);
    free(options.words.item);
    return status;
}
