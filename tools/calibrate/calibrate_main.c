/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* calibrate_main.c - topomap calibrate: starts the program that measures, by
 * srun
 */
#include "config.h"

#include "tools/calibrate/merge.h"
#include "tools/common/command_line.h"
#include "tools/common/installed.h"
#include "tools/table/told.h"

#include "base/array.h"
#include "base/buffer.h"
#include "json/json.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST = 4194304 };

struct calibrate_options {
    const char *mpi, *program, *output, *merge, *from;
    uint32_t longest;
    double sample_s;
    bool json, csv;
    char **srun; /* further words for srun, up to a NULL */
};

static const struct option_row rows[] = {
    {.name = "mpi",
     .argument = "TYPE",
     OPTION_INTO(struct calibrate_options, mpi),
     .help = "how MPI programs are started here: srun --mpi=TYPE"},
    {.name = "output",
     .letter = 'o',
     .argument = "FILE",
     OPTION_INTO(struct calibrate_options, output),
     .help = "also write the ports as a site file, topomap.json(5)"},
    {.name = "merge",
     .argument = "SITEFILE",
     OPTION_INTO(struct calibrate_options, merge),
     .help = "measure nothing: put what --from has into this site file, and "
             "keep what it was as SITEFILE~"},
    {.name = "from",
     .argument = "FILE",
     OPTION_INTO(struct calibrate_options, from),
     .help = "that of an earlier --output"},
    {.name = "program",
     .argument = "FILE",
     OPTION_INTO(struct calibrate_options, program),
     .help = "mpi_calibrate*.c, built with the MPI of your programs (default: "
             "what was built with topomap: Open MPI's under pmix, else "
             "MPICH's)"},
    {.name = "longest",
     .argument = "BYTES",
     OPTION_INTO(struct calibrate_options, longest),
     .min = 1,
     .max = LONGEST,
     .help = "no longer messages (default 4194304)"},
    {.name = "sample",
     .argument = "SECONDS",
     OPTION_INTO(struct calibrate_options, sample_s),
     .least = 1e-6,
     .most = 60},
    {.name = "json",
     OPTION_INTO(struct calibrate_options, json),
     .help = "print JSON: what was measured, or what --merge has changed"},
    {.name = "csv",
     OPTION_INTO(struct calibrate_options, csv),
     .help = "the same as comma-separated values"},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "calibrate",
    .forms = (const char *const[]){"--mpi TYPE [OPTION]... [-- SRUN-OPTION...]",
                                   "--merge SITEFILE --from FILE", NULL},
    .about = "Measures in a job how fast ranks reach each other: bandwidth and "
             "latency by the length of messages, for ranks of one cache, NUMA "
             "node, package, node and leaf switch, and across; a pair alone, "
             "and all pairs at once.",
    .groups = {{rows, 0}},
    .stops = true,
    .rest = offsetof(struct calibrate_options, srun),
    .more = "What stands behind -- goes to srun: -N4 --ntasks-per-node=8 "
            "--exclusive.",
};

/* What was installed for that type: which MPI it starts is a matter of custom,
 * and srun says so where it is none of the site's. */
static int find_program(struct buffer *out,
                        const struct calibrate_options *options,
                        struct mapcore_error *err)
{
    int error;

    if (options->program)
        return buffer_printf(out, err, "%s%s",
                             strchr(options->program, '/') ? "" : "./",
                             options->program);
    error = installed_path(out, TOPOMAP_PROBEDIR,
                           strncmp(options->mpi, "pmix", 4) == 0
                               ? "mpi-calibrate-openmpi"
                               : "mpi-calibrate-mpich",
                           err);
    if (error == 0 && access(out->bytes, X_OK) != 0)
        error = error_set(err, MAPCORE_ENOENT,
                          "%s: %s; --program names one (topomap-calibrate(1) "
                          "says how it is built)",
                          out->bytes, strerror(errno));
    return error;
}

/* Becomes srun: its signals, its terminal and its status are what they are
 * without us. */
static int run(const struct calibrate_options *options,
               struct mapcore_error *err)
{
    struct buffer program = {0}, mpi = {0}, longest = {0}, sample = {0};
    size_t n = 0, more = 0;
    const char **words = NULL;
    int error;

    while (options->srun && options->srun[more])
        more++;
    if ((error = find_program(&program, options, err)) < 0 ||
        (error = buffer_printf(&mpi, err, "--mpi=%s", options->mpi)) < 0 ||
        (error = buffer_printf(&longest, err, "%u",
                               (unsigned)options->longest)) < 0 ||
        (error = buffer_printf(&sample, err, "%.9g", options->sample_s)) < 0)
        goto out;
    words = array_alloc(more + 12, sizeof(*words), err);
    if (!words) {
        error = MAPCORE_ENOMEM;
        goto out;
    }
    words[n++] = "srun";
    words[n++] = mpi.bytes;
    for (size_t i = 0; i < more; i++)
        words[n++] = options->srun[i];
    words[n++] = program.bytes;
    words[n++] = "--longest";
    words[n++] = longest.bytes;
    words[n++] = "--sample";
    words[n++] = sample.bytes;
    if (options->json)
        words[n++] = "--json";
    if (options->csv)
        words[n++] = "--csv";
    if (options->output) {
        words[n++] = "--output";
        words[n++] = options->output;
    }
    words[n] = NULL;
    /* What is measured is Slurm's own layout. */
    unsetenv("TOPOMAP");
    execvp("srun", (char *const *)(uintptr_t)words);
    error = error_set(err, MAPCORE_EIO, "srun: %s", strerror(errno));
out:
    free(words);
    buffer_clear(&program);
    buffer_clear(&mpi);
    buffer_clear(&longest);
    buffer_clear(&sample);
    return error;
}

/* What --merge has done. */
static int print_json(const struct calibrate_options *options,
                      struct mapcore_error *err)
{
    struct buffer kept = {0};
    struct told_answer told;
    struct json_writer *writer =
        told_begin(&told, stdout, options->csv ? TOLD_ONE_ROW : NULL, err);
    int error = writer ? buffer_printf(&kept, err, "%s~", options->merge)
                       : MAPCORE_ENOMEM;

    if (error == 0) {
        json_begin_object(writer, NULL);
        json_put_string(writer, "site_file", options->merge);
        json_put_string(writer, "from", options->from);
        json_put_string(writer, "kept", kept.bytes);
        json_end_object(writer);
    }
    if (writer)
        error = told_end(&told, error, err);
    buffer_clear(&kept);
    return error;
}

int calibrate_main(int argc, char **argv)
{
    struct calibrate_options options = {.longest = LONGEST, .sample_s = 0.005};
    struct mapcore_error err;
    int status;

    if (!command_line_parse(&status, &line, &options, argc, argv))
        return status;
    if (!options.merge != !options.from || !options.merge == !options.mpi)
        return tool_usage("calibrate", "either --mpi, or --merge and --from");
    if (!options.merge)
        run(&options, &err);
    else if (calibrate_merge(options.merge, options.from, &err) == 0 &&
             ((!options.json && !options.csv) ||
              print_json(&options, &err) == 0))
        return TOOL_OK;
    return tool_fail("%s", err.text);
}
