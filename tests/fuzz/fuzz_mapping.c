/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz_mapping.c - mapping files of every form, with all, some and nothing
 * known of the hosts */
#include "config.h"

#include "fuzz.h"

#include "alloc/file/mapping_lines.h"

static const char *const names[] = {"n0", "n1", "n2", "n3"};
static const uint32_t slots[] = {2, 0, 3, 2};
static const struct mapping_hosts known[] = {
    {4, names, slots, false},
    {4, names, NULL, false},
    {4, NULL, slots, true},
    {0, NULL, NULL, true},
};

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
    for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++) {
        for (int f = MAPCORE_MAPPING_ANY; f <= MAPCORE_MAPPING_MPICH; f++) {
            enum mapcore_mapping_form form = (enum mapcore_mapping_form)f;
            struct mapping_lines lines = {0};
            struct text *text;

            EXPECT(text_open_memory(&text, "f", (const char *)data, size,
                                    NULL) == 0);
            if (mapping_lines_read(&lines, &form, text, &known[k], NULL) == 0) {
                EXPECT(lines.n > 0);
                for (uint32_t t = 0; t < lines.n && known[k].n > 0; t++)
                    EXPECT(lines.host[t] < 4);
                if (known[k].n > 0)
                    place(&lines);
            }
            mapping_lines_clear(&lines);
            text_close(text);
        }
    }
    return 0;
}
