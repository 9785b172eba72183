/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mapping_lines.c - mapping files of our own */
#include "config.h"

#include "alloc/file/mapping_lines.h"

#include "alloc/mapping_place.h"

#include <string.h>

static int read_line(struct mapping_maker *maker,
                     bool *has_slots,
                     struct text *text,
                     char *cursor,
                     struct mapcore_error *err)
{
    uint32_t host, slot = MAPCORE_NONE;
    int error;

    if (!text_take_u32(&cursor, &host, NULL) || host == MAPCORE_NONE)
        return text_error(text, err, MAPCORE_EPARSE, "no node number");
    if (!text_at_end(cursor) &&
        (!text_take_u32(&cursor, &slot, NULL) || slot == MAPCORE_NONE))
        return text_error(text, err, MAPCORE_EPARSE,
                          "what follows the node is no slot number");
    if (!text_at_end(cursor))
        return text_error(text, err, MAPCORE_EPARSE,
                          "more than a node and a slot");
    if (maker->mapping && (slot != MAPCORE_NONE) != *has_slots)
        return text_error(text, err, MAPCORE_EPARSE,
                          "slots stand either in all lines or in none");
    *has_slots = slot != MAPCORE_NONE;
    error = mapping_put(maker, host, slot);
    return error < 0
               ? text_error(text, err, error, "%s", maker->arena.err->text)
               : 0;
}

int mapping_lines_read(struct mapcore_mapping **out,
                       const struct mapcore_alloc *alloc,
                       struct text *text,
                       struct mapcore_error *err)
{
    struct mapcore_error why;
    struct mapping_maker maker = {.alloc = alloc, .arena.err = &why};
    bool has_slots = false;
    char *line;
    int error;

    while ((error = text_line(text, &line, err)) == 0 && line) {
        line[strcspn(line, "#")] = '\0';
        if (!text_at_end(line) &&
            (error = read_line(&maker, &has_slots, text, line, err)) < 0)
            break;
    }
    if (error == 0 && !maker.mapping)
        error = error_set(err, MAPCORE_EPARSE, "%s: no mapping in it",
                          text_name(text));
    return mapping_end(out, &maker, error);
}
