/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz_node.c - the inside of a host in hwloc's words: all that opens has
 * distances */
#include "config.h"

#include "fuzz.h"

#include "topo/hwnode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { NSLOTS = 6 };
    char *text = fuzz_string(data, size);
    struct mapcore_hwnode *node = NULL;

    if (mapcore_hwnode_create(&node, text, NULL) == 0) {
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
