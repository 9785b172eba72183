/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* columns.c - names of columns: one table for lists of edges and for GraphML */
#include "config.h"

#include "graph/file/columns.h"

#include <strings.h>

enum column columns_find(const char *word, unsigned *rank)
{
    static const char *const names[COLUMN_OTHER][12] = {
        [COLUMN_FROM] = {"src", "source", "from", "sender", "a", "rank", "task",
                         "i"},
        [COLUMN_TO] = {"dst", "dest", "destination", "target", "to", "receiver",
                       "b", "peer", "partner", "j"},
        [COLUMN_BYTES] = {"bytes", "byte", "nbytes", "volume", "size", "weight",
                          "data", "value", "total_bytes", "bytes_sent"},
    };

    for (int c = 0; c < COLUMN_OTHER; c++)
        for (unsigned i = 0; i < 12 && names[c][i]; i++)
            if (strcasecmp(word, names[c][i]) == 0) {
                *rank = i;
                return (enum column)c;
            }
    return COLUMN_OTHER;
}
