/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_main.c - topomap profile: which verb, and which options it takes */
#include "config.h"

#include "tools/profile/profile_tool.h"

#include "graph/critical.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: topomap profile list [PROGRAM] [--all-versions] [--json]\n"
    "       topomap profile show PROFILE [--json]\n"
    "       topomap profile graphs PROFILE [--share S] [--json]\n"
    "       topomap profile grid PROFILE [--graph NAME] [--share S] [--json]\n"
    "       topomap profile grid GRAPH [--format FORMAT] [--json]\n"
    "       topomap profile export PROFILE [--graph NAME] [--share S]\n"
    "                              [--neighbours N] [--least BYTES] [--bits N]\n"
    "                              [-o FILE]\n"
    "       topomap profile import GRAPH --program FILE | --name NAME\n"
    "                              [--ntasks N] [--type TYPE]\n"
    "       topomap profile merge FOLDER\n"
    "       topomap profile rm PROFILE [--all-versions]\n"
    "       topomap profile prune [PROGRAM] --keep N [--dry-run]\n"
    "       topomap profile recorder PROGRAM [--mpi mpich|openmpi]\n\n"
    "PROFILE is PROGRAM, PROGRAM:NTASKS, name:NAME, name:NAME:NTASKS, or the "
    "path\nof a version's folder. GRAPH is a file, for grid also a pattern: "
    "grid:4x8.\n\n"
    "  --catalogue DIR    look there too, behind your own catalogue (may be\n"
    "                     repeated); for import, rm, prune: there instead\n"
    "  --config FILE      the site file, for its catalogues\n"
    "                     (default " TOPOMAP_SITEFILE ")\n"
    "  --all-versions     older ones too, not only the current one\n"
    "  --json             print JSON\n"
    "  --graph NAME       the type of call, or sum (default) or weighted-sum\n"
    "                     of the critical ones, or all\n"
    "  --share S          how much of the communication time the critical\n"
    "                     types make up (default 0.9)\n"
    "  --format FORMAT    of GRAPH: metis, scotch, mtx or edges, where the\n"
    "                     file itself does not tell\n"
    "  --neighbours N     keep the N heaviest neighbours of each task\n"
    "  --least BYTES      keep edges of at least so much\n"
    "  --bits N           scale the weights so that their sum has N bits (31\n"
    "                     for METIS as Debian builds it)\n"
    "  --keep N           keep the N newest versions of each build and size\n"
    "  --dry-run          only print what would be removed\n"
    "  -o, --output FILE  write the graph to FILE, not to stdout\n"
    "  --program FILE     the program whose graph it is\n"
    "  --name NAME        or the name that srun is given by name=NAME\n"
    "  --ntasks N         refuse a graph of another number of tasks\n"
    "  --type TYPE        the type of call it is of (default p2p)\n"
    "  --mpi MPI          do not look which MPI the program uses\n";

/* Which options a verb takes, by their letters below. */
static const struct verb {
    const char *name, *options;
    int (*run)(const struct profile_options *options);
    const char *operand; /* in a message; NULL when it may be missing */
} verbs[] = {
    {"list", "Ccaj", profile_list_run, NULL},
    {"show", "Ccj", profile_show_run, "which profile?"},
    {"graphs", "Ccjs", profile_graphs_run, "which profile?"},
    {"grid", "Ccfgjs", profile_grid_run, "which profile or graph?"},
    {"export", "CcgosNLb", profile_export_run, "which profile?"},
    {"import", "Cpnkt", profile_import_run, "which graph file?"},
    {"merge", "C", profile_merge_run, "which folder of rows?"},
    {"rm", "Ca", profile_rm_run, "which profile?"},
    {"prune", "CKd", profile_prune_run, NULL},
    {"recorder", "m", profile_recorder_run, "for which program?"},
};

static const struct option longs[] = {
    {"catalogue", required_argument, NULL, 'C'},
    {"config", required_argument, NULL, 'c'},
    {"all-versions", no_argument, NULL, 'a'},
    {"json", no_argument, NULL, 'j'},
    {"format", required_argument, NULL, 'f'},
    {"graph", required_argument, NULL, 'g'},
    {"output", required_argument, NULL, 'o'},
    {"program", required_argument, NULL, 'p'},
    {"name", required_argument, NULL, 'n'},
    {"ntasks", required_argument, NULL, 'k'},
    {"type", required_argument, NULL, 't'},
    {"mpi", required_argument, NULL, 'm'},
    {"share", required_argument, NULL, 's'},
    {"neighbours", required_argument, NULL, 'N'},
    {"least", required_argument, NULL, 'L'},
    {"bits", required_argument, NULL, 'b'},
    {"keep", required_argument, NULL, 'K'},
    {"dry-run", no_argument, NULL, 'd'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static const char *option_name(int c)
{
    for (size_t i = 0; longs[i].name; i++)
        if (longs[i].val == c)
            return longs[i].name;
    return "?";
}

static int take_count(uint32_t *out, const char *option, uint64_t most)
{
    uint64_t n;

    if (!tool_take_u64("profile", option, optarg, 1, most, &n))
        return TOOL_USAGE;
    *out = (uint32_t)n;
    return TOOL_OK;
}

static int take_option(struct profile_options *out, int c)
{
    struct mapcore_error err;

    switch (c) {
    case 'C':
        if (tool_list_add(&out->catalogues, optarg, &err) < 0)
            return tool_fail("%s", err.text);
        break;
    case 'c':
        out->config = optarg;
        break;
    case 'a':
        out->all_versions = true;
        break;
    case 'j':
        out->json = true;
        break;
    case 'f':
        out->format = optarg;
        break;
    case 'g':
        out->graph = optarg;
        break;
    case 'o':
        out->output = optarg;
        break;
    case 'p':
        out->program = optarg;
        break;
    case 'n':
        out->name = optarg;
        break;
    case 'k':
        return take_count(&out->ntasks, "--ntasks", MAPCORE_NONE - 1);
    case 'K':
        return take_count(&out->keep, "--keep", MAPCORE_NONE - 1);
    case 'N':
        return take_count(&out->neighbours, "--neighbours", MAPCORE_NONE - 1);
    case 'b':
        return take_count(&out->bits, "--bits", 63);
    case 'L':
        return tool_take_u64("profile", "--least", optarg, 1, UINT64_MAX,
                             &out->least)
                   ? TOOL_OK
                   : TOOL_USAGE;
    case 's':
        return tool_take_double("profile", "--share", optarg, 1e-6, 1,
                                &out->share)
                   ? TOOL_OK
                   : TOOL_USAGE;
    case 'd':
        out->dry_run = true;
        break;
    case 't':
        out->type = optarg;
        break;
    default:
        out->mpi = optarg;
        break;
    }
    return TOOL_OK;
}

/* The verb is the first word that is no option; getopt_long moves it and the
 * operand behind the options. seen collects the options' letters. */
static int parse_options(struct profile_options *out,
                         char *seen,
                         int argc,
                         char **argv)
{
    int c, error;

    opterr = 0;
    while ((c = getopt_long(argc, argv, ":ho:", longs, NULL)) != -1) {
        if (c == 'h') {
            fputs(help, stdout);
            *seen = 'h';
            return TOOL_OK;
        }
        if (c == '?' || c == ':')
            return tool_usage_getopt("profile", c, argv);
        if ((error = take_option(out, c)) != TOOL_OK)
            return error;
        if (!strchr(seen, c))
            seen[strlen(seen)] = (char)c;
    }
    return TOOL_OK;
}

static int run_verb(struct profile_options *options,
                    const char *seen,
                    int nwords,
                    char **words)
{
    const struct verb *verb = NULL;

    if (nwords == 0)
        return tool_usage("profile",
                          "list, show, graphs, grid, export, import, rm, "
                          "prune or recorder?");
    for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
        if (strcmp(verbs[i].name, words[0]) == 0)
            verb = &verbs[i];
    if (!verb)
        return tool_usage("profile",
                          "there is list, show, graphs, grid, export, import, "
                          "rm, prune and recorder, not '%s'",
                          words[0]);
    for (; *seen != '\0'; seen++)
        if (!strchr(verb->options, *seen))
            return tool_usage("profile", "--%s is not for %s",
                              option_name(*seen), verb->name);
    if (nwords == 1 && verb->operand)
        return tool_usage("profile", "%s %s", verb->name, verb->operand);
    if (nwords > 2)
        return tool_usage("profile", "%s takes one argument, not '%s' too",
                          verb->name, words[2]);
    options->operand = nwords > 1 ? words[1] : NULL;
    return verb->run(options);
}

int profile_main(int argc, char **argv)
{
    struct profile_options options = {.share = MAPCORE_CRITICAL_SHARE};
    char seen[sizeof(longs) / sizeof(*longs) + 1] = "";
    int error = parse_options(&options, seen, argc, argv);

    if (error == TOOL_OK && seen[0] != 'h')
        error = run_verb(&options, seen, argc - optind, argv + optind);
    free(options.catalogues.item);
    return error;
}
