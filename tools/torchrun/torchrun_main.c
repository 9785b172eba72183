/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* torchrun_main.c - topomap torchrun: PyTorch's launcher, with nodes numbered
 * as they were placed */
#include "config.h"

#include "tools/common/command_line.h"
#include "tools/common/script.h"

#include <string.h>

static const struct option_row rows[] = {
    {.name = NULL},
};

static const struct command_line line = {
    .name = "torchrun",
    .groups = {{rows, 0}},
};

/* All options are torchrun's. */
int torchrun_main(int argc, char **argv, struct mapcore_error *err)
{
    static const char *const ours[] = {"-h", "--help", "--complete"};
    const struct tool_list none = {.n = 0};
    int status;
    char unused;

    for (size_t i = 0; argc == 2 && i < sizeof(ours) / sizeof(*ours); i++)
        if (strcmp(argv[1], ours[i]) == 0 &&
            !command_line_parse(&status, &line, &unused, argc, argv))
            return status;
    return script_become("torchrun.py", "torchrun", &none, argv + 1, err);
}
