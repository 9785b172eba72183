/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* doctor_main.c - topomap doctor: is this installation what it should be */
#include "config.h"

#include "tools/common/command_line.h"

#include "tools/doctor/doctor.h"

#include "launch/plain_name.h"

static int take_type(void *at, const char *text, struct mapcore_error *err)
{
    if (!plain_name_check(text, PLAIN_NAME_MOST))
        return error_set(err, MAPCORE_EINVAL, "'%.64s' is no type of MPI",
                         text);
    *(const char **)at = text;
    return 0;
}

static const struct option_row rows[] = {
    {.name = "mpi",
     .argument = "TYPE",
     OPTION_CALL_INTO(struct doctor_options, mpi, take_type),
     .required = true,
     .help = "may ranks move under srun --mpi=TYPE: four ranks on two nodes "
             "are moved, and asked where they are"},
    {.name = "program",
     .argument = "FILE",
     OPTION_INTO(struct doctor_options, program),
     .help = "mpi_probe.c, built with the MPI of your programs (default: those "
             "that were built with topomap)"},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "doctor",
    .forms = (const char *const[]){"--mpi TYPE [--program FILE] "
                                   "[-- SRUN-OPTION...]",
                                   NULL},
    .about = "Checks an installation by trying it, and prints a line for each "
             "thing that was tried: ok, !! where it is not as it should be, or "
             "-- where nothing could be found out.",
    .groups = {{rows, 0}},
    .stops = true,
    .rest = offsetof(struct doctor_options, srun),
    .more = "What stands behind -- goes to srun: --partition=debug.",
};

int doctor_main(int argc, char **argv)
{
    struct doctor_options options = {0};
    struct mapcore_error err;
    bool healthy;
    int status;

    if (!command_line_parse(&status, &line, &options, argc, argv))
        return status;
    if (doctor_check_mpi(&healthy, &options, &err) < 0)
        return tool_fail("%s", err.text);
    return healthy ? TOOL_OK : TOOL_FAILED;
}
