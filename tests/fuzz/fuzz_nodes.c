/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz_nodes.c - what nodes have reported of themselves, beside a user's own
 * catalogue; and what hwloc makes of it is fuzz_node.c's */
#include "config.h"

#include "fuzz.h"

#include "base/text.h"
#include "launch/plain_name.h"
#include "tools/plan/cluster_cache.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_string(data, size), again[2 * NODE_FILE_MOST];
    struct node_tree told = {.levels = ""};

    if (node_tree_parse(&told, text)) {
        EXPECT(plain_name_check(told.node, sizeof(told.node) - 1));
        EXPECT(told.levels[0] != '\0' && text_is_line(told.levels));
        snprintf(again, sizeof(again), NODE_HEAD "node %s\nlevels %s\n",
                 told.node, told.levels);
        EXPECT(strcmp(text, again) == 0);
    }
    free(text);
    return 0;
}
