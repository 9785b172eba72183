/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* links_file.c - a network as a list of links: the reader of our own files, and
 * what it shares with those of others */
#include "config.h"

#include "topo/file/links_file.h"

#include "base/array.h"
#include "base/hosts.h"

#include <stdlib.h>
#include <string.h>

static int add_name(struct name_set *names,
                    uint32_t *out,
                    const char *name,
                    bool *is_new,
                    struct mapcore_error *err)
{
    size_t before = names->n;
    int error = name_set_add(out, names, name, err);

    if (error == 0 && names->n > TOPO_MAX_HOSTS)
        error = error_set(err, MAPCORE_ERANGE, "more than 2^24 nodes");
    *is_new = error == 0 && names->n > before;
    return error;
}

int links_add_switch(struct links *links,
                     uint32_t *out,
                     const char *name,
                     bool *is_new,
                     struct mapcore_error *err)
{
    return add_name(&links->switches, out, name, is_new, err);
}

int links_add_host(struct links *links,
                   uint32_t *out,
                   const char *name,
                   uint32_t at,
                   bool *is_new,
                   struct mapcore_error *err)
{
    int error = array_reserve(&links->at, &links->nat, links->hosts.n + 1,
                              sizeof(*links->at), err);

    if (error == 0)
        error = add_name(&links->hosts, out, name, is_new, err);
    if (error == 0 && *is_new)
        links->at[*out] = at;
    return error;
}

int links_add_cable(struct links *links,
                    uint32_t a,
                    uint32_t b,
                    double capacity,
                    struct mapcore_error *err)
{
    int error = array_reserve(&links->cable, &links->capacity,
                              links->ncables + 1, sizeof(*links->cable), err);

    if (error == 0)
        links->cable[links->ncables++] = (struct topo_cable){a, b, capacity};
    return error;
}

/* What stands between a host and its way into the network, checked one by one
 * so that the name can be told. */
static int check_hosts(const struct links *links,
                       const char *name,
                       struct mapcore_error *err)
{
    uint32_t *ncables = array_alloc(links->hosts.n, sizeof(*ncables), err);
    int error = 0;

    if (!ncables)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < links->ncables; i++) {
        if (links->cable[i].a % 2 == 0)
            ncables[links->cable[i].a / 2]++;
        if (links->cable[i].b % 2 == 0)
            ncables[links->cable[i].b / 2]++;
    }
    for (size_t h = 0; error == 0 && h < links->hosts.n; h++) {
        bool sits = links->at[h] != MAPCORE_NONE;

        if (sits && ncables[h] > 0)
            error =
                error_set(err, MAPCORE_EPARSE,
                          "%s: host %.100s sits at a switch and has a cable "
                          "as well",
                          name, links->hosts.name[h]);
        if (!sits && ncables[h] == 0)
            error = error_set(err, MAPCORE_EPARSE,
                              "%s: the network is not connected: host %.100s "
                              "has no link",
                              name, links->hosts.name[h]);
    }
    free(ncables);
    return error;
}

int links_create(struct mapcore_topo **out,
                 const struct links *links,
                 const char *name,
                 struct mapcore_error *err)
{
    uint32_t nhosts = (uint32_t)links->hosts.n;
    struct topo_cable *cable;
    struct mapcore_error why;
    int error = check_hosts(links, name, err);

    if (error < 0)
        return error;
    cable = array_copy(links->cable, links->ncables, sizeof(*cable), err);
    if (!cable)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < links->ncables; i++) {
        uint32_t a = cable[i].a, b = cable[i].b;

        cable[i].a = a / 2 + (a % 2 == 1 ? nhosts : 0);
        cable[i].b = b / 2 + (b % 2 == 1 ? nhosts : 0);
    }
    error = topo_create_fabric(
        out,
        &(struct topo_fabric){
            .nhosts = nhosts,
            .nswitches = (uint32_t)links->switches.n,
            .host_names = (const char *const *)links->hosts.name,
            .switch_names = (const char *const *)links->switches.name,
            .at = links->at,
            .ncables = links->ncables,
            .cable = cable,
            .has_capacities = links->has_capacities},
        &why);
    if (error < 0)
        error_set(err, error == MAPCORE_EINVAL ? MAPCORE_EPARSE : error,
                  "%s: %s", name, why.text);
    free(cable);
    return error == MAPCORE_EINVAL ? MAPCORE_EPARSE : error;
}

void links_clear(struct links *links)
{
    name_set_clear(&links->hosts);
    name_set_clear(&links->switches);
    free(links->at);
    free(links->cable);
    *links = (struct links){0};
}

/* One file. */
struct reader {
    struct links links;
    struct text *text;
    struct mapcore_error *err;
    bool some, others; /* links with a capacity, and without */
};

static int expand(const struct reader *r, struct hosts *out, const char *list)
{
    struct mapcore_error why;
    int error = hosts_expand(out, list, &why);

    return error < 0 ? text_error(r->text, r->err, error, "%s", why.text) : 0;
}

static int declare(struct reader *r,
                   const char *name,
                   bool is_switch,
                   bool is_host)
{
    uint32_t number, at = MAPCORE_NONE;
    bool is_new = true;
    int error = 0;

    if (is_switch) {
        error = links_add_switch(&r->links, &number, name, &is_new, r->err);
        at = number;
    }
    if (error == 0 && is_new && is_host)
        error = links_add_host(&r->links, &number, name, at, &is_new, r->err);
    if (error == 0 && is_new && is_switch != is_host)
        is_new = name_set_find(is_switch ? &r->links.hosts : &r->links.switches,
                               name) == MAPCORE_NONE;
    if (error == 0 && !is_new)
        error = text_error(r->text, r->err, MAPCORE_EPARSE,
                           "%s %.100s is there twice",
                           is_switch ? "switch" : "host", name);
    return error;
}

/* `at SWITCH` behind the names of hosts first .. hosts.n - 1. */
static int read_at(struct reader *r, char *cursor, size_t first)
{
    char *word = text_take_word(&cursor);
    uint32_t at;

    if (!word)
        return text_error(r->text, r->err, MAPCORE_EPARSE, "at which switch?");
    at = name_set_find(&r->links.switches, word);
    if (at == MAPCORE_NONE)
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "%.100s is no switch that was declared before", word);
    word = text_take_word(&cursor);
    if (word)
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "'%.40s' follows the switch", word);
    for (size_t h = first; h < r->links.hosts.n; h++)
        r->links.at[h] = at;
    return 0;
}

/* `switch s[0-3]`, `node r[0-7]` (a switch, and a host of that name at it),
 * `host n[0-7]` or `host n[0-7] at s0`; several lists in a line. */
static int read_nodes(struct reader *r,
                      char *cursor,
                      bool is_switch,
                      bool is_host)
{
    size_t before = r->links.hosts.n;
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
static uint32_t find_vertex(const struct reader *r, const char *name)
{
    uint32_t number = name_set_find(&r->links.switches, name);

    if (number != MAPCORE_NONE)
        return links_switch(number);
    number = name_set_find(&r->links.hosts, name);
    if (number != MAPCORE_NONE)
        return links_host(number);
    text_error(r->text, r->err, MAPCORE_EPARSE,
               "a link to %.100s, which was not declared before", name);
    return MAPCORE_NONE;
}

static int connect(struct reader *r,
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
    return links_add_cable(&r->links, a, b, capacity, r->err);
}

/* `[CAPACITY] [xCABLES]` at the end of a link's line. */
static int read_strength(struct reader *r,
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
                              "capacity '%.40s' is no positive number", word);
        r->some = r->links.has_capacities = true;
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
        r->links.has_capacities = r->links.has_capacities || *ncables > 1;
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
static int read_link(struct reader *r, char *cursor)
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

static int read_lines(struct reader *r)
{
    char *cursor;
    int error;

    while ((error = topo_next_line(r->text, &cursor, r->err)) == 0 && cursor) {
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
    struct reader r = {.text = text, .err = err};
    int error;

    if (rest[strspn(rest, " \t\r\v\f")] != '\0')
        return text_error(text, err, MAPCORE_EPARSE,
                          "something follows the word links in its line");
    error = read_lines(&r);
    if (error == 0)
        error = links_create(out, &r.links, text_name(text), err);
    links_clear(&r.links);
    return error;
}
