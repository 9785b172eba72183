/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_main.c - topomap grid: picks the verb, each of which has options of its
 * own */
#include "config.h"

#include "tools/common/command_line.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    tool_command *run;
    const char *summary;
} verbs[] = {
    {"order", grid_order_main, "rank orders that give every node a block"},
    {"dims", grid_dims_main, "dimensions that fit nodes, packages and cores"},
    {"select", grid_select_main, "nodes of a 3-D torus for a grid"},
    {"layout", grid_layout_main, "a lattice over an allocation that is no box"},
};
enum { NVERBS = sizeof(verbs) / sizeof(*verbs) };

static int print_help(void)
{
    printf("usage: topomap grid VERB [OPTION]...\n\n"
           "Cartesian grids of ranks, and tori for them.\n\n");
    for (size_t i = 0; i < NVERBS; i++)
        printf("  %-8s%s\n", verbs[i].name, verbs[i].summary);
    printf("\n'topomap grid VERB --help' has the options, topomap-grid(1) the "
           "rest.\n");
    return TOOL_OK;
}

int grid_main(int argc, char **argv, struct mapcore_error *err)
{
    static const char names[] = "order, dims, select or layout";

    if (argc < 2)
        return tool_usage("grid", "%s?", names);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return print_help();
    for (size_t i = 0; i < NVERBS; i++) {
        if (strcmp(argv[1], "--complete") == 0)
            printf("VERB %s\n", verbs[i].name);
        else if (strcmp(argv[1], verbs[i].name) == 0)
            return verbs[i].run(argc - 1, argv + 1, err);
    }
    return strcmp(argv[1], "--complete") == 0
               ? TOOL_OK
               : tool_usage("grid", "'%s' is not %s", argv[1], names);
}
