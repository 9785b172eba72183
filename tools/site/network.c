/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* network.c - the topology that a site file describes */
#include "config.h"

#include "tools/site/network.h"

#include "base/array.h"
#include "base/hosts.h"
#include "tools/child.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_DIMS = 32, /* dimensions, or levels of a tree */
};

/* What the kinds of topology are made of; members that a kind does not use
 * are refused by json_only. */
struct network {
    struct json_node node;
    uint32_t numbers[MAX_DIMS]; /* dims or arity */
    uint32_t n;
    bool wraps[MAX_DIMS];
    uint32_t hosts_per_router;
    double capacity[MAX_DIMS];
    uint32_t uplinks[MAX_DIMS];
    bool has_capacity, has_uplinks;
    struct hosts hosts;
    uint32_t *coordinates; /* [hosts.n * n] */
    uint32_t *absent;      /* [nabsent * n] */
    size_t nabsent;
};

/* An array of at most MAX_DIMS whole numbers. */
static int read_numbers(uint32_t *out,
                        uint32_t *n,
                        const struct json_node *array,
                        struct mapcore_error *err)
{
    size_t count = json_count(array);
    struct json_node item;
    int error;

    if (!json_is_array(array) || count == 0 || count > MAX_DIMS)
        return json_error(array, err, MAPCORE_EPARSE,
                          "expected an array of 1 to %d whole numbers",
                          MAX_DIMS);
    for (size_t i = 0; i < count; i++)
        if ((error = json_at(&item, array, i, err)) < 0 ||
            (error = json_as_u32(&out[i], &item, err)) < 0)
            return error;
    *n = (uint32_t)count;
    return 0;
}

/* The coordinates of a router of the torus. */
static int read_place(uint32_t *out,
                      const struct json_node *array,
                      const struct network *network,
                      struct mapcore_error *err)
{
    uint32_t numbers[MAX_DIMS], count;
    int error = read_numbers(numbers, &count, array, err);

    if (error < 0)
        return error;
    if (count != network->n)
        return json_error(array, err, MAPCORE_EPARSE,
                          "%u coordinates in a network of %u dimensions", count,
                          network->n);
    for (uint32_t i = 0; i < count; i++)
        if (numbers[i] >= network->numbers[i])
            return json_error(array, err, MAPCORE_EPARSE,
                              "coordinate %u is not below %u", numbers[i],
                              network->numbers[i]);
    memcpy(out, numbers, count * sizeof(*out));
    return 0;
}

static int read_hosts(struct network *network, struct mapcore_error *err)
{
    struct mapcore_error why;
    struct json_node node;
    const char *expression;
    int error;

    if ((error = json_get(&node, &network->node, "hosts", err)) < 0 ||
        (error = json_as_string(&expression, &node, err)) < 0)
        return error;
    error = hosts_expand(&network->hosts, expression, &why);
    if (error < 0)
        return json_error(&node, err, error, "%s", why.text);
    return 0;
}

static int read_wrap(struct network *network,
                     bool wraps,
                     struct mapcore_error *err)
{
    struct json_node array, item;
    int error;

    for (uint32_t i = 0; i < network->n; i++)
        network->wraps[i] = wraps;
    if (!json_has(&network->node, "wrap"))
        return 0;
    if ((error = json_get_array(&array, &network->node, "wrap", err)) < 0)
        return error;
    if (json_count(&array) != network->n)
        return json_error(&array, err, MAPCORE_EPARSE,
                          "expected true or false for each of %u dimensions",
                          network->n);
    for (uint32_t i = 0; i < network->n; i++)
        if ((error = json_at(&item, &array, i, err)) < 0 ||
            (error = json_as_bool(&network->wraps[i], &item, err)) < 0)
            return error;
    return 0;
}

/* One for each dimension or level. */
static int read_capacity(struct network *network, struct mapcore_error *err)
{
    struct json_node array, item;
    int error;

    if (!json_has(&network->node, "capacity"))
        return 0;
    network->has_capacity = true;
    if ((error = json_get_array(&array, &network->node, "capacity", err)) < 0)
        return error;
    if (json_count(&array) != network->n)
        return json_error(&array, err, MAPCORE_EPARSE, "expected %u capacities",
                          network->n);
    for (uint32_t i = 0; i < network->n; i++) {
        if ((error = json_at(&item, &array, i, err)) < 0 ||
            (error = json_as_double(&network->capacity[i], &item, err)) < 0)
            return error;
        if (!(network->capacity[i] > 0))
            return json_error(&item, err, MAPCORE_EPARSE,
                              "expected a number above 0");
    }
    return 0;
}

static int read_uplinks(struct network *network, struct mapcore_error *err)
{
    struct json_node array;
    uint32_t n;
    int error;

    if (!json_has(&network->node, "uplinks"))
        return 0;
    network->has_uplinks = true;
    if ((error = json_get(&array, &network->node, "uplinks", err)) < 0 ||
        (error = read_numbers(network->uplinks, &n, &array, err)) < 0)
        return error;
    if (n != network->n)
        return json_error(&array, err, MAPCORE_EPARSE,
                          "expected numbers for %u levels", network->n);
    return 0;
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* A router named twice would be counted twice. */
static int check_absent(const struct network *network,
                        const struct json_node *array,
                        struct mapcore_error *err)
{
    size_t n = network->nabsent;
    uint64_t *router = array_alloc(n, sizeof(*router), err);
    int error = 0;

    if (!router)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < n; i++)
        for (uint32_t d = network->n; d-- > 0;)
            router[i] = router[i] * network->numbers[d] +
                        network->absent[i * network->n + d];
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
    struct json_node array, item;
    size_t n;
    int error;

    if (!json_has(&network->node, "absent"))
        return 0;
    if ((error = json_get_array(&array, &network->node, "absent", err)) < 0)
        return error;
    n = json_count(&array);
    network->absent =
        array_alloc(n * network->n, sizeof(*network->absent), err);
    if (!network->absent)
        return MAPCORE_ENOMEM;
    for (; network->nabsent < n; network->nabsent++)
        if ((error = json_at(&item, &array, network->nabsent, err)) < 0 ||
            (error = read_place(network->absent + network->nabsent * network->n,
                                &item, network, err)) < 0)
            return error;
    return check_absent(network, &array, err);
}

/* A table by name: the order of the hosts comes from "hosts". */
static int read_coordinates(struct network *network, struct mapcore_error *err)
{
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
    network->coordinates = array_alloc(network->hosts.n * network->n,
                                       sizeof(*network->coordinates), err);
    if (!network->coordinates)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < network->hosts.n; i++)
        if ((error = json_get(&item, &table, network->hosts.name[i], err)) <
                0 ||
            (error = read_place(network->coordinates + i * network->n, &item,
                                network, err)) < 0)
            return error;
    return 0;
}

/* With regular numbering every router's hosts need a name, no more, no less. */
static int check_count(const struct network *network,
                       uint64_t places,
                       struct mapcore_error *err)
{
    if (network->coordinates || network->hosts.n == places)
        return 0;
    if (places == UINT64_MAX)
        return json_error(&network->node, err, MAPCORE_ERANGE,
                          "a network that large cannot be");
    return json_error(&network->node, err, MAPCORE_EPARSE,
                      "hosts: %zu names for a network with places for %llu",
                      network->hosts.n, (unsigned long long)places);
}

static uint64_t product(const uint32_t *numbers, uint32_t n)
{
    uint64_t places = 1;

    for (uint32_t i = 0; i < n; i++)
        if (__builtin_mul_overflow(places, numbers[i], &places))
            return UINT64_MAX;
    return places;
}

static int open_torus(struct mapcore_topo **out,
                      struct network *network,
                      bool wraps,
                      struct mapcore_error *err)
{
    static const char *const keys[] = {
        "type",  "dims",        "wrap",   "hosts_per_router",
        "hosts", "coordinates", "absent", "capacity"};
    struct mapcore_error why;
    struct mapcore_torus spec;
    struct json_node dims;
    uint64_t places;
    int error;

    network->hosts_per_router = 1;
    if ((error = json_only(&network->node, keys, sizeof(keys) / sizeof(*keys),
                           err)) < 0 ||
        (error = json_get(&dims, &network->node, "dims", err)) < 0 ||
        (error = read_numbers(network->numbers, &network->n, &dims, err)) < 0 ||
        (error = read_wrap(network, wraps, err)) < 0 ||
        (error = read_capacity(network, err)) < 0 ||
        (error = read_absent(network, err)) < 0 ||
        (error = read_hosts(network, err)) < 0 ||
        (error = read_coordinates(network, err)) < 0)
        return error;
    if (json_has(&network->node, "hosts_per_router") &&
        (error = json_get_u32(&network->hosts_per_router, &network->node,
                              "hosts_per_router", err)) < 0)
        return error;
    places = product(network->numbers, network->n);
    places = places > network->nabsent ? places - network->nabsent : 0;
    if (__builtin_mul_overflow(places, network->hosts_per_router, &places))
        places = UINT64_MAX;
    if ((error = check_count(network, places, err)) < 0)
        return error;
    spec = (struct mapcore_torus){
        .ndims = network->n,
        .dims = network->numbers,
        .wraps = network->wraps,
        .hosts_per_router = network->hosts_per_router,
        .nabsent = network->nabsent,
        .absent = network->absent,
        .nhosts = network->coordinates ? (uint32_t)network->hosts.n : 0,
        .coordinates = network->coordinates,
        .names = (const char *const *)network->hosts.name,
        .capacity = network->has_capacity ? network->capacity : NULL,
    };
    error = mapcore_topo_create_torus(out, &spec, &why);
    return error < 0 ? json_error(&network->node, err, error, "%s", why.text)
                     : 0;
}

/* network->numbers[n] and hosts are set. */
static int create_tree(struct mapcore_topo **out,
                       struct network *network,
                       struct mapcore_error *err)
{
    struct mapcore_error why;
    int error =
        check_count(network, product(network->numbers, network->n), err);

    if (error < 0)
        return error;
    error = mapcore_topo_create_fat_tree(
        out, network->n, network->numbers,
        network->has_uplinks ? network->uplinks : NULL,
        network->has_capacity ? network->capacity : NULL,
        (const char *const *)network->hosts.name, &why);
    return error < 0 ? json_error(&network->node, err, error, "%s", why.text)
                     : 0;
}

static int open_tree(struct mapcore_topo **out,
                     struct network *network,
                     struct mapcore_error *err)
{
    static const char *const keys[] = {"type", "arity", "hosts", "capacity",
                                       "uplinks"};
    struct json_node arity;
    int error;

    if ((error = json_only(&network->node, keys, sizeof(keys) / sizeof(*keys),
                           err)) < 0 ||
        (error = json_get(&arity, &network->node, "arity", err)) < 0 ||
        (error = read_numbers(network->numbers, &network->n, &arity, err)) <
            0 ||
        (error = read_capacity(network, err)) < 0 ||
        (error = read_uplinks(network, err)) < 0 ||
        (error = read_hosts(network, err)) < 0)
        return error;
    return create_tree(out, network, err);
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
    network->n = 1;
    network->numbers[0] = (uint32_t)network->hosts.n;
    return create_tree(out, network, err);
}

/* Any network that one word describes, with the names of its hosts. */
static int open_word(struct mapcore_topo **out,
                     struct network *network,
                     struct mapcore_error *err)
{
    static const char *const keys[] = {"type", "spec", "hosts"};
    struct mapcore_error why;
    const char *word;
    int error;

    if ((error = json_only(&network->node, keys, sizeof(keys) / sizeof(*keys),
                           err)) < 0 ||
        (error = json_get_string(&word, &network->node, "spec", err)) < 0 ||
        (error = read_hosts(network, err)) < 0)
        return error;
    error =
        mapcore_topo_open_word(out, word, network->hosts.n,
                               (const char *const *)network->hosts.name, &why);
    return error < 0 ? json_error(&network->node, err, error, "%s", why.text)
                     : 0;
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
        return child_slurm_topology(out, CHILD_SECONDS, err);
    if ((error = json_get_string(&path, &network->node, "path", err)) < 0)
        return error;
    return mapcore_topo_open(out, path, err);
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
    return mapcore_topo_open(out, path, err);
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
        return open_torus(out, network, true, err);
    if (strcmp(type, "mesh") == 0)
        return open_torus(out, network, false, err);
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

    hosts_clear(&network.hosts);
    free(network.coordinates);
    free(network.absent);
    return error;
}
