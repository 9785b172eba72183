/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mapping_lines.c - mapping files of our own */
#include "config.h"

#include "alloc/file/mapping_lines.h"

#include "alloc/mapping_place.h"
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

struct mapping_lines {
    uint32_t n;                 /* tasks */
    uint32_t *host;             /* [n] */
    uint32_t *slot;             /* [n]; MAPCORE_NONE: the host's next */
    size_t *line;               /* [n], where each stands */
    size_t nhost, nslot, nline; /* capacities */
};

static int add(struct mapping_lines *out,
               uint32_t host,
               uint32_t slot,
               size_t line,
               struct mapcore_error *err)
{
    size_t n = out->n;
    int error;

    if (n == INT32_MAX)
        return error_set(err, MAPCORE_ERANGE, "too many tasks");
    if ((error = array_reserve(&out->host, &out->nhost, n + 1,
                               sizeof(*out->host), err)) < 0 ||
        (error = array_reserve(&out->slot, &out->nslot, n + 1,
                               sizeof(*out->slot), err)) < 0 ||
        (error = array_reserve(&out->line, &out->nline, n + 1,
                               sizeof(*out->line), err)) < 0)
        return error;
    out->host[n] = host;
    out->slot[n] = slot;
    out->line[n] = line;
    out->n++;
    return 0;
}

static int place(struct mapcore_mapping **out,
                 const struct mapping_lines *lines,
                 const struct mapcore_alloc *alloc,
                 const char *name,
                 struct mapcore_error *err)
{
    const struct mapcore_mapping_places places = {lines->n, lines->host,
                                                  lines->slot};
    uint32_t task = 0;
    struct mapcore_error why;
    int error = mapping_place(out, &task, alloc, &places, &why);

    if (error == MAPCORE_EINVAL)
        return error_set(err, error, "%s:%zu: %s", name, lines->line[task],
                         why.text);
    return error < 0 ? error_set(err, error, "%s", why.text) : 0;
}

static int read_line(struct mapping_lines *lines,
                     struct text *text,
                     char *cursor,
                     uint32_t nhosts,
                     struct mapcore_error *err)
{
    uint32_t host, slot = MAPCORE_NONE, n = lines->n;

    if (!text_take_u32(&cursor, &host, NULL) || host == MAPCORE_NONE)
        return text_error(text, err, MAPCORE_EPARSE, "no node number");
    if (!text_at_end(cursor) &&
        (!text_take_u32(&cursor, &slot, NULL) || slot == MAPCORE_NONE))
        return text_error(text, err, MAPCORE_EPARSE,
                          "what follows the node is no slot number");
    if (!text_at_end(cursor))
        return text_error(text, err, MAPCORE_EPARSE,
                          "more than a node and a slot");
    if (n > 0 && (slot == MAPCORE_NONE) != (lines->slot[0] == MAPCORE_NONE))
        return text_error(text, err, MAPCORE_EPARSE,
                          "slots stand either in all lines or in none");
    if (host >= nhosts)
        return text_error(text, err, MAPCORE_EINVAL,
                          "task %u is on node %u of an allocation of %u", n,
                          host, nhosts);
    return add(lines, host, slot, text_line_number(text), err);
}

int mapping_lines_read(struct mapcore_mapping **out,
                       const struct mapcore_alloc *alloc,
                       struct text *text,
                       struct mapcore_error *err)
{
    struct mapping_lines lines = {0};
    char *line;
    int error;

    while ((error = text_line(text, &line, err)) == 0 && line) {
        line[strcspn(line, "#")] = '\0';
        if (!text_at_end(line) &&
            (error = read_line(&lines, text, line, mapcore_alloc_nhosts(alloc),
                               err)) < 0)
            break;
    }
    if (error == 0 && lines.n == 0)
        error = error_set(err, MAPCORE_EPARSE, "%s: no mapping in it",
                          text_name(text));
    if (error == 0)
        error = place(out, &lines, alloc, text_name(text), err);
    free(lines.host);
    free(lines.slot);
    free(lines.line);
    return error;
}
