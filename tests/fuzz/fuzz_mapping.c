/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz_mapping.c - mapping files of our own; those of launchers are Python's
 * (system/mapping_readers.sh) */
#include "config.h"

#include "fuzz.h"

#include "alloc/mapping.h"
#include "alloc/mapping_lines.h"

static const char *const names[] = {"n0", "n1", "n2", "n3"};
static const uint32_t slots[] = {2, 0, 3, 2};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t arity = 4;
    struct mapcore_mapping *mapping = NULL;
    struct mapcore_topo *topo;
    struct mapcore_alloc *alloc;
    struct text *text;

    EXPECT(mapcore_topo_create_fat_tree(&topo, 1, &arity, NULL, NULL, names,
                                        NULL) == 0);
    EXPECT(mapcore_alloc_create(&alloc, topo, 4, NULL, slots, NULL) == 0);
    EXPECT(text_open_memory(&text, "f", (const char *)data, size, NULL) == 0);
    if (mapping_lines_read(&mapping, alloc, text) == 0) {
        EXPECT(mapping->ntasks > 0 && mapping->ntasks <= 7);
        for (uint32_t t = 0; t < mapping->ntasks; t++)
            EXPECT(mapping->slot[t] < slots[mapping->host[t]]);
    }
    text_close(text);
    mapcore_mapping_destroy(mapping);
    mapcore_alloc_destroy(alloc);
    mapcore_topo_destroy(topo);
    return 0;
}
