/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mapping_read.c - a mapping file of any form: which it is, our own, and the
 * whole held against an allocation */
#include "config.h"

#include "alloc/mapping.h"

#include "alloc/file/mapping_lines.h"
#include "base/array.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static int read_line(struct mapping_lines *lines,
                     struct text *text,
                     char *cursor,
                     const struct mapping_hosts *hosts,
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
    if (hosts->n > 0 && host >= hosts->n)
        return text_error(text, err, MAPCORE_EINVAL,
                          "task %u is on node %u of an allocation of %u", n,
                          host, hosts->n);
    return mapping_lines_add(lines, host, slot, text, err);
}

static int read_plain(struct mapping_lines *lines,
                      struct text *text,
                      const struct mapping_hosts *hosts,
                      struct mapcore_error *err)
{
    char *line;
    int error;

    while ((error = text_line(text, &line, err)) == 0 && line) {
        line[strcspn(line, "#")] = '\0';
        if (text_at_end(line))
            continue;
        error = read_line(lines, text, line, hosts, err);
        if (error < 0)
            return error;
    }
    return error;
}

/* The first line that is no comment: "rank ..." of Open MPI, a host's name, a
 * rank order with its commas or ranges, or else numbers of ours. */
static int guess(enum mapcore_mapping_form *out,
                 struct text *text,
                 struct mapcore_error *err)
{
    char *line;
    int error;

    *out = MAPCORE_MAPPING_PLAIN;
    while ((error = text_line(text, &line, err)) == 0 && line) {
        const char *word = line + strspn(line, " \t\r\v\f");
        char behind = word[strspn(word, "0123456789,- \t\r\v\f")];

        if (*word == '\0' || *word == '#')
            continue;
        if (strncmp(word, "rank", 4) == 0 && strchr(" \t", word[4]) &&
            word[4] != '\0')
            *out = MAPCORE_MAPPING_RANKFILE;
        else if (behind != '\0' && behind != '#')
            *out = MAPCORE_MAPPING_HOSTFILE;
        else if (word[strspn(word, "0123456789 \t\r\v\f")] == ',' ||
                 word[strspn(word, "0123456789 \t\r\v\f")] == '-')
            *out = MAPCORE_MAPPING_MPICH;
        text_unread(text);
        return 0;
    }
    return error;
}

int mapping_lines_read(struct mapping_lines *out,
                       enum mapcore_mapping_form *form,
                       struct text *text,
                       const struct mapping_hosts *hosts,
                       struct mapcore_error *err)
{
    int error = 0;

    if (*form == MAPCORE_MAPPING_ANY)
        error = guess(form, text, err);
    if (error < 0)
        return error;
    switch (*form) {
    case MAPCORE_MAPPING_ANY:
    case MAPCORE_MAPPING_PLAIN:
        error = read_plain(out, text, hosts, err);
        break;
    case MAPCORE_MAPPING_HOSTFILE:
        error = mapping_read_hostfile(out, text, hosts, err);
        break;
    case MAPCORE_MAPPING_RANKFILE:
        error = mapping_read_rankfile(out, text, hosts, err);
        break;
    case MAPCORE_MAPPING_MPICH:
        error = mapping_read_order(out, text, hosts, err);
        break;
    }
    if (error == 0 && out->n == 0)
        error = error_set(err, MAPCORE_EPARSE, "%s: no mapping in it",
                          text_name(text));
    return error;
}

/* Names and slots of the allocation's hosts; both arrays are the caller's. */
static int describe_hosts(struct mapping_hosts *out,
                          const char ***names,
                          uint32_t **slots,
                          const struct mapcore_alloc *alloc,
                          struct mapcore_error *err)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(alloc);
    uint32_t n = mapcore_alloc_nhosts(alloc);
    bool is_named = n > 0;

    *names = array_alloc(n, sizeof(**names), err);
    *slots = array_alloc(n, sizeof(**slots), err);
    if (!*names || !*slots)
        return MAPCORE_ENOMEM;
    for (uint32_t h = 0; h < n; h++) {
        (*slots)[h] = mapcore_alloc_slots(alloc, h);
        (*names)[h] =
            mapcore_topo_host_name(topo, mapcore_alloc_host(alloc, h));
        is_named = is_named && (*names)[h];
    }
    *out = (struct mapping_hosts){
        .n = n, .name = is_named ? *names : NULL, .slots = *slots};
    return 0;
}

int mapcore_mapping_read_form(struct mapcore_mapping **out,
                              const struct mapcore_alloc *alloc,
                              const char *path,
                              enum mapcore_mapping_form form,
                              struct mapcore_error *err)
{
    struct mapping_lines lines = {0};
    struct mapping_hosts hosts;
    struct text *text = NULL;
    const char **names = NULL;
    uint32_t *slots = NULL;
    int error = describe_hosts(&hosts, &names, &slots, alloc, err);

    if (error == 0)
        error = text_open(&text, path, err);
    if (error == 0)
        error = mapping_lines_read(&lines, &form, text, &hosts, err);
    if (error == 0)
        error = mapping_lines_place(out, &lines, alloc, path, err);
    text_close(text);
    mapping_lines_clear(&lines);
    free(names);
    free(slots);
    return error;
}

int mapcore_mapping_read(struct mapcore_mapping **out,
                         const struct mapcore_alloc *alloc,
                         const char *path,
                         struct mapcore_error *err)
{
    return mapcore_mapping_read_form(out, alloc, path, MAPCORE_MAPPING_PLAIN,
                                     err);
}
