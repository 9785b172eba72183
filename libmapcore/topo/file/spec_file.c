/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* spec_file.c - a regular network in a file: a word like those of the command
 * line, and lines that name and place its hosts */
#include "config.h"

#include "base/array.h"
#include "base/hosts.h"
#include "topo/file/readers.h"
#include "topo/spec.h"

#include <stdlib.h>
#include <string.h>

int topo_words_line(struct text *text, char **line, struct mapcore_error *err)
{
    int error;

    do {
        error = text_line(text, line, err);
        if (error < 0 || !*line)
            return error;
        (*line)[strcspn(*line, "#")] = '\0';
        *line += strspn(*line, " \t\r\v\f");
    } while (**line == '\0');
    return 0;
}

/* What the lines of a file add, as they are read. */
struct lines {
    struct topo_spec_hosts hosts;
    size_t ncoordinates, nabsent; /* capacities */
    bool listed;                  /* by `hosts` lines, not one by one */
};

/* The coordinates to the end of a line, checked, behind n places. */
static int take_place(uint32_t **places,
                      size_t *capacity,
                      size_t n,
                      struct text *text,
                      char *cursor,
                      const struct topo_spec *spec,
                      struct mapcore_error *err)
{
    int error = array_reserve(places, capacity, (n + 1) * spec->n,
                              sizeof(**places), err);
    uint32_t *x;

    if (error < 0)
        return error;
    x = *places + n * spec->n;
    for (uint32_t i = 0; i < spec->n; i++)
        if (!text_take_u32(&cursor, &x[i], NULL))
            return text_error(text, err, MAPCORE_EPARSE,
                              "%u coordinate%s needed", spec->n,
                              spec->n == 1 ? " is" : "s are");
    if (text_take_word(&cursor))
        return text_error(text, err, MAPCORE_EPARSE,
                          "more than %u coordinate%s", spec->n,
                          text_plural(spec->n));
    for (uint32_t i = 0; i < spec->n; i++)
        if (x[i] >= spec->number[i])
            return text_error(text, err, MAPCORE_EPARSE,
                              "coordinate %u is not below %u", x[i],
                              spec->number[i]);
    return 0;
}

static int add_name(struct lines *lines,
                    struct text *text,
                    const char *name,
                    struct mapcore_error *err)
{
    size_t n = lines->hosts.names.n;
    uint32_t number;
    int error = name_set_add(&number, &lines->hosts.names, name, err);

    if (error == 0 && lines->hosts.names.n == n)
        error = text_error(text, err, MAPCORE_EPARSE,
                           "host %.100s is there twice", name);
    return error;
}

/* host NAME X Y Z, behind the word host. */
static int read_host(struct lines *lines,
                     struct text *text,
                     char *cursor,
                     const struct topo_spec *spec,
                     struct mapcore_error *err)
{
    struct topo_spec_hosts *hosts = &lines->hosts;
    char *name = text_take_word(&cursor);
    int error;

    if (!name)
        return text_error(text, err, MAPCORE_EPARSE, "a host without a name");
    if (lines->listed)
        return text_error(text, err, MAPCORE_EPARSE,
                          "host and hosts exclude each other");
    error = take_place(&hosts->coordinates, &lines->ncoordinates,
                       hosts->names.n, text, cursor, spec, err);
    return error < 0 ? error : add_name(lines, text, name, err);
}

/* hosts n[0-7], behind the word hosts. */
static int read_list(struct lines *lines,
                     struct text *text,
                     char *cursor,
                     struct mapcore_error *err)
{
    struct mapcore_error why;
    struct hosts hosts;
    char *word = text_take_word(&cursor);
    int error;

    if (!word || text_take_word(&cursor))
        return text_error(text, err, MAPCORE_EPARSE,
                          "hosts wants one list, such as n[0-7]");
    if (lines->hosts.coordinates)
        return text_error(text, err, MAPCORE_EPARSE,
                          "host and hosts exclude each other");
    lines->listed = true;
    if ((error = hosts_expand(&hosts, word, &why)) < 0)
        return text_error(text, err, error, "%s", why.text);
    for (size_t i = 0; error == 0 && i < hosts.n; i++)
        error = add_name(lines, text, hosts.name[i], err);
    hosts_clear(&hosts);
    return error;
}

/* absent X Y Z, behind the word absent. */
static int read_absent(struct lines *lines,
                       struct text *text,
                       char *cursor,
                       const struct topo_spec *spec,
                       struct mapcore_error *err)
{
    struct topo_spec_hosts *hosts = &lines->hosts;
    int error = take_place(&hosts->absent, &lines->nabsent, hosts->nabsent,
                           text, cursor, spec, err);

    hosts->nabsent += error == 0;
    return error;
}

static int read_lines(struct lines *lines,
                      struct text *text,
                      const struct topo_spec *spec,
                      struct mapcore_error *err)
{
    bool places = topo_spec_has_coordinates(spec);
    char *cursor;
    int error;

    while ((error = topo_words_line(text, &cursor, err)) == 0 && cursor) {
        char *word = text_take_word(&cursor);

        if (strcmp(word, "hosts") == 0)
            error = read_list(lines, text, cursor, err);
        else if (places && strcmp(word, "host") == 0)
            error = read_host(lines, text, cursor, spec, err);
        else if (places && strcmp(word, "absent") == 0)
            error = read_absent(lines, text, cursor, spec, err);
        else
            error =
                text_error(text, err, MAPCORE_EPARSE, "'%.40s' is not %s", word,
                           places ? "host, hosts or absent" : "hosts");
        if (error < 0)
            return error;
    }
    return error;
}

int topo_read_spec(struct mapcore_topo **out,
                   struct text *text,
                   char *line,
                   struct mapcore_error *err)
{
    char *word = text_take_word(&line);
    struct lines lines = {0};
    struct mapcore_error why;
    struct topo_spec spec;
    int error = topo_spec_parse(&spec, word, &why);

    if (error < 0)
        return text_error(text, err, MAPCORE_EPARSE, "%s", why.text);
    if (text_take_word(&line))
        return text_error(text, err, MAPCORE_EPARSE,
                          "something follows the topology in its line");
    error = read_lines(&lines, text, &spec, err);
    if (error == 0) {
        error = topo_spec_create(out, &spec, &lines.hosts, &why);
        if (error < 0)
            error_set(err, error, "%s: %s", text_name(text), why.text);
    }
    name_set_clear(&lines.hosts.names);
    free(lines.hosts.coordinates);
    free(lines.hosts.absent);
    return error;
}
