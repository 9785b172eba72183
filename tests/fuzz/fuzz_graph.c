/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz_graph.c - graph files of all tools: all that is read is a graph, and
 * every form that it is written in reads back as the same */
#include "config.h"

#include "fuzz.h"

#include "graph/csr.h"
#include "graph/file/file.h"

static void expect_graph(const struct mapcore_graph *graph)
{
    uint64_t total = 0;

    EXPECT(graph->ntasks > 0 && graph->row[0] == 0);
    for (uint32_t t = 0; t < graph->ntasks; t++) {
        EXPECT(graph->row[t] <= graph->row[t + 1]);
        for (size_t i = graph->row[t]; i < graph->row[t + 1]; i++) {
            EXPECT(graph->task[i] < graph->ntasks && graph->task[i] != t);
            EXPECT(i == graph->row[t] || graph->task[i - 1] < graph->task[i]);
            EXPECT(graph->bytes[i] > 0);
            if (graph->task[i] > t)
                total += graph->bytes[i];
        }
    }
    EXPECT(total == graph->total && total <= INT64_MAX);
}

static void expect_same(const struct mapcore_graph *a,
                        const struct mapcore_graph *b)
{
    size_t n = a->row[a->ntasks];

    EXPECT(a->ntasks == b->ntasks && a->total == b->total);
    EXPECT(memcmp(a->row, b->row, (a->ntasks + 1) * sizeof(*a->row)) == 0);
    EXPECT(n == 0 || memcmp(a->task, b->task, n * sizeof(*a->task)) == 0);
    EXPECT(n == 0 || memcmp(a->bytes, b->bytes, n * sizeof(*a->bytes)) == 0);
}

static void write_and_read(const struct mapcore_graph *graph,
                           enum mapcore_graph_format format)
{
    const struct mapcore_graph_reading how = {.ntasks = graph->ntasks};
    struct mapcore_graph *again;
    char *text = NULL;
    size_t n = 0;
    FILE *file = open_memstream(&text, &n);

    EXPECT(file != NULL);
    EXPECT(mapcore_graph_write(graph, format, file, NULL) == 0);
    fclose(file);
    if (format != MAPCORE_GRAPH_SCOTCH && format != MAPCORE_GRAPH_NPY) {
        EXPECT(mapcore_graph_parse(&again, "w", text, n, &how, NULL) == 0);
        expect_same(graph, again);
        mapcore_graph_destroy(again);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* In all formats, as the file says and cut into a few tasks. */
    for (int i = 0; i < 2 * (MAPCORE_GRAPH_NPY + 1); i++) {
        const struct mapcore_graph_reading how = {
            .format = (enum mapcore_graph_format)(i / 2),
            .ntasks = i % 2 != 0 ? 3 : 0,
        };
        struct mapcore_graph *graph = NULL;
        struct mapcore_error err = {""};
        int code = mapcore_graph_parse(&graph, "f", (const char *)data, size,
                                       &how, &err);

        EXPECT((code == 0) == (graph != NULL));
        EXPECT((code == 0) == (err.text[0] == '\0'));
        if (!graph)
            continue;
        expect_graph(graph);
        if (graph->ntasks < 1000)
            for (int f = 0; f <= MAPCORE_GRAPH_NPY; f++)
                write_and_read(graph, (enum mapcore_graph_format)f);
        mapcore_graph_destroy(graph);
    }
    return 0;
}
