/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_main.c - topomap profile: which verb, and which options it takes */
#include "config.h"

#include "tools/profile/profile_tool.h"

#include "base/array.h"
#include "graph/graph.h"
#include "tools/common/command_line.h"
#include "tools/inputs/graphs.h"

#include <stdlib.h>
#include <string.h>

/* Verbs, and bits of them for the rows. */
#define FOR(verb) (1 << VERB_##verb)
enum {
    VERB_LIST,
    VERB_SHOW,
    VERB_GRAPHS,
    VERB_GRID,
    VERB_EXPORT,
    VERB_IMPORT,
    VERB_PACK,
    VERB_UNPACK,
    VERB_MERGE,
    VERB_RM,
    VERB_PRUNE,
    VERB_RECORDER,
    VERB_COLLECT,
};

/* Of verbs, or of the first with it; the row behind each has no name. */
static const struct option_row operand[][2] = {
    [VERB_LIST] = {{OPTION_NAMED("PROGRAM", struct profile_options, operand)}},
    [VERB_SHOW] = {{OPTION_NAMED("PROFILE", struct profile_options, operand),
                    .required = true}},
    [VERB_GRID] =
        {{OPTION_NAMED("PROFILE|GRAPH", struct profile_options, operand),
          .required = true}},
    [VERB_IMPORT] = {{OPTION_NAMED("GRAPH", struct profile_options, operand),
                      .required = true}},
    [VERB_MERGE] = {{OPTION_NAMED("FOLDER", struct profile_options, operand),
                     .required = true}},
    [VERB_UNPACK] = {{OPTION_NAMED("FILE", struct profile_options, operand),
                      .required = true}},
    [VERB_RECORDER] =
        {{OPTION_NAMED("PROGRAM", struct profile_options, operand),
          .required = true}},
    [VERB_COLLECT] =
        {{OPTION_NAMED("FOLDER", struct profile_options, operand)}},
};

static const struct option_verb verbs[] = {
    [VERB_LIST] = {"list", operand[VERB_LIST]},
    [VERB_SHOW] = {"show", operand[VERB_SHOW]},
    [VERB_GRAPHS] = {"graphs", operand[VERB_SHOW]},
    [VERB_GRID] = {"grid", operand[VERB_GRID]},
    [VERB_EXPORT] = {"export", operand[VERB_SHOW]},
    [VERB_IMPORT] = {"import", operand[VERB_IMPORT]},
    [VERB_PACK] = {"pack", operand[VERB_SHOW]},
    [VERB_UNPACK] = {"unpack", operand[VERB_UNPACK]},
    [VERB_MERGE] = {"merge", operand[VERB_MERGE]},
    [VERB_RM] = {"rm", operand[VERB_SHOW]},
    [VERB_PRUNE] = {"prune", operand[VERB_LIST]},
    [VERB_RECORDER] = {"recorder", operand[VERB_RECORDER]},
    [VERB_COLLECT] = {"collect", operand[VERB_COLLECT]},
    {NULL, NULL},
};

static profile_verb *const run[] = {
    [VERB_LIST] = profile_list_run,
    [VERB_SHOW] = profile_show_run,
    [VERB_GRAPHS] = profile_graphs_run,
    [VERB_GRID] = profile_grid_run,
    [VERB_EXPORT] = profile_export_run,
    [VERB_IMPORT] = profile_import_run,
    [VERB_PACK] = profile_pack_run,
    [VERB_UNPACK] = profile_unpack_run,
    [VERB_MERGE] = profile_merge_run,
    [VERB_RM] = profile_rm_run,
    [VERB_PRUNE] = profile_prune_run,
    [VERB_RECORDER] = profile_recorder_run,
    [VERB_COLLECT] = profile_collect_run,
};

static const struct option_word mpis[] = {
    {"mpich", PROFILE_MPICH, NULL, false},
    {"openmpi", PROFILE_OPENMPI, NULL, false},
    {NULL, 0, NULL, false},
};

static const struct option_row rows[] = {
    {OPTION_TAKES("catalogue", "DIR", struct profile_options, catalogues),
     .verbs = FOR(LIST) | FOR(SHOW) | FOR(GRAPHS) | FOR(GRID) | FOR(EXPORT) |
              FOR(PACK) | FOR(IMPORT) | FOR(UNPACK) | FOR(MERGE) | FOR(RM) |
              FOR(PRUNE) | FOR(COLLECT)},
    {OPTION_TAKES("config", "FILE", struct profile_options, config),
     .verbs = FOR(LIST) | FOR(SHOW) | FOR(GRAPHS) | FOR(GRID) | FOR(EXPORT) |
              FOR(PACK) | FOR(PRUNE)},
    {OPTION_NAMED("all", struct profile_options, all_versions),
     .verbs = FOR(LIST) | FOR(RM)},
    {OPTION_NAMED("json", struct profile_options, form.json)},
    {OPTION_NAMED("csv", struct profile_options, form.csv)},
    {OPTION_TAKES("graph", "NAME", struct profile_options, graph),
     .verbs = FOR(GRID) | FOR(EXPORT) | FOR(IMPORT)},
    {OPTION_TAKES("phase", "PHASE", struct profile_options, phase),
     .verbs = FOR(EXPORT)},
    {OPTION_TAKES("share", "S", struct profile_options, share), .least = 1e-6,
     .most = 1, .shows_default = true,
     .verbs = FOR(GRAPHS) | FOR(GRID) | FOR(EXPORT)},
    {OPTION("from", "FORMAT"),
     OPTION_WORD_INTO(struct profile_options, format, graphs_formats),
     .verbs = FOR(GRID) | FOR(IMPORT)},
    {OPTION_TAKES("neighbours", "N", struct profile_options, neighbours),
     .min = 1, .verbs = FOR(EXPORT)},
    {OPTION_TAKES("least", "BYTES", struct profile_options, least), .min = 1,
     .verbs = FOR(EXPORT)},
    {OPTION_TAKES("bits", "N", struct profile_options, bits), .min = 1,
     .max = 63, .verbs = FOR(EXPORT)},
    {OPTION_TAKES("keep", "N", struct profile_options, keep), .min = 1,
     .required = true, .verbs = FOR(PRUNE)},
    {OPTION_NAMED("users", struct profile_options, users), .verbs = FOR(PRUNE)},
    {OPTION_NAMED("dry-run", struct profile_options, dry_run),
     .verbs = FOR(RM) | FOR(PRUNE)},
    {OPTION_TAKES("output", "FILE", struct profile_options, output),
     .letter = 'o', .verbs = FOR(EXPORT) | FOR(PACK)},
    {OPTION_TAKES("program", "FILE", struct profile_options, program),
     .verbs = FOR(IMPORT)},
    {OPTION_TAKES("name", "NAME", struct profile_options, name),
     .verbs = FOR(IMPORT) | FOR(RECORDER) | FOR(COLLECT)},
    /* What archives.py has made of FILE. */
    {OPTION_TAKES("folder", "DIR", struct profile_options, folder),
     .verbs = FOR(UNPACK)},
    /* These two from srun: the recorder that it was given, and the name of a
     * spool to be made, with its nodes, its tasks and every= or 0 behind it,
     * unless time alone is counted. */
    {OPTION_TAKES("file", "FILE", struct profile_options, folder),
     .verbs = FOR(RECORDER)},
    {OPTION_TAKES("spool", "WORDS", struct profile_options, run),
     .verbs = FOR(RECORDER)},
    /* STATUS:SECONDS of a launcher whose spool it is, from launchers.py. */
    {OPTION_TAKES("run", "END", struct profile_options, run),
     .verbs = FOR(COLLECT)},
    {OPTION_NAMED("replace", struct profile_options, replace),
     .verbs = FOR(IMPORT) | FOR(UNPACK)},
    {OPTION_TAKES("ntasks", "N", struct profile_options, ntasks), .min = 1,
     .verbs = FOR(IMPORT) | FOR(RECORDER)},
    {OPTION_TAKES("node", "NODE", struct profile_options, node),
     .verbs = FOR(IMPORT)},
    {OPTION("mpi", "MPI"), OPTION_WORD_INTO(struct profile_options, mpi, mpis),
     .verbs = FOR(RECORDER)},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "profile",
    .verbs = verbs,
    .verb = offsetof(struct profile_options, verb),
    .groups = {{rows, 0}},
};

/* topomap profile recorder -- COMMAND ARGUMENT...: the command is one operand,
 * and all its words are kept apart. */
static int cut_command(struct profile_options *options, int *argc, char **argv)
{
    int i = 2;

    if (*argc < 2 || strcmp(argv[1], verbs[VERB_RECORDER].name) != 0)
        return TOOL_OK;
    while (i < *argc && strcmp(argv[i], "--") != 0)
        i++;
    if (i + 2 >= *argc)
        return TOOL_OK;
    options->command = array_copy(argv + i + 1, (size_t)(*argc - i),
                                  sizeof(*options->command), options->err);
    if (!options->command)
        return MAPCORE_ENOMEM;
    argv[i + 2] = NULL;
    *argc = i + 2;
    return TOOL_OK;
}

int profile_main(int argc, char **argv, struct mapcore_error *err)
{
    struct profile_options options = {.err = err,
                                      .share = MAPCORE_CRITICAL_SHARE};
    int status;

    if ((status = cut_command(&options, &argc, argv)) == TOOL_OK &&
        command_line_parse(&status, &line, &options, argc, argv))
        status = run[options.verb](&options);
    free(options.command);
    free(options.catalogues.item);
    return status;
}
