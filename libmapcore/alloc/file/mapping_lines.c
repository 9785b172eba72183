/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mapping_lines.c - our own mapping files, and which form a mapping file has */
#include "config.h"

#include "alloc/file/mapping_lines.h"

#include "alloc/mapping_place.h"
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

static const char *const forms[] = {
    [MAPCORE_MAPPING_ANY] = "any",
    [MAPCORE_MAPPING_PLAIN] = "mapping",
    [MAPCORE_MAPPING_HOSTFILE] = "hostfile",
    [MAPCORE_MAPPING_RANKFILE] = "rankfile",
    [MAPCORE_MAPPING_MPICH] = "mpich",
};

const char *mapcore_mapping_form_name(enum mapcore_mapping_form form)
{
    return forms[form];
}

int mapcore_mapping_form_find(enum mapcore_mapping_form *out,
                              const char *name,
                              struct mapcore_error *err)
{
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
        if (strcmp(name, forms[i]) == 0) {
            *out = (enum mapcore_mapping_form)i;
            return 0;
        }
    }
    return error_set(err, MAPCORE_EINVAL,
                     "there is no form of mappings '%.40s': mapping, hostfile, "
                     "rankfile, mpich, any",
                     name);
}

void mapping_lines_clear(struct mapping_lines *lines)
{
    for (uint32_t i = 0; i < lines->nnames; i++)
        free(lines->name[i]);
    free(lines->name);
    free(lines->host);
    free(lines->slot);
    free(lines->line);
    *lines = (struct mapping_lines){0};
}

int mapping_lines_add(struct mapping_lines *out,
                      uint32_t host,
                      uint32_t slot,
                      const struct text *text,
                      struct mapcore_error *err)
{
    size_t n = out->n;
    int error;

    if (n == INT32_MAX)
        return text_error(text, err, MAPCORE_ERANGE, "too many tasks");
    if ((error = array_reserve(&out->host, &out->nhost, n + 1,
                               sizeof(*out->host), err)) < 0 ||
        (error = array_reserve(&out->slot, &out->nslot, n + 1,
                               sizeof(*out->slot), err)) < 0 ||
        (error = array_reserve(&out->line, &out->nline, n + 1,
                               sizeof(*out->line), err)) < 0)
        return error;
    out->host[n] = host;
    out->slot[n] = slot;
    out->line[n] = text_line_number(text);
    out->n++;
    return 0;
}

bool mapping_take_digits(char **cursor, uint32_t *out)
{
    size_t n = strspn(*cursor, "0123456789");
    uint64_t value = 0;

    if (n == 0)
        return false;
    for (size_t i = 0; i < n; i++) {
        value = value * 10 + (uint64_t)((*cursor)[i] - '0');
        if (value >= MAPCORE_NONE)
            return false;
    }
    *cursor += n;
    *out = (uint32_t)value;
    return true;
}

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

int mapping_lines_place(struct mapcore_mapping **out,
                        const struct mapping_lines *lines,
                        const struct mapcore_alloc *alloc,
                        const char *name,
                        struct mapcore_error *err)
{
    uint32_t task = 0;
    struct mapcore_error why;
    int error = mapping_place(out, &task, alloc, lines->n, lines->host,
                              lines->slot, &why);

    if (error == MAPCORE_EINVAL)
        return error_set(err, error, "%s:%zu: %s", name, lines->line[task],
                         why.text);
    return error < 0 ? error_set(err, error, "%s", why.text) : 0;
}
