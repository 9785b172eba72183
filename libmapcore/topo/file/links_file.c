/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* links_file.c - the reader of lists of links, our own form of any network */
#include "config.h"

#include "base/hosts.h"
#include "topo/create.h"
#include "topo/file/cables.h"
#include "topo/file/readers.h"
#include "topo/file/topo_words.h"

#include <string.h>

/* One file. */
struct links_reader {
    struct cables cables;
    struct text *text;
    struct mapcore_error *err;
    size_t nnames;     /* in all lists */
    bool some, others; /* links with a capacity, and without */
};

static int expand(struct links_reader *r, struct hosts *out, const char *list)
{
    struct mapcore_error why;
    int error = hosts_expand_counted(out, &r->nnames, list, &why);

    return error < 0 ? text_error(r->text, r->err, error, "%s", why.text) : 0;
}

static int declare(struct links_reader *r,
                   const char *name,
                   bool is_switch,
                   bool is_host)
{
    uint32_t number, at = MAPCORE_NONE;
    bool is_new = true;
    int error = 0;

    if (is_switch) {
        error = cables_add_switch(&r->cables, &number, name, &is_new, r->err);
        at = number;
    }
    if (error == 0 && is_new && is_host)
        error = cables_add_host(&r->cables, &number, name, at, &is_new, r->err);
    if (error == 0 && is_new && is_switch != is_host)
        is_new =
            name_set_find(is_switch ? &r->cables.hosts : &r->cables.switches,
                          name) == MAPCORE_NONE;
    if (error == 0 && !is_new)
        error = text_error(r->text, r->err, MAPCORE_EPARSE,
                           "%s %.100s is there twice",
                           is_switch ? "switch" : "host", name);
    return error;
}

/* `at SWITCH` behind the names of hosts first .. hosts.n - 1. */
static int read_at(struct links_reader *r, char *cursor, size_t first)
{
    char *word = text_take_word(&cursor);
    uint32_t at;

    if (!word)
        return text_error(r->text, r->err, MAPCORE_EPARSE, "at which switch?");
    at = name_set_find(&r->cables.switches, word);
    if (at == MAPCORE_NONE)
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "%.100s is no switch that was declared before", word);
    word = text_take_word(&cursor);
    if (word)
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "'%.40s' follows the switch", word);
    for (size_t h = first; h < r->cables.hosts.n; h++)
        r->cables.at[h] = at;
    return 0;
}

/* `switch s[0-3]`, `node r[0-7]` (a switch, and a host of that name at it),
 * `host n[0-7]` or `host n[0-7] at s0`; several lists in a line. */
static int read_nodes(struct links_reader *r,
                      char *cursor,
                      bool is_switch,
                      bool is_host)
{
    size_t before = r->cables.hosts.n;
    bool any = false;
    struct hosts names;
    char *word;
    int error = 0;

    while (error == 0 && (word = text_take_word(&cursor))) {
        if (any && is_host && !is_switch && strcmp(word, "at") == 0)
            return read_at(r, cursor, before);
        any = true;
        if ((error = expand(r, &names, word)) < 0)
            return error;
        for (size_t i = 0; error == 0 && i < names.n; i++)
            error = declare(r, names.name[i], is_switch, is_host);
        hosts_clear(&names);
    }
    if (!any)
        return text_error(r->text, r->err, MAPCORE_EPARSE, "a name is missing");
    return error;
}

/* One end of a link: a switch before a host of the same name. */
static uint32_t find_vertex(const struct links_reader *r, const char *name)
{
    uint32_t number = name_set_find(&r->cables.switches, name);

    if (number != MAPCORE_NONE)
        return cables_switch(number);
    number = name_set_find(&r->cables.hosts, name);
    if (number != MAPCORE_NONE)
        return cables_host(number);
    text_error(r->text, r->err, MAPCORE_EPARSE,
               "a link to %.100s, which was not declared before", name);
    return MAPCORE_NONE;
}

static int connect(struct links_reader *r,
                   const char *from,
                   const char *to,
                   double capacity)
{
    uint32_t a = find_vertex(r, from), b;

    if (a == MAPCORE_NONE)
        return MAPCORE_EPARSE;
    b = find_vertex(r, to);
    if (b == MAPCORE_NONE)
        return MAPCORE_EPARSE;
    if (a == b)
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "a link from %.100s to itself", from);
    if (a % 2 == 0 && b % 2 == 0)
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "a link between hosts %.100s and %.100s, which "
                          "forward nothing: declare them by `node'",
                          from, to);
    return cables_add(&r->cables, a, b, capacity, r->err);
}

/* `[CAPACITY] [xCABLES]` at the end of a link's line. */
static int read_strength(struct links_reader *r,
                         char *cursor,
                         double *capacity,
                         uint64_t *ncables)
{
    char *word = text_take_word(&cursor);

    *capacity = 1;
    *ncables = 1;
    if (word && word[0] != 'x') {
        if (!text_parse_double(word, capacity) || !topo_is_capacity(*capacity))
            return text_error(r->text, r->err, MAPCORE_EPARSE,
                              "capacity '%.40s' is not " TOPO_CAPACITY, word);
        r->some = r->cables.has_capacities = true;
        word = text_take_word(&cursor);
    } else {
        r->others = true;
    }
    if (r->some && r->others)
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "capacities stand either with all links or with "
                          "none");
    if (word && word[0] == 'x') {
        if (!text_parse_u64(word + 1, ncables) || *ncables == 0 ||
            *ncables > 1000)
            return text_error(r->text, r->err, MAPCORE_EPARSE,
                              "'%.40s' is not x1 to x1000 cables", word);
        r->cables.has_capacities = r->cables.has_capacities || *ncables > 1;
        *capacity *= (double)*ncables;
        word = text_take_word(&cursor);
    }
    if (word)
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "'%.40s' is more than two ends, a capacity and a "
                          "number of cables",
                          word);
    return 0;
}

/* `link A B [CAPACITY] [xCABLES]`, each of list A with each of list B. */
static int read_link(struct links_reader *r, char *cursor)
{
    char *from = text_take_word(&cursor), *to = NULL;
    struct hosts a = {0}, b = {0};
    uint64_t ncables;
    double capacity;
    int error;

    if (from)
        to = text_take_word(&cursor);
    if (!to)
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "a link has two ends");
    if ((error = read_strength(r, cursor, &capacity, &ncables)) < 0 ||
        (error = expand(r, &a, from)) < 0 || (error = expand(r, &b, to)) < 0)
        goto out;
    if (a.n > 4 * (size_t)TOPO_MAX_HOSTS / b.n) {
        error = text_error(r->text, r->err, MAPCORE_ERANGE,
                           "more than 2^26 cables");
        goto out;
    }
    for (size_t i = 0; error == 0 && i < a.n; i++)
        for (size_t j = 0; error == 0 && j < b.n; j++)
            error = connect(r, a.name[i], b.name[j], capacity);
out:
    hosts_clear(&a);
    hosts_clear(&b);
    return error;
}

static int read_lines(struct links_reader *r)
{
    char *cursor;
    int error;

    while ((error = topo_words_line(r->text, &cursor, r->err)) == 0 && cursor) {
        char *word = text_take_word(&cursor);

        if (strcmp(word, "link") == 0)
            error = read_link(r, cursor);
        else if (strcmp(word, "host") == 0)
            error = read_nodes(r, cursor, false, true);
        else if (strcmp(word, "switch") == 0)
            error = read_nodes(r, cursor, true, false);
        else if (strcmp(word, "node") == 0)
            error = read_nodes(r, cursor, true, true);
        else
            error =
                text_error(r->text, r->err, MAPCORE_EPARSE,
                           "'%.40s' is not host, switch, node or link", word);
        if (error < 0)
            return error;
    }
    return error;
}

int topo_read_links(struct mapcore_topo **out,
                    struct text *text,
                    const char *rest,
                    struct mapcore_error *err)
{
    struct links_reader r = {.text = text, .err = err};
    int error;

    if (rest[strspn(rest, " \t\r\v\f")] != '\0')
        return text_error(text, err, MAPCORE_EPARSE,
                          "something follows the word links in its line");
    error = read_lines(&r);
    if (error == 0)
        error = cables_create(out, &r.cables, text_name(text), err);
    cables_clear(&r.cables);
    return error;
}
