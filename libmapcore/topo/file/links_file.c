/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* links_file.c - the reader of lists of links, our own form of any network */
#include "config.h"

#include "base/array.h"
#include "base/hosts.h"
#include "base/name_set.h"
#include "base/text.h"
#include "topo/create.h"
#include "topo/file/readers.h"
#include "topo/topo.h"

#include <stdlib.h>
#include <string.h>

/* One file. Host h is vertex 2h, switch s 2s + 1, until their numbers are
 * known. */
struct links_reader {
    struct text *text;
    struct mapcore_error *err;
    struct name_set hosts, switches;
    uint32_t *at; /* [hosts.n], switch or MAPCORE_NONE */
    size_t nat;   /* capacity */
    struct topo_cable *cable;
    size_t ncables, capacity;
    size_t nnames;     /* in all lists */
    bool some, others; /* links with a capacity, and without */
    bool has_capacities;
    uint32_t rails;
    char *note; /* owned; NULL: none */
};

/* A name with a parenthesis, "t(0,1,2)", is one, as a torus has routers. */
static int expand(struct links_reader *r, struct hosts *out, const char *list)
{
    if (!strchr(list, '('))
        return text_error_in(
            r->text, hosts_expand_counted(out, &r->nnames, list, r->err));
    *out = (struct hosts){.n = 1};
    out->name = array_alloc(1, sizeof(*out->name), r->err);
    return out->name ? text_copy(out->name, list, r->err) : MAPCORE_ENOMEM;
}

static int declare(struct links_reader *r,
                   const char *name,
                   bool is_switch,
                   bool is_host)
{
    uint32_t at = MAPCORE_NONE, host;
    int error = 0;

    if (name_set_find(&r->switches, name) != MAPCORE_NONE ||
        name_set_find(&r->hosts, name) != MAPCORE_NONE)
        return text_error(r->text, MAPCORE_EPARSE, "%s %.100s is there twice",
                          is_switch ? "switch" : "host", name);
    if (is_switch)
        error = name_set_add(&at, &r->switches, name, r->err);
    if (error == 0 && is_host &&
        (error = array_reserve(&r->at, &r->nat, r->hosts.n + 1, sizeof(*r->at),
                               r->err)) == 0 &&
        (error = name_set_add(&host, &r->hosts, name, r->err)) == 0)
        r->at[host] = at;
    return error == 0 && (r->hosts.n > TOPO_MAX_HOSTS ||
                          r->switches.n > TOPO_MAX_HOSTS)
               ? error_set(r->err, MAPCORE_ERANGE, "more than 2^24 nodes")
               : error;
}

/* `at SWITCH` behind the names of hosts first .. hosts.n - 1. */
static int read_at(struct links_reader *r, char *cursor, size_t first)
{
    char *word = text_take_word(&cursor);
    uint32_t at;

    if (!word)
        return text_error(r->text, MAPCORE_EPARSE, "at which switch?");
    at = name_set_find(&r->switches, word);
    if (at == MAPCORE_NONE)
        return text_error(r->text, MAPCORE_EPARSE,
                          "%.100s is no switch that was declared before", word);
    word = text_take_word(&cursor);
    if (word)
        return text_error(r->text, MAPCORE_EPARSE, "'%.40s' follows the switch",
                          word);
    for (size_t h = first; h < r->hosts.n; h++)
        r->at[h] = at;
    return 0;
}

/* `switch s[0-3]`, `node r[0-7]` (a switch, and a host of that name at it),
 * `host n[0-7]` or `host n[0-7] at s0`; several lists in a line. */
static int read_nodes(struct links_reader *r,
                      char *cursor,
                      bool is_switch,
                      bool is_host)
{
    size_t before = r->hosts.n;
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
        return text_error(r->text, MAPCORE_EPARSE, "a name is missing");
    return error;
}

/* One end of a link: a switch before a host of the same name. */
static uint32_t find_vertex(const struct links_reader *r, const char *name)
{
    uint32_t number = name_set_find(&r->switches, name);

    if (number != MAPCORE_NONE)
        return 2 * number + 1;
    number = name_set_find(&r->hosts, name);
    if (number != MAPCORE_NONE)
        return 2 * number;
    text_error(r->text, MAPCORE_EPARSE,
               "a link to %.100s, which was not declared before", name);
    return MAPCORE_NONE;
}

static int connect(struct links_reader *r,
                   const char *from,
                   const char *to,
                   double capacity)
{
    uint32_t a = find_vertex(r, from);
    uint32_t b = a != MAPCORE_NONE ? find_vertex(r, to) : a;
    int error;

    if (b == MAPCORE_NONE)
        return MAPCORE_EPARSE;
    if (a == b)
        return text_error(r->text, MAPCORE_EPARSE,
                          "a link from %.100s to itself", from);
    if (a % 2 == 0 && b % 2 == 0)
        return text_error(r->text, MAPCORE_EPARSE,
                          "a link between hosts %.100s and %.100s, which "
                          "forward nothing: declare them by `node'",
                          from, to);
    error = array_reserve(&r->cable, &r->capacity, r->ncables + 1,
                          sizeof(*r->cable), r->err);
    if (error == 0)
        r->cable[r->ncables++] = (struct topo_cable){a, b, capacity};
    return error;
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
            return text_error(r->text, MAPCORE_EPARSE,
                              "capacity '%.40s' is not " TOPO_CAPACITY, word);
        r->some = r->has_capacities = true;
        word = text_take_word(&cursor);
    } else {
        r->others = true;
    }
    if (r->some && r->others)
        return text_error(
            r->text, MAPCORE_EPARSE,
            "capacities stand either with all links or with none");
    if (word && word[0] == 'x') {
        if (!text_parse_u64(word + 1, ncables) || *ncables == 0 ||
            *ncables > 1000)
            return text_error(r->text, MAPCORE_EPARSE,
                              "'%.40s' is not x1 to x1000 cables", word);
        r->has_capacities = r->has_capacities || *ncables > 1;
        *capacity *= (double)*ncables;
        word = text_take_word(&cursor);
    }
    if (word)
        return text_error(r->text, MAPCORE_EPARSE,
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
        return text_error(r->text, MAPCORE_EPARSE, "a link has two ends");
    if ((error = read_strength(r, cursor, &capacity, &ncables)) < 0 ||
        (error = expand(r, &a, from)) < 0 || (error = expand(r, &b, to)) < 0)
        goto out;
    if (a.n > 4 * (size_t)TOPO_MAX_HOSTS / b.n) {
        error = text_error(r->text, MAPCORE_ERANGE, "more than 2^26 cables");
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

/* `note TEXT`, which the description of the network ends in. */
static int read_note(struct links_reader *r, const char *text)
{
    text += strspn(text, " \t\r\v\f");
    free(r->note);
    return text_copy(&r->note, text, r->err);
}

static int read_lines(struct links_reader *r)
{
    char *cursor;
    int error;

    while ((error = text_words_line(r->text, &cursor)) == 0 && cursor) {
        char *word = text_take_word(&cursor);

        if (strcmp(word, "link") == 0)
            error = read_link(r, cursor);
        else if (strcmp(word, "host") == 0)
            error = read_nodes(r, cursor, false, true);
        else if (strcmp(word, "switch") == 0)
            error = read_nodes(r, cursor, true, false);
        else if (strcmp(word, "node") == 0)
            error = read_nodes(r, cursor, true, true);
        else if (strcmp(word, "note") == 0)
            error = read_note(r, cursor);
        else if (strcmp(word, "rails") == 0)
            error =
                text_take_u32(&cursor, &r->rails, NULL)
                    ? 0
                    : text_error(r->text, MAPCORE_EPARSE, "rails: how many?");
        else
            error = text_error(
                r->text, MAPCORE_EPARSE,
                "'%.40s' is not host, switch, node, link, rails or note", word);
        if (error < 0)
            return error;
    }
    return error;
}

static int create(struct mapcore_topo **out, struct links_reader *r)
{
    const uint32_t nhosts = (uint32_t)r->hosts.n;
    int error;

    for (size_t i = 0; i < r->ncables; i++) {
        struct topo_cable *cable = &r->cable[i];

        cable->a = cable->a / 2 + (cable->a % 2 == 1 ? nhosts : 0);
        cable->b = cable->b / 2 + (cable->b % 2 == 1 ? nhosts : 0);
    }
    error = topo_create_fabric(
        out,
        &(struct topo_fabric){.nhosts = nhosts,
                              .nswitches = (uint32_t)r->switches.n,
                              .host_names = (const char *const *)r->hosts.name,
                              .switch_names =
                                  (const char *const *)r->switches.name,
                              .at = r->at,
                              .ncables = r->ncables,
                              .cable = r->cable,
                              .has_capacities = r->has_capacities},
        r->err);
    if (error < 0)
        return text_error_line(r->text, 0,
                               error == MAPCORE_EINVAL ? MAPCORE_EPARSE : error,
                               "%s", r->err->text);
    if (r->note)
        error = topo_set_description(*out, r->err, "%s; %s",
                                     mapcore_topo_describe(*out), r->note);
    if (error == 0 && (error = topo_set_rails(*out, r->rails, r->err)) < 0)
        text_error_line(r->text, 0, error, "%s", r->err->text);
    if (error < 0) {
        mapcore_topo_destroy(*out);
        *out = NULL;
    }
    return error;
}

int topo_read_links(struct mapcore_topo **out,
                    struct text *text,
                    const char *rest)
{
    struct links_reader r = {.text = text, .err = text_err(text), .rails = 1};
    int error;

    if (rest[strspn(rest, " \t\r\v\f")] != '\0')
        return text_error(text, MAPCORE_EPARSE,
                          "something follows the word links in its line");
    error = read_lines(&r);
    if (error == 0)
        error = create(out, &r);
    name_set_clear(&r.hosts);
    name_set_clear(&r.switches);
    free(r.at);
    free(r.cable);
    free(r.note);
    return error;
}
