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

/* What the lines of a file add, as they are read. */
struct lines {
    struct text *text;
    struct mapcore_error *err;
    struct topo_spec spec;
    struct topo_spec_hosts hosts;
    size_t ncoordinates, nabsent; /* capacities */
    bool listed;                  /* by `hosts` lines, not one by one */
};

/* The coordinates to the end of a line, checked, behind n places. */
static int take_place(struct lines *l,
                      uint32_t **places,
                      size_t *capacity,
                      size_t n,
                      char *cursor)
{
    const struct topo_spec *spec = &l->spec;
    int error = array_reserve(places, capacity, (n + 1) * spec->n,
                              sizeof(**places), l->err);
    uint32_t *x;

    if (error < 0)
        return error;
    x = *places + n * spec->n;
    for (uint32_t i = 0; i < spec->n; i++)
        if (!text_take_u32(&cursor, &x[i], NULL))
            return text_error(l->text, MAPCORE_EPARSE, "%u coordinate%s needed",
                              spec->n, spec->n == 1 ? " is" : "s are");
    if (text_take_word(&cursor))
        return text_error(l->text, MAPCORE_EPARSE, "more than %u coordinate%s",
                          spec->n, text_plural(spec->n));
    for (uint32_t i = 0; i < spec->n; i++)
        if (x[i] >= spec->number[i])
            return text_error(l->text, MAPCORE_EPARSE,
                              "coordinate %u is not below %u", x[i],
                              spec->number[i]);
    return 0;
}

static int add_name(struct lines *l, const char *name)
{
    size_t n = l->hosts.names.n;
    uint32_t number;
    int error = name_set_add(&number, &l->hosts.names, name, l->err);

    if (error == 0 && l->hosts.names.n == n)
        error = text_error(l->text, MAPCORE_EPARSE,
                           "host %.100s is there twice", name);
    return error;
}

/* host NAME X Y Z, behind the word host. */
static int read_host(struct lines *l, char *cursor)
{
    char *name = text_take_word(&cursor);
    int error;

    if (!name)
        return text_error(l->text, MAPCORE_EPARSE, "a host without a name");
    error = take_place(l, &l->hosts.coordinates, &l->ncoordinates,
                       l->hosts.names.n, cursor);
    return error < 0 ? error : add_name(l, name);
}

/* hosts n[0-7], behind the word hosts. */
static int read_list(struct lines *l, char *cursor)
{
    struct hosts hosts;
    char *word = text_take_word(&cursor);
    int error;

    if (!word || text_take_word(&cursor))
        return text_error(l->text, MAPCORE_EPARSE,
                          "hosts wants one list, such as n[0-7]");
    l->listed = true;
    if ((error = hosts_expand(&hosts, word, l->err)) < 0)
        return text_error_in(l->text, error);
    for (size_t i = 0; error == 0 && i < hosts.n; i++)
        error = add_name(l, hosts.name[i]);
    hosts_clear(&hosts);
    return error;
}

static int read_line(struct lines *l, char *cursor)
{
    const bool places = topo_spec_has_coordinates(&l->spec);
    char *word = text_take_word(&cursor);
    const bool is_list = strcmp(word, "hosts") == 0;
    int error;

    if (is_list ? l->hosts.coordinates != NULL
                : places && strcmp(word, "host") == 0 && l->listed)
        return text_error(l->text, MAPCORE_EPARSE,
                          "host and hosts exclude each other");
    if (is_list)
        return read_list(l, cursor);
    if (places && strcmp(word, "host") == 0)
        return read_host(l, cursor);
    if (!places || strcmp(word, "absent") != 0)
        return text_error(l->text, MAPCORE_EPARSE, "'%.40s' is not %s", word,
                          places ? "host, hosts or absent" : "hosts");
    error =
        take_place(l, &l->hosts.absent, &l->nabsent, l->hosts.nabsent, cursor);
    l->hosts.nabsent += error == 0;
    return error;
}

int topo_read_spec(struct mapcore_topo **out, struct text *text, char *line)
{
    char *word = text_take_word(&line);
    struct lines lines = {.text = text, .err = text_err(text)};
    char *cursor;
    int error = topo_spec_parse(&lines.spec, word, lines.err);

    if (error < 0)
        return text_error_in(text, MAPCORE_EPARSE);
    if (text_take_word(&line))
        return text_error(text, MAPCORE_EPARSE,
                          "something follows the topology in its line");
    while (error == 0 && (error = text_words_line(text, &cursor)) == 0 &&
           cursor)
        error = read_line(&lines, cursor);
    if (error == 0) {
        error = topo_spec_create(out, &lines.spec, &lines.hosts, lines.err);
        if (error < 0)
            text_error_line(text, 0, error, "%s", lines.err->text);
    }
    name_set_clear(&lines.hosts.names);
    free(lines.hosts.coordinates);
    free(lines.hosts.absent);
    return error;
}
