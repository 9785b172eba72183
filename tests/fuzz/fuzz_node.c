/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz_node.c - the inside of a host in hwloc's words: whatever opens has
 * distances. No XML: it is read in a fork, of which few fit into a second */
#include "config.h"

#include "fuzz.h"

#include "topo/hwnode.h"

/* hwloc takes counts at their word: minutes for a few digits. */
static int is_large(const char *text)
{
    uint64_t product = 1;

    for (const char *c = text; *c; c++)
        if (*c >= '0' && *c <= '9') {
            uint64_t n = strtoull(c, NULL, 0);

            product *= n > 0 && n < 10000 ? n : n > 0 ? 10000 : 1;
            if (product > 4096)
                return 1;
            while (c[1] >= '0' && c[1] <= '9')
                c++;
        }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { NSLOTS = 6 };
    char *text = fuzz_string(data, size);
    struct mapcore_hwnode *node = NULL;

    /* Its plugins would load libxml2 and drivers of GPUs. */
    setenv("HWLOC_PLUGINS_PATH", "/dev/null", 1);
    if (text[0] != '<' && !is_large(text) &&
        mapcore_hwnode_create(&node, text, NULL) == 0) {
        for (uint32_t a = 0; a < NSLOTS; a++) {
            EXPECT(mapcore_hwnode_distance(node, NSLOTS, a, a) == 0);
            for (uint32_t b = 0; b < NSLOTS; b++)
                EXPECT(mapcore_hwnode_distance(node, NSLOTS, a, b) ==
                       mapcore_hwnode_distance(node, NSLOTS, b, a));
        }
    }
    mapcore_hwnode_destroy(node);
    free(text);
    return 0;
}
