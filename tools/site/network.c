/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* network.c - the topology that a site file describes */
#include "config.h"

#include "tools/site/network.h"

#include "base/array.h"
#include "base/hosts.h"
#include "tools/common/subprocess.h"
#include "tools/inputs/foreign.h"
#include "tools/inputs/partitions.h"
#include "topo/file/spec_word.h"
#include "json/json_fields.h"

#include <stdlib.h>
#include <string.h>

/* Members that a kind of network does not use are refused by json_only. */
struct network {
    struct json_node node;
    struct topo_spec spec;
    struct topo_spec_hosts hosts;
};

/* An array of at most TOPO_SPEC_MAX_NUMBERS whole numbers. */
static int read_numbers(uint32_t *out,
                        uint32_t *n,
                        const struct json_node *array,
                        struct mapcore_error *err)
{
    size_t count = json_count(array);

    if (!json_is_array(array) || count == 0 || count > TOPO_SPEC_MAX_NUMBERS)
        return json_error(array, err, MAPCORE_EPARSE,
                          "expected an array of 1 to %d whole numbers",
                          TOPO_SPEC_MAX_NUMBERS);
    *n = (uint32_t)count;
    return json_read_items(out, array, JSON_U32, count, err);
}

/* The coordinates of a router, into out[spec->n]. */
static int read_place(uint32_t *out,
                      const struct json_node *array,
                      const struct topo_spec *spec,
                      struct mapcore_error *err)
{
    uint32_t numbers[TOPO_SPEC_MAX_NUMBERS], count;
    struct mapcore_error why;
    int error = read_numbers(numbers, &count, array, err);

    if (error < 0)
        return error;
    if (count != spec->n)
        return json_error(array, err, MAPCORE_EPARSE,
                          "%u coordinates in a network of %u dimensions", count,
                          spec->n);
    if (topo_spec_check_coordinates(spec, numbers, &why) < 0)
        return json_error(array, err, MAPCORE_EPARSE, "%s", why.text);
    memcpy(out, numbers, count * sizeof(*out));
    return 0;
}

static int read_hosts(struct network *network, struct mapcore_error *err)
{
    struct mapcore_error why;
    struct json_node node;
    const char *expression;
    struct hosts hosts;
    int error;

    if ((error = json_get(&node, &network->node, "hosts", err)) < 0 ||
        (error = json_as_string(&expression, &node, err)) < 0)
        return error;
    error = hosts_expand(&hosts, expression, &why);
    if (error == 0) {
        error =
            name_set_add_all(&network->hosts.names,
                             (const char *const *)hosts.name, hosts.n, &why);
        hosts_clear(&hosts);
    }
    return error < 0 ? json_error(&node, err, error, "%s", why.text) : 0;
}

static int read_wrap(struct network *network,
                     bool wraps,
                     struct mapcore_error *err)
{
    struct topo_spec *spec = &network->spec;
    struct json_node array;
    int error;

    for (uint32_t i = 0; i < spec->n; i++)
        spec->wraps[i] = wraps;
    if (!json_has(&network->node, "wrap"))
        return 0;
    if ((error = json_get_array(&array, &network->node, "wrap", err)) < 0)
        return error;
    if (json_count(&array) != spec->n)
        return json_error(&array, err, MAPCORE_EPARSE,
                          "expected true or false for each of %u dimensions",
                          spec->n);
    return json_read_items(spec->wraps, &array, JSON_BOOL, spec->n, err);
}

/* Of a dimension's links by position. */
static int read_along(struct topo_spec *spec,
                      uint32_t dimension,
                      const struct json_node *array,
                      struct mapcore_error *err)
{
    size_t n = json_count(array);
    struct mapcore_error why;
    struct json_node item;
    double capacity;
    int error;

    if (n == 0)
        return json_error(array, err, MAPCORE_EPARSE,
                          "expected capacities by position");
    for (size_t i = 0; i < n; i++) {
        if ((error = json_at(&item, array, i, err)) < 0 ||
            (error = json_as_double(&capacity, &item, err)) < 0)
            return error;
        if (topo_spec_add_along(spec, dimension, capacity, &why) < 0)
            return json_error(&item, err, MAPCORE_EPARSE, "%s", why.text);
    }
    if (topo_spec_check_along(spec, dimension, &why) < 0)
        return json_error(array, err, MAPCORE_EPARSE, "%s", why.text);
    return 0;
}

/* One for each dimension or level, or of a dimension an array by position. */
static int read_capacity(struct network *network, struct mapcore_error *err)
{
    struct topo_spec *spec = &network->spec;
    struct json_node array, item;
    int error;

    spec->has_capacity = json_has(&network->node, "capacity");
    if (!spec->has_capacity)
        return 0;
    if ((error = json_get_array(&array, &network->node, "capacity", err)) < 0)
        return error;
    if (json_count(&array) != spec->n)
        return json_error(&array, err, MAPCORE_EPARSE, "expected %u capacities",
                          spec->n);
    if (!topo_spec_has_coordinates(spec))
        return json_read_items(spec->capacity, &array, JSON_DOUBLE, spec->n,
                               err);
    for (uint32_t i = 0; i < spec->n; i++) {
        if ((error = json_at(&item, &array, i, err)) < 0)
            return error;
        error = json_is_array(&item)
                    ? read_along(spec, i, &item, err)
                    : json_as_double(&spec->capacity[i], &item, err);
        if (error < 0)
            return error;
    }
    return 0;
}

static int read_uplinks(struct network *network, struct mapcore_error *err)
{
    struct json_node array;
    uint32_t n;
    int error;

    network->spec.has_uplinks = json_has(&network->node, "uplinks");
    if (!network->spec.has_uplinks)
        return 0;
    if ((error = json_get(&array, &network->node, "uplinks", err)) < 0 ||
        (error = read_numbers(network->spec.uplinks, &n, &array, err)) < 0)
        return error;
    if (n != network->spec.n)
        return json_error(&array, err, MAPCORE_EPARSE,
                          "expected numbers for %u levels", network->spec.n);
    return 0;
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* A router named twice: one of them is meant to be another. */
static int check_absent(const struct network *network,
                        const struct json_node *array,
                        struct mapcore_error *err)
{
    const struct topo_spec *spec = &network->spec;
    size_t n = network->hosts.nabsent;
    uint64_t *router = array_alloc(n, sizeof(*router), err);
    int error = 0;

    if (!router)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < n; i++)
        for (uint32_t d = spec->n; d-- > 0;)
            router[i] = router[i] * spec->number[d] +
                        network->hosts.absent[i * spec->n + d];
    qsort(router, n, sizeof(*router), by_number);
    for (size_t i = 1; error == 0 && i < n; i++)
        if (router[i] == router[i - 1])
            error = json_error(array, err, MAPCORE_EPARSE,
                               "a router is named twice");
    free(router);
    return error;
}

static int read_absent(struct network *network, struct mapcore_error *err)
{
    struct topo_spec_hosts *hosts = &network->hosts;
    uint32_t ndims = network->spec.n;
    struct json_node array, item;
    size_t n;
    int error;

    if (!json_has(&network->node, "absent"))
        return 0;
    if ((error = json_get_array(&array, &network->node, "absent", err)) < 0)
        return error;
    n = json_count(&array);
    hosts->absent = array_alloc(n * ndims, sizeof(*hosts->absent), err);
    if (!hosts->absent)
        return MAPCORE_ENOMEM;
    for (; hosts->nabsent < n; hosts->nabsent++)
        if ((error = json_at(&item, &array, hosts->nabsent, err)) < 0 ||
            (error = read_place(hosts->absent + hosts->nabsent * ndims, &item,
                                &network->spec, err)) < 0)
            return error;
    return check_absent(network, &array, err);
}

/* A table by name: the order of the hosts comes from "hosts". */
static int read_coordinates(struct network *network, struct mapcore_error *err)
{
    struct topo_spec_hosts *hosts = &network->hosts;
    uint32_t ndims = network->spec.n;
    struct json_node table, item;
    int error;

    if (!json_has(&network->node, "coordinates"))
        return 0;
    if (json_has(&network->node, "hosts_per_router"))
        return json_error(&network->node, err, MAPCORE_EPARSE,
                          "coordinates and hosts_per_router exclude each "
                          "other");
    if ((error = json_get_object(&table, &network->node, "coordinates", err)) <
        0)
        return error;
    hosts->coordinates =
        array_alloc(hosts->names.n * ndims, sizeof(*hosts->coordinates), err);
    if (!hosts->coordinates)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < hosts->names.n; i++)
        if ((error = json_get(&item, &table, hosts->names.name[i], err)) < 0 ||
            (error = read_place(hosts->coordinates + i * ndims, &item,
                                &network->spec, err)) < 0)
            return error;
    return 0;
}

static int create(struct mapcore_topo **out,
                  const struct network *network,
                  struct mapcore_error *err)
{
    struct mapcore_error why;
    int error = topo_spec_create(out, &network->spec, &network->hosts, &why);

    return error < 0 ? json_error(&network->node, err, error, "%s", why.text)
                     : 0;
}

static int open_torus(struct mapcore_topo **out,
                      struct network *network,
                      enum topo_spec_kind kind,
                      struct mapcore_error *err)
{
    static const char *const keys[] = {
        "type",  "dims",        "wrap",   "hosts_per_router",
        "hosts", "coordinates", "absent", "capacity"};
    struct topo_spec *spec = &network->spec;
    struct json_node dims;
    int error;

    *spec = (struct topo_spec){.kind = kind, .per_router = 1};
    if ((error = json_only(&network->node, keys, sizeof(keys) / sizeof(*keys),
                           err)) < 0 ||
        (error = json_get(&dims, &network->node, "dims", err)) < 0 ||
        (error = read_numbers(spec->number, &spec->n, &dims, err)) < 0 ||
        (error = read_wrap(network, kind == TOPO_SPEC_TORUS, err)) < 0 ||
        (error = read_capacity(network, err)) < 0 ||
        (error = read_absent(network, err)) < 0 ||
        (error = read_hosts(network, err)) < 0 ||
        (error = read_coordinates(network, err)) < 0)
        return error;
    if (json_has(&network->node, "hosts_per_router") &&
        (error = json_get_u32(&spec->per_router, &network->node,
                              "hosts_per_router", err)) < 0)
        return error;
    return create(out, network, err);
}

static int open_tree(struct mapcore_topo **out,
                     struct network *network,
                     struct mapcore_error *err)
{
    static const char *const keys[] = {"type", "arity", "hosts", "capacity",
                                       "uplinks"};
    struct topo_spec *spec = &network->spec;
    struct json_node arity;
    int error;

    *spec = (struct topo_spec){.kind = TOPO_SPEC_TREE};
    if ((error = json_only(&network->node, keys, sizeof(keys) / sizeof(*keys),
                           err)) < 0 ||
        (error = json_get(&arity, &network->node, "arity", err)) < 0 ||
        (error = read_numbers(spec->number, &spec->n, &arity, err)) < 0 ||
        (error = read_capacity(network, err)) < 0 ||
        (error = read_uplinks(network, err)) < 0 ||
        (error = read_hosts(network, err)) < 0)
        return error;
    return create(out, network, err);
}

static int open_flat(struct mapcore_topo **out,
                     struct network *network,
                     struct mapcore_error *err)
{
    static const char *const keys[] = {"type", "hosts"};
    int error;

    if ((error = json_only(&network->node, keys, sizeof(keys) / sizeof(*keys),
                           err)) < 0 ||
        (error = read_hosts(network, err)) < 0)
        return error;
    network->spec =
        (struct topo_spec){.kind = TOPO_SPEC_FLAT,
                           .n = 1,
                           .number = {(uint32_t)network->hosts.names.n}};
    return create(out, network, err);
}

/* Any network that one word describes, with the names of its hosts. */
static int open_word(struct mapcore_topo **out,
                     struct network *network,
                     struct mapcore_error *err)
{
    static const char *const keys[] = {"type", "spec", "hosts"};
    struct mapcore_error why;
    struct json_node node;
    const char *word;
    int error;

    if ((error = json_only(&network->node, keys, sizeof(keys) / sizeof(*keys),
                           err)) < 0 ||
        (error = json_get(&node, &network->node, "spec", err)) < 0 ||
        (error = json_as_string(&word, &node, err)) < 0 ||
        (error = read_hosts(network, err)) < 0)
        return error;
    error = spec_word_parse(&network->spec, word, &why);
    return error < 0 ? json_error(&node, err, error, "%s", why.text)
                     : create(out, network, err);
}

/* Slurm's own topology: as scontrol prints it, or with a path as it stands in
 * that file. */
static int open_slurm(struct mapcore_topo **out,
                      struct network *network,
                      struct mapcore_error *err)
{
    static const char *const keys[] = {"type", "path"};
    const char *path;
    int error;

    error = json_only(&network->node, keys, sizeof(keys) / sizeof(*keys), err);
    if (error < 0)
        return error;
    if (!json_has(&network->node, "path"))
        return partitions_open_topology(out, NULL, CHILD_SECONDS, err);
    if ((error = json_get_string(&path, &network->node, "path", err)) < 0)
        return error;
    return foreign_network_open(out, path, err);
}

static int open_file(struct mapcore_topo **out,
                     struct network *network,
                     struct mapcore_error *err)
{
    static const char *const keys[] = {"type", "path"};
    const char *path;
    int error;

    if ((error = json_only(&network->node, keys, sizeof(keys) / sizeof(*keys),
                           err)) < 0 ||
        (error = json_get_string(&path, &network->node, "path", err)) < 0)
        return error;
    return foreign_network_open(out, path, err);
}

static int open_type(struct mapcore_topo **out,
                     struct network *network,
                     struct mapcore_error *err)
{
    struct json_node node;
    const char *type;
    int error;

    if ((error = json_get(&node, &network->node, "type", err)) < 0 ||
        (error = json_as_string(&type, &node, err)) < 0)
        return error;
    if (strcmp(type, "torus") == 0)
        return open_torus(out, network, TOPO_SPEC_TORUS, err);
    if (strcmp(type, "mesh") == 0)
        return open_torus(out, network, TOPO_SPEC_MESH, err);
    if (strcmp(type, "tree") == 0)
        return open_tree(out, network, err);
    if (strcmp(type, "flat") == 0)
        return open_flat(out, network, err);
    if (strcmp(type, "spec") == 0)
        return open_word(out, network, err);
    if (strcmp(type, "slurm") == 0)
        return open_slurm(out, network, err);
    if (strcmp(type, "file") == 0)
        return open_file(out, network, err);
    return json_error(&node, err, MAPCORE_EPARSE,
                      "expected torus, mesh, tree, flat, spec, slurm or file, "
                      "not '%s'",
                      type);
}

int network_open(struct mapcore_topo **out,
                 const struct json_node *node,
                 struct mapcore_error *err)
{
    struct network network = {.node = *node};
    int error = open_type(out, &network, err);

    topo_spec_hosts_clear(&network.hosts);
    return error;
}
