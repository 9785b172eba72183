/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mapping.c - tasks on hosts and slots: made from arrays or by Slurm's own
 * rules, and written down */
#include "config.h"

#include "alloc/mapping.h"

#include "alloc/mapping_lines.h"
#include "base/array.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Made task by task, so that what is wrong is said where it stands. Starts as
 * all zero but for alloc and arena.err. */
struct mapping_maker {
    const struct mapcore_alloc *alloc; /* borrowed */
    struct arena arena;                /* of which slots are taken: */
    size_t *first;                     /* [nhosts], number of a host's slot 0 */
    uint32_t *next;       /* [nhosts], slot after the last given out */
    unsigned char *taken; /* one bit a slot */
    struct mapcore_mapping *mapping;
    size_t nhost, nslot; /* capacities */
};

/* An empty one, and which slots are taken. */
static int begin(struct mapping_maker *maker)
{
    struct arena *arena = &maker->arena;
    const struct mapcore_alloc *alloc = maker->alloc;
    const uint32_t nhosts = mapcore_alloc_nhosts(alloc);
    size_t sum = 0;

    maker->first = arena_alloc(arena, nhosts, sizeof(*maker->first));
    maker->next = arena_alloc(arena, nhosts, sizeof(*maker->next));
    maker->taken = arena_alloc(arena, mapcore_alloc_nslots(alloc) / 8 + 1, 1);
    for (uint32_t h = 0; arena->error == 0 && h < nhosts; h++) {
        maker->first[h] = sum;
        sum += mapcore_alloc_slots(alloc, h);
    }
    maker->mapping = array_alloc(1, sizeof(*maker->mapping), arena->err);
    return maker->mapping ? arena->error : MAPCORE_ENOMEM;
}

/* Takes slot of a host that there is; false when another task has it. */
static bool take(struct mapping_maker *maker, uint32_t host, uint32_t slot)
{
    size_t at = maker->first[host] + slot;
    unsigned char bit = (unsigned char)(1u << (at % 8));

    if (maker->taken[at / 8] & bit)
        return false;
    maker->taken[at / 8] |= bit;
    return true;
}

static int check_slots(const struct mapcore_alloc *alloc,
                       uint32_t ntasks,
                       struct mapcore_error *err)
{
    if (ntasks > mapcore_alloc_nslots(alloc))
        return error_set(err, MAPCORE_EINVAL, "%u task%s, but only %u slot%s",
                         ntasks, text_plural(ntasks),
                         mapcore_alloc_nslots(alloc),
                         text_plural(mapcore_alloc_nslots(alloc)));
    return 0;
}

/* Puts the next task where it is wanted: slot MAPCORE_NONE is the host's next.
 */
static int put(struct mapping_maker *maker, uint32_t host, uint32_t slot)
{
    struct mapcore_error *err = maker->arena.err;
    const struct mapcore_alloc *alloc = maker->alloc;
    struct mapcore_mapping *mapping;
    uint32_t task;
    int error = maker->mapping ? 0 : begin(maker);

    if (error < 0)
        return error;
    mapping = maker->mapping;
    task = mapping->ntasks;
    if (host >= mapcore_alloc_nhosts(alloc))
        return error_set(err, MAPCORE_EINVAL,
                         "task %u is on node %u of an allocation of %u", task,
                         host, mapcore_alloc_nhosts(alloc));
    if (slot == MAPCORE_NONE)
        slot = maker->next[host]++;
    if (slot >= mapcore_alloc_slots(alloc, host))
        return error_set(
            err, MAPCORE_EINVAL,
            "task %u is in slot %u of node %u, which has %u slot%s", task, slot,
            host, mapcore_alloc_slots(alloc, host),
            text_plural(mapcore_alloc_slots(alloc, host)));
    if (!take(maker, host, slot))
        return error_set(err, MAPCORE_EINVAL,
                         "task %u is in slot %u of node %u, which another task "
                         "has already",
                         task, slot, host);
    if (array_reserve(&mapping->host, &maker->nhost, (size_t)task + 1,
                      sizeof(*mapping->host), err) < 0 ||
        array_reserve(&mapping->slot, &maker->nslot, (size_t)task + 1,
                      sizeof(*mapping->slot), err) < 0)
        return MAPCORE_ENOMEM;
    mapping->host[task] = host;
    mapping->slot[task] = slot;
    mapping->ntasks++;
    return 0;
}

/* Hands it over where there was no error, else ends it; returns which. */
static int end(struct mapcore_mapping **out,
               struct mapping_maker *maker,
               int error)
{
    if (error == 0 && !maker->mapping)
        error = begin(maker);
    arena_clear(&maker->arena);
    if (error == 0)
        *out = maker->mapping;
    else
        mapcore_mapping_destroy(maker->mapping);
    return error;
}

int mapcore_mapping_create(struct mapcore_mapping **out,
                           const struct mapcore_alloc *alloc,
                           uint32_t ntasks,
                           const uint32_t *host,
                           const uint32_t *slot,
                           struct mapcore_error *err)
{
    struct mapping_maker maker = {.alloc = alloc, .arena.err = err};
    int error = check_slots(alloc, ntasks, err);

    for (uint32_t t = 0; error == 0 && slot && t < ntasks; t++)
        if (slot[t] == MAPCORE_NONE)
            error = error_set(err, MAPCORE_EINVAL, "task %u has no slot", t);
    for (uint32_t t = 0; error == 0 && t < ntasks; t++)
        error = put(&maker, host[t], slot ? slot[t] : MAPCORE_NONE);
    return end(out, &maker, error);
}

void mapcore_mapping_destroy(struct mapcore_mapping *mapping)
{
    if (!mapping)
        return;
    free(mapping->host);
    free(mapping->slot);
    free(mapping);
}

int mapcore_mapping_block(struct mapcore_mapping **out,
                          const struct mapcore_alloc *alloc,
                          uint32_t ntasks,
                          struct mapcore_error *err)
{
    struct mapping_maker maker = {.alloc = alloc, .arena.err = err};
    uint32_t host = 0, slot = 0;
    int error = check_slots(alloc, ntasks, err);

    for (uint32_t t = 0; error == 0 && t < ntasks; t++) {
        while (slot == mapcore_alloc_slots(alloc, host)) {
            host++;
            slot = 0;
        }
        error = put(&maker, host, slot++);
    }
    return end(out, &maker, error);
}

int mapcore_mapping_cyclic(struct mapcore_mapping **out,
                           const struct mapcore_alloc *alloc,
                           uint32_t ntasks,
                           struct mapcore_error *err)
{
    struct mapping_maker maker = {.alloc = alloc, .arena.err = err};
    uint32_t task = 0;
    int error = check_slots(alloc, ntasks, err);

    for (uint32_t slot = 0; error == 0 && task < ntasks; slot++)
        for (uint32_t h = 0; h < mapcore_alloc_nhosts(alloc); h++)
            if (error == 0 && task < ntasks &&
                slot < mapcore_alloc_slots(alloc, h)) {
                error = put(&maker, h, slot);
                task++;
            }
    return end(out, &maker, error);
}

static int read_line(struct mapping_maker *maker,
                     bool *has_slots,
                     struct text *text,
                     char *cursor)
{
    uint32_t host, slot = MAPCORE_NONE;

    if (!text_take_u32(&cursor, &host, NULL) || host == MAPCORE_NONE)
        return text_error(text, MAPCORE_EPARSE, "no node number");
    if (!text_at_end(cursor) &&
        (!text_take_u32(&cursor, &slot, NULL) || slot == MAPCORE_NONE))
        return text_error(text, MAPCORE_EPARSE,
                          "what follows the node is no slot number");
    if (!text_at_end(cursor))
        return text_error(text, MAPCORE_EPARSE, "more than a node and a slot");
    if (maker->mapping && (slot != MAPCORE_NONE) != *has_slots)
        return text_error(text, MAPCORE_EPARSE,
                          "slots stand either in all lines or in none");
    *has_slots = slot != MAPCORE_NONE;
    return text_error_in(text, put(maker, host, slot));
}

int mapping_lines_read(struct mapcore_mapping **out,
                       const struct mapcore_alloc *alloc,
                       struct text *text)
{
    struct mapping_maker maker = {.alloc = alloc, .arena.err = text_err(text)};
    bool has_slots = false;
    char *line;
    int error;

    while ((error = text_words_line(text, &line)) == 0 && line &&
           (error = read_line(&maker, &has_slots, text, line)) == 0)
        ;
    if (error == 0 && !maker.mapping)
        error = text_error_line(text, 0, MAPCORE_EPARSE, "no mapping in it");
    return end(out, &maker, error);
}

int mapcore_places_open(struct mapcore_places *out,
                        const struct mapcore_alloc *alloc,
                        const struct mapcore_mapping *mapping,
                        struct mapcore_error *err)
{
    const uint32_t n = mapping->ntasks;

    *out = (struct mapcore_places){mapcore_alloc_by_rail(alloc), mapping->host,
                                   NULL};
    if (out->alloc == alloc)
        return 0;
    out->host = out->own = array_alloc(n, sizeof(*out->own), err);
    for (uint32_t t = 0; out->own && t < n; t++)
        out->own[t] =
            mapcore_alloc_rail_host(alloc, mapping->host[t], mapping->slot[t]);
    return out->own ? 0 : MAPCORE_ENOMEM;
}

void mapcore_places_close(struct mapcore_places *places)
{
    free(places->own);
}

int mapcore_mapping_write(const struct mapcore_mapping *mapping,
                          FILE *file,
                          struct mapcore_error *err)
{
    errno = 0;
    for (uint32_t t = 0; t < mapping->ntasks; t++)
        fprintf(file, "%u %u\n", mapping->host[t], mapping->slot[t]);
    if (fflush(file) != 0 || ferror(file))
        return error_set(err, MAPCORE_EIO, "the mapping cannot be written: %s",
                         errno != 0 ? strerror(errno) : "write error");
    return 0;
}
