/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz_pattern.c - grids that are written as patterns, and their graphs */
#include "config.h"

#include "fuzz.h"

#include "graph/graph.h"
#include "grid/grid_make.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { FEW = 4096 };
    char *text = fuzz_string(data, size);
    struct mapcore_graph *graph = NULL;
    struct mapcore_pattern pattern;

    if (mapcore_pattern_parse(&pattern, text, NULL) == 0) {
        uint64_t ntasks = 1;

        EXPECT(pattern.ndims >= 1 && pattern.ndims <= MAPCORE_GRID_MAX_DIMS);
        for (uint32_t i = 0; i < pattern.ndims; i++)
            ntasks *= pattern.dims[i];
        EXPECT(ntasks == pattern.ntasks);
        EXPECT(mapcore_pattern_is(text));
        if (ntasks <= FEW &&
            mapcore_pattern_graph(&graph, text, pattern.ntasks, NULL) == 0)
            EXPECT(mapcore_graph_ntasks(graph) == pattern.ntasks);
        mapcore_graph_destroy(graph);
        EXPECT(mapcore_pattern_graph(&graph, text, pattern.ntasks + 1, NULL) <
               0);
    }
    free(text);
    return 0;
}
