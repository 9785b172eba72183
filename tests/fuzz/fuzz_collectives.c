/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz_collectives.c - the file of collectives in a profile, expanded into task
 * graphs in both ways */
#include "config.h"

#include "fuzz.h"

#include "profiles/expand.h"

static char program[] = "app";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const types[] = {"bcast", "gather", "allreduce",
                                        "alltoall", "barrier"};
    const struct profile profile = {.ntasks = 64, .program = program};

    for (size_t i = 0; i < 2 * sizeof(types) / sizeof(*types); i++) {
        struct mapcore_graph *graph = NULL;
        struct text *text;

        EXPECT(text_open_memory(&text, "f", (const char *)data, size, NULL) ==
               0);
        if (expand_text(&graph, &profile, text, types[i / 2],
                        i % 2 ? ALGORITHM_TREE : ALGORITHM_DIRECT) == 0)
            EXPECT(mapcore_graph_ntasks(graph) == 64);
        mapcore_graph_destroy(graph);
        text_close(text);
    }
    return 0;
}
