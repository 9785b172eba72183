/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mapping.c - tasks on hosts and slots: made from arrays, from Slurm's own
 * rules, or from a file */
#include "config.h"

#include "alloc/mapping.h"

#include "base/array.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Which slots are taken. */
struct usage {
    size_t *first;        /* [nhosts], number of a host's slot 0 */
    uint32_t *next;       /* [nhosts], slot after the last given out */
    unsigned char *taken; /* one bit a slot */
};

static void usage_clear(struct usage *usage)
{
    free(usage->first);
    free(usage->next);
    free(usage->taken);
}

static int usage_init(struct usage *usage,
                      const struct mapcore_alloc *alloc,
                      struct mapcore_error *err)
{
    uint32_t nhosts = mapcore_alloc_nhosts(alloc);
    size_t sum = 0;

    usage->first = array_alloc(nhosts, sizeof *usage->first, err);
    usage->next = array_alloc(nhosts, sizeof *usage->next, err);
    usage->taken =
        array_alloc((size_t)mapcore_alloc_nslots(alloc) / 8 + 1, 1, err);
    if (usage->first == NULL || usage->next == NULL || usage->taken == NULL) {
        usage_clear(usage);
        return MAPCORE_ENOMEM;
    }
    for (uint32_t h = 0; h < nhosts; h++) {
        usage->first[h] = sum;
        sum += mapcore_alloc_slots(alloc, h);
    }
    return 0;
}

/* Takes slot of a host that there is; false when another task has it. */
static bool take(struct usage *usage, uint32_t host, uint32_t slot)
{
    size_t at = usage->first[host] + slot;
    unsigned char bit = (unsigned char)(1u << (at % 8));

    if (usage->taken[at / 8] & bit)
        return false;
    usage->taken[at / 8] |= bit;
    return true;
}

static int alloc_mapping(struct mapcore_mapping **out,
                         uint32_t ntasks,
                         struct mapcore_error *err)
{
    struct mapcore_mapping *mapping = array_alloc(1, sizeof *mapping, err);

    if (mapping == NULL)
        return MAPCORE_ENOMEM;
    mapping->ntasks = ntasks;
    mapping->host = array_alloc(ntasks, sizeof *mapping->host, err);
    mapping->slot = array_alloc(ntasks, sizeof *mapping->slot, err);
    if (mapping->host == NULL || mapping->slot == NULL) {
        mapcore_mapping_destroy(mapping);
        return MAPCORE_ENOMEM;
    }
    *out = mapping;
    return 0;
}

static int check_room(const struct mapcore_alloc *alloc,
                      uint32_t ntasks,
                      struct mapcore_error *err)
{
    if (ntasks > mapcore_alloc_nslots(alloc))
        return error_set(err, MAPCORE_EINVAL, "%u tasks, but only %u slots",
                         ntasks, mapcore_alloc_nslots(alloc));
    return 0;
}

/* Puts one task where it is wanted: slot MAPCORE_NONE is the host's next. */
static int put(struct mapcore_mapping *mapping,
               struct usage *usage,
               const struct mapcore_alloc *alloc,
               uint32_t task,
               uint32_t host,
               uint32_t slot,
               struct mapcore_error *err)
{
    if (host >= mapcore_alloc_nhosts(alloc))
        return error_set(err, MAPCORE_EINVAL,
                         "task %u is on host %u of an allocation of %u", task,
                         host, mapcore_alloc_nhosts(alloc));
    if (slot == MAPCORE_NONE)
        slot = usage->next[host]++;
    if (slot >= mapcore_alloc_slots(alloc, host))
        return error_set(err, MAPCORE_EINVAL,
                         "task %u is in slot %u of host %u, which has %u slots",
                         task, slot, host, mapcore_alloc_slots(alloc, host));
    if (!take(usage, host, slot))
        return error_set(err, MAPCORE_EINVAL,
                         "task %u is in slot %u of host %u, which another task "
                         "has already",
                         task, slot, host);
    mapping->host[task] = host;
    mapping->slot[task] = slot;
    return 0;
}

int mapcore_mapping_create(struct mapcore_mapping **out,
                           const struct mapcore_alloc *alloc,
                           uint32_t ntasks,
                           const uint32_t *host,
                           const uint32_t *slot,
                           struct mapcore_error *err)
{
    struct mapcore_mapping *mapping = NULL;
    struct usage usage = {0};
    int code;

    if ((code = check_room(alloc, ntasks, err)) < 0 ||
        (code = alloc_mapping(&mapping, ntasks, err)) < 0)
        return code;
    code = usage_init(&usage, alloc, err);
    if (code < 0)
        goto out;
    for (uint32_t t = 0; code == 0 && t < ntasks; t++) {
        if (slot != NULL && slot[t] == MAPCORE_NONE)
            code = error_set(err, MAPCORE_EINVAL, "task %u has no slot", t);
        else
            code = put(mapping, &usage, alloc, t, host[t],
                       slot != NULL ? slot[t] : MAPCORE_NONE, err);
    }
    usage_clear(&usage);
    if (code < 0)
        goto out;
    *out = mapping;
    mapping = NULL;
out:
    mapcore_mapping_destroy(mapping);
    return code;
}

void mapcore_mapping_destroy(struct mapcore_mapping *mapping)
{
    if (mapping == NULL)
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
    struct mapcore_mapping *mapping;
    uint32_t host = 0, slot = 0;
    int code;

    if ((code = check_room(alloc, ntasks, err)) < 0 ||
        (code = alloc_mapping(&mapping, ntasks, err)) < 0)
        return code;
    for (uint32_t t = 0; t < ntasks; t++) {
        while (slot == mapcore_alloc_slots(alloc, host)) {
            host++;
            slot = 0;
        }
        mapping->host[t] = host;
        mapping->slot[t] = slot++;
    }
    *out = mapping;
    return 0;
}

int mapcore_mapping_cyclic(struct mapcore_mapping **out,
                           const struct mapcore_alloc *alloc,
                           uint32_t ntasks,
                           struct mapcore_error *err)
{
    struct mapcore_mapping *mapping;
    uint32_t nopen = mapcore_alloc_nhosts(alloc), task = 0;
    int code;

    if ((code = check_room(alloc, ntasks, err)) < 0 ||
        (code = alloc_mapping(&mapping, ntasks, err)) < 0)
        return code;

    uint32_t *open = array_alloc(nopen, sizeof *open, err);
    if (open == NULL) {
        mapcore_mapping_destroy(mapping);
        return MAPCORE_ENOMEM;
    }
    for (uint32_t h = 0; h < nopen; h++)
        open[h] = h;
    /* Round after round over the hosts that are not full yet. */
    for (uint32_t slot = 0; task < ntasks; slot++) {
        uint32_t kept = 0;

        for (uint32_t i = 0; i < nopen && task < ntasks; i++) {
            uint32_t host = open[i];

            if (slot >= mapcore_alloc_slots(alloc, host))
                continue;
            mapping->host[task] = host;
            mapping->slot[task++] = slot;
            open[kept++] = host;
        }
        nopen = kept;
    }
    free(open);
    *out = mapping;
    return 0;
}

/* The lines of a mapping file; slots[t] is MAPCORE_NONE where lines have
 * none. */
struct lines {
    uint32_t *host, *slot;
    size_t nhost, nslot; /* capacities */
    size_t *line;        /* [n], where each stands */
    size_t nline;        /* capacity */
    uint32_t n;
};

static int read_line(struct lines *lines,
                     struct text *text,
                     char *cursor,
                     struct mapcore_error *err)
{
    uint32_t host, slot = MAPCORE_NONE;
    size_t n = lines->n;
    int code;

    if (!text_take_u32(&cursor, &host, NULL) || host == MAPCORE_NONE)
        return text_error(text, err, MAPCORE_EPARSE, "no host number");
    if (!text_at_end(cursor) &&
        (!text_take_u32(&cursor, &slot, NULL) || slot == MAPCORE_NONE))
        return text_error(text, err, MAPCORE_EPARSE,
                          "what follows the host is no slot number");
    if (!text_at_end(cursor))
        return text_error(text, err, MAPCORE_EPARSE,
                          "more than a host and a slot");
    if (n > 0 && (slot == MAPCORE_NONE) != (lines->slot[0] == MAPCORE_NONE))
        return text_error(text, err, MAPCORE_EPARSE,
                          "slots stand either in all lines or in none");
    if (n == INT32_MAX)
        return text_error(text, err, MAPCORE_EPARSE, "too many tasks");
    if ((code = array_reserve(&lines->host, &lines->nhost, n + 1,
                              sizeof *lines->host, err)) < 0 ||
        (code = array_reserve(&lines->slot, &lines->nslot, n + 1,
                              sizeof *lines->slot, err)) < 0 ||
        (code = array_reserve(&lines->line, &lines->nline, n + 1,
                              sizeof *lines->line, err)) < 0)
        return code;
    lines->host[n] = host;
    lines->slot[n] = slot;
    lines->line[n] = text_line_number(text);
    lines->n++;
    return 0;
}

static int read_lines(struct lines *lines,
                      struct text *text,
                      struct mapcore_error *err)
{
    char *line;
    int code;

    while ((code = text_line(text, &line, err)) == 0 && line != NULL) {
        line[strcspn(line, "#")] = '\0';
        if (text_at_end(line))
            continue;
        code = read_line(lines, text, line, err);
        if (code < 0)
            return code;
    }
    if (code == 0 && lines->n == 0)
        code = error_set(err, MAPCORE_EPARSE, "%s: no mapping in it",
                         text_name(text));
    return code;
}

/* As mapcore_mapping_create, with the line of the task that does not fit. */
static int create_from(struct mapcore_mapping **out,
                       const struct lines *lines,
                       const struct mapcore_alloc *alloc,
                       const char *path,
                       struct mapcore_error *err)
{
    struct mapcore_mapping *mapping = NULL;
    struct usage usage = {0};
    struct mapcore_error why;
    int code = alloc_mapping(&mapping, lines->n, err);

    if (code < 0)
        return code;
    code = usage_init(&usage, alloc, err);
    if (code < 0) {
        mapcore_mapping_destroy(mapping);
        return code;
    }
    for (uint32_t t = 0; code == 0 && t < lines->n; t++) {
        code = put(mapping, &usage, alloc, t, lines->host[t], lines->slot[t],
                   &why);
        if (code < 0)
            error_set(err, code, "%s:%zu: %s", path, lines->line[t], why.text);
    }
    usage_clear(&usage);
    if (code == 0)
        *out = mapping;
    else
        mapcore_mapping_destroy(mapping);
    return code;
}

int mapcore_mapping_read(struct mapcore_mapping **out,
                         const struct mapcore_alloc *alloc,
                         const char *path,
                         struct mapcore_error *err)
{
    struct lines lines = {0};
    struct text *text;
    int code = text_open(&text, path, err);

    if (code < 0)
        return code;
    code = read_lines(&lines, text, err);
    if (code == 0)
        code = create_from(out, &lines, alloc, path, err);
    text_close(text);
    free(lines.host);
    free(lines.slot);
    free(lines.line);
    return code;
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
