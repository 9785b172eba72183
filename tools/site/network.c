/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* network.c - the topology that a site file describes: its members are written
 * down as the lines of a network file, mapcore-topology(5), which one reader
 * checks */
#include "config.h"

#include "tools/site/site.h"

#include "base/buffer.h"
#include "base/hosts.h"
#include "base/name_set.h"
#include "base/text.h"
#include "tools/common/subprocess.h"
#include "tools/inputs/foreign.h"
#include "tools/inputs/partitions.h"
#include "topo/create.h"
#include "topo/file/readers.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

struct network {
    struct json_node node;
    struct buffer lines; /* its err is the document's */
};

static const char *const grid_keys[] = {
    "type",  "dims",        "wrap",   "hosts_per_router",
    "hosts", "coordinates", "absent", "capacity"};
static const char *const tree_keys[] = {"type",     "arity",   "hosts",
                                        "capacity", "uplinks", "rails"};
static const char *const flat_keys[] = {"type", "hosts"};
static const char *const spec_keys[] = {"type", "spec", "hosts"};
static const char *const path_keys[] = {"type", "path", "rails"};

/* A type whose numbers stand in a member is a word of that name; `separator`
 * stands between them. Members that others use are refused. */
static const struct network_type {
    const char *name, *numbers;
    char separator;
    size_t nkeys;
    const char *const *keys;
} types[] = {
    {"torus", "dims", 'x', 8, grid_keys}, {"mesh", "dims", 'x', 8, grid_keys},
    {"tree", "arity", ',', 6, tree_keys}, {"flat", NULL, ',', 2, flat_keys},
    {"spec", NULL, ',', 3, spec_keys},    {"slurm", NULL, ',', 3, path_keys},
    {"file", NULL, ',', 3, path_keys},
};

/* What an array has, behind the prefix and with a separator between, as the
 * document has it: whether it is right the reader of lines says. Arrays in it
 * follow elsewhere, and 1 stands for them. */
static int put_items(struct network *network,
                     const char *prefix,
                     const struct json_node *array,
                     char separator)
{
    size_t n = json_is_array(array) ? json_count(array) : 0;
    struct json_node item;
    int error = json_expect(array, n > 0, "an array of numbers");

    for (size_t i = 0; error == 0 && i < n; i++) {
        const char *text;

        if ((error = json_at(&item, array, i)) < 0)
            return error;
        text = json_is_array(&item) ? "1" : json_as_text(&item);
        if (!text)
            return json_expect(&item, false, "a number");
        text = strcmp(text, "true") == 0    ? "1"
               : strcmp(text, "false") == 0 ? "0"
                                            : text;
        if (i == 0)
            buffer_printf(&network->lines, "%s%s", prefix, text);
        else
            buffer_printf(&network->lines, "%c%s", separator, text);
    }
    return error < 0 ? error : network->lines.error;
}

static int put_member(struct network *network,
                      const char *key,
                      const char *prefix,
                      char separator)
{
    struct json_node array;
    int error = json_get(&array, &network->node, key);

    return error < 0 ? error : put_items(network, prefix, &array, separator);
}

/* ":capacity=2x1x5:capacity.y=8,1" */
static int put_capacity(struct network *network, char separator)
{
    struct json_node array, item;
    size_t n;
    int error = put_member(network, "capacity", ":capacity=", separator);

    if (error < 0)
        return error;
    (void)json_get(&array, &network->node, "capacity");
    n = json_count(&array);
    for (size_t i = 0; error == 0 && i < n; i++) {
        char along[] = ":capacity.?=";

        along[10] = (char)((n <= 3 ? 'x' : 'a') + i);
        if ((error = json_at(&item, &array, i)) == 0 && json_is_array(&item))
            error = put_items(network, along, &item, ',');
    }
    return error;
}

/* torus:4x3/2:wrap=1x0:capacity=2x1 */
static int put_word(struct network *network, const struct network_type *type)
{
    static const char *const options[][2] = {{"wrap", ":wrap="},
                                             {"uplinks", ":uplinks="}};
    const struct json_node *node = &network->node;
    uint32_t number;
    int error;

    buffer_printf(&network->lines, "%s",
                  json_has(node, "wrap") ? "torus" : type->name);
    error = put_member(network, type->numbers, ":", type->separator);
    if (error == 0 && json_has(node, "hosts_per_router") &&
        (error = json_get_u32(&number, node, "hosts_per_router")) == 0)
        error = buffer_printf(&network->lines, "/%u", number);
    for (int i = 0; error == 0 && i < 2; i++)
        if (json_has(node, options[i][0]))
            error = put_member(network, options[i][0], options[i][1],
                               type->separator);
    if (error == 0 && json_has(node, "rails") &&
        (error = json_get_u32(&number, node, "rails")) == 0)
        error = buffer_printf(&network->lines, ":rails=%u", number);
    return error == 0 && json_has(node, "capacity")
               ? put_capacity(network, type->separator)
               : error;
}

/* A router named twice: one of them is meant to be another. */
static int put_absent(struct network *network)
{
    struct buffer *lines = &network->lines;
    struct name_set places = {0};
    struct json_node array, item;
    uint32_t number;
    int error = json_get_array(&array, &network->node, "absent");

    for (size_t i = 0; error == 0 && i < json_count(&array); i++) {
        size_t begin = lines->n;

        if ((error = json_at(&item, &array, i)) == 0 &&
            (error = put_items(network, "\nabsent ", &item, ' ')) == 0)
            error = name_set_add(&number, &places, lines->bytes + begin,
                                 network->lines.err);
        if (error == 0 && places.n == i)
            error =
                json_error(&array, MAPCORE_EPARSE, "a router is named twice");
    }
    name_set_clear(&places);
    return error;
}

/* A table by name: the order of the hosts comes from "hosts". */
static int put_coordinates(struct network *network, const struct hosts *hosts)
{
    struct json_node table, item;
    int error = json_get_object(&table, &network->node, "coordinates");

    if (error == 0 && json_has(&network->node, "hosts_per_router"))
        error =
            json_error(&network->node, MAPCORE_EPARSE,
                       "coordinates and hosts_per_router exclude each other");
    for (size_t i = 0; error == 0 && i < hosts->n; i++) {
        buffer_printf(&network->lines, "\nhost %s", hosts->name[i]);
        if ((error = json_get(&item, &table, hosts->name[i])) == 0)
            error = put_items(network, " ", &item, ' ');
    }
    return error;
}

/* The lines of all but a network in Slurm or a file. */
static int put_lines(struct network *network, const struct network_type *type)
{
    struct json_node node;
    struct hosts hosts = {0};
    const char *list, *word;
    int error;

    if ((error = json_get(&node, &network->node, "hosts")) < 0 ||
        (error = json_as_string(&list, &node)) < 0)
        return error;
    if ((error = hosts_expand(&hosts, list, network->lines.err)) < 0)
        return json_error_in(&node, error);
    if (type->numbers)
        error = put_word(network, type);
    else if (strcmp(type->name, "flat") == 0)
        error = buffer_printf(&network->lines, "flat:%zu", hosts.n);
    else if ((error = json_get_string(&word, &network->node, "spec")) == 0)
        error = buffer_printf(&network->lines, "%s", word);
    if (error == 0 && json_has(&network->node, "absent"))
        error = put_absent(network);
    if (error == 0)
        error = json_has(&network->node, "coordinates")
                    ? put_coordinates(network, &hosts)
                    : buffer_printf(&network->lines, "\nhosts %s", list);
    hosts_clear(&hosts);
    return error;
}

static int read_lines(struct mapcore_topo **out, const struct network *network)
{
    struct mapcore_error why;
    struct text *text = NULL;
    char *line;
    const char *said;
    int error = text_open_memory(&text, "network", network->lines.bytes,
                                 network->lines.n, &why);

    if (error == 0 && (error = text_line(text, &line)) == 0)
        error = topo_read_spec(out, text, line);
    text_close(text);
    /* Its lines are not ours: without "network:2: ". */
    said = error < 0 ? strstr(why.text, ": ") : NULL;
    return error < 0 ? json_error(&network->node, error, "%s",
                                  said ? said + 2 : why.text)
                     : 0;
}

char *network_file(const struct json_node *node)
{
    const char *site = json_name(node->json), *path;
    const char *name = text_last_part(site);
    struct buffer file = {.err = json_err(node)};

    if (!json_has(node, "path") || json_get_string(&path, node, "path") < 0)
        return NULL;
    if (*path != '/')
        buffer_printf(&file, "%.*s", name > site ? (int)(name - site) : 2,
                      name > site ? site : "./");
    buffer_printf(&file, "%s", path);
    return buffer_steal(&file);
}

/* Slurm's own topology as scontrol prints it, or what stands in a file. */
static int open_path(struct mapcore_topo **out,
                     const struct json_node *node,
                     const char *type)
{
    const bool asks = strcmp(type, "slurm") == 0 && !json_has(node, "path");
    uint32_t rails = 1;
    const char *path;
    char *file = NULL;
    int error = 0;

    if (json_has(node, "rails"))
        error = json_get_u32(&rails, node, "rails");
    if (error == 0 && !asks &&
        (error = json_get_string(&path, node, "path")) == 0 &&
        !(file = network_file(node)))
        error = MAPCORE_ENOMEM;
    if (error == 0)
        error = asks ? partitions_open_topology(out, NULL, CHILD_SECONDS,
                                                json_err(node))
                     : foreign_network_open(out, file, json_err(node));
    free(file);
    if (error == 0 && *out &&
        (error = topo_set_rails(*out, rails, json_err(node))) < 0) {
        error = json_error_in(node, error);
        mapcore_topo_destroy(*out);
        *out = NULL;
    }
    return error;
}

int network_open(struct mapcore_topo **out, const struct json_node *node)
{
    const size_t ntypes = sizeof(types) / sizeof(types[0]);
    struct network network = {.node = *node, .lines.err = json_err(node)};
    const struct network_type *type = types;
    struct json_node item;
    const char *name;
    int error;

    if ((error = json_get(&item, node, "type")) < 0 ||
        (error = json_as_string(&name, &item)) < 0)
        return error;
    while (type < types + ntypes && strcmp(name, type->name) != 0)
        type++;
    if (type == types + ntypes)
        return json_error(&item, MAPCORE_EPARSE,
                          "expected torus, mesh, tree, flat, spec, slurm or "
                          "file, not '%s'",
                          name);
    if ((error = json_only(node, type->keys, type->nkeys)) < 0)
        return error;
    if (strcmp(type->keys[1], "path") == 0)
        return open_path(out, node, name);
    if ((error = put_lines(&network, type)) == 0)
        error = read_lines(out, &network);
    buffer_clear(&network.lines);
    return error;
}
