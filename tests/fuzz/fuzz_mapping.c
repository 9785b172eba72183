/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz_mapping.c - mapping files of our own, with the number of hosts known or
 * not; those of launchers are Python's (system/mapping_readers.sh) */
#include "config.h"

#include "fuzz.h"

#include "alloc/file/mapping_lines.h"

static const char *const names[] = {"n0", "n1", "n2", "n3"};
static const uint32_t slots[] = {2, 0, 3, 2};
/* What an allocation of the same hosts says to it. */
static void place(const struct mapping_lines *lines)
{
    static const uint32_t arity = 4;
    struct mapcore_mapping *mapping = NULL;
    struct mapcore_topo *topo;
    struct mapcore_alloc *alloc;

    EXPECT(mapcore_topo_create_tree(&topo, 1, &arity, names, NULL) == 0);
    EXPECT(mapcore_alloc_create(&alloc, topo, 4, NULL, slots, NULL) == 0);
    if (mapping_lines_place(&mapping, lines, alloc, "f", NULL) == 0) {
        EXPECT(mapping->ntasks == lines->n && mapping->ntasks <= 7);
        for (uint32_t t = 0; t < mapping->ntasks; t++)
            EXPECT(mapping->slot[t] < slots[mapping->host[t]]);
    }
    mapcore_mapping_destroy(mapping);
    mapcore_alloc_destroy(alloc);
    mapcore_topo_destroy(topo);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (uint32_t nhosts = 0; nhosts <= 4; nhosts += 4) {
        struct mapping_lines lines = {0};
        struct text *text;

        EXPECT(text_open_memory(&text, "f", (const char *)data, size, NULL) ==
               0);
        if (mapping_lines_read(&lines, text, nhosts, NULL) == 0) {
            EXPECT(lines.n > 0);
            for (uint32_t t = 0; t < lines.n && nhosts > 0; t++)
                EXPECT(lines.host[t] < nhosts);
            if (nhosts > 0)
                place(&lines);
        }
        mapping_lines_clear(&lines);
        text_close(text);
    }
    return 0;
}
