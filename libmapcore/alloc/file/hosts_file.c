/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hosts_file.c - the file of --nodefile: the hosts of a job, one a line */
#include "config.h"

#include "alloc/file/hosts_file.h"

#include "base/array.h"
#include "base/text.h"
#include "topo/topo.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

int hosts_file_read(uint32_t **host,
                    uint32_t *n,
                    const struct mapcore_topo *topo,
                    const char *path,
                    struct mapcore_error *err)
{
    struct arena arena = {.err = err};
    size_t *seen =
        arena_alloc(&arena, mapcore_topo_nhosts(topo), sizeof(*seen));
    struct text *text = NULL;
    uint32_t *found = NULL;
    size_t capacity = 0, count = 0;
    char *line;
    int error = arena.error < 0 ? arena.error : text_open(&text, path, err);

    while (error == 0 && (error = text_words_line(text, &line)) == 0 && line &&
           (error = array_reserve(&found, &capacity, count + 1, sizeof(*found),
                                  err)) == 0) {
        for (size_t k = strlen(line); isspace((unsigned char)line[k - 1]);)
            line[--k] = '\0';
        if (mapcore_topo_find_host(&found[count], topo, line, err) < 0)
            error = text_error_in(text, MAPCORE_EPARSE);
        else if (seen[found[count]] != 0)
            error = text_error(text, MAPCORE_EPARSE,
                               "node %s stands on line %zu already", line,
                               seen[found[count]]);
        else
            seen[found[count++]] = text_line_number(text);
    }
    if (error == 0 && count == 0)
        error = error_set(err, MAPCORE_EPARSE, "%s: no nodes in it", path);
    text_close(text);
    arena_clear(&arena);
    if (error < 0) {
        free(found);
        return error;
    }
    *host = found;
    *n = (uint32_t)count;
    return 0;
}
