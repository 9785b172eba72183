/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* site.c - the site file: where catalogues are, and what the network is */
#include "config.h"

#include "tools/site.h"

#include "base/array.h"
#include "base/hosts.h"
#include "tools/child.h"
#include "json/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MAX_DIMS = 32,
    MAX_LEVELS = 32,
};

struct site {
    struct json *json; /* NULL when there is no file */
    const char **catalogues;
    size_t ncatalogues;
    double time_s;
    struct json_node topology;
    bool has_topology;
};

/* What the kinds of topology are made of; members that a kind does not use
 * are refused by json_only. */
struct network {
    struct json_node node;
    uint32_t numbers[MAX_DIMS]; /* dims or arity */
    uint32_t n;
    bool wraps[MAX_DIMS];
    uint32_t hosts_per_router;
    struct hosts hosts;
    uint32_t *coordinates; /* [hosts.n * n] */
    uint32_t *absent;      /* [nabsent * n] */
    size_t nabsent;
};

static int read_catalogues(struct site *site,
                           const struct json_node *root,
                           struct mapcore_error *err)
{
    struct json_node array, item;
    int error;

    if (!json_has(root, "catalogues"))
        return 0;
    if ((error = json_get_array(&array, root, "catalogues", err)) < 0)
        return error;
    site->catalogues =
        array_alloc(json_count(&array), sizeof *site->catalogues, err);
    if (site->catalogues == NULL)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < json_count(&array); i++) {
        if ((error = json_at(&item, &array, i, err)) < 0 ||
            (error = json_as_string(&site->catalogues[i], &item, err)) < 0)
            return error;
        if (site->catalogues[i][0] != '/')
            return json_error(&item, err, MAPCORE_EPARSE,
                              "expected an absolute path");
        site->ncatalogues++;
    }
    return 0;
}

static int read_time(struct site *site,
                     const struct json_node *root,
                     struct mapcore_error *err)
{
    int error;

    if (!json_has(root, "time_s"))
        return 0;
    error = json_get_double(&site->time_s, root, "time_s", err);
    if (error == 0 && !(site->time_s > 0 && site->time_s <= 86400))
        error = json_error(root, err, MAPCORE_EPARSE,
                           "time_s: expected seconds above 0, at most 86400");
    return error;
}

static int read_root(struct site *site, struct mapcore_error *err)
{
    static const char *const keys[] = {"format", "catalogues", "time_s",
                                       "topology"};
    struct json_node root;
    uint64_t format;
    int error;

    /* The format first: a later one may have keys that we do not know. */
    if ((error = json_root(&root, site->json, err)) < 0 ||
        (error = json_get_u64(&format, &root, "format", err)) < 0)
        return error;
    if (format != 1)
        return error_set(err, MAPCORE_EVERSION,
                         "%s: format %llu, and this program knows format 1",
                         json_name(site->json), (unsigned long long)format);
    if ((error = json_only(&root, keys, sizeof keys / sizeof *keys, err)) < 0 ||
        (error = read_catalogues(site, &root, err)) < 0 ||
        (error = read_time(site, &root, err)) < 0)
        return error;
    site->has_topology = json_has(&root, "topology");
    if (site->has_topology)
        error = json_get_object(&site->topology, &root, "topology", err);
    return error;
}

int site_read(struct site **out, const char *path, struct mapcore_error *err)
{
    struct site *site = array_alloc(1, sizeof *site, err);
    int error = 0;

    if (site == NULL)
        return MAPCORE_ENOMEM;
    if (path != NULL || access(TOPOMAP_SITEFILE, F_OK) == 0 ||
        (errno != ENOENT && errno != ENOTDIR)) {
        error =
            json_open(&site->json, path != NULL ? path : TOPOMAP_SITEFILE, err);
        if (error == 0)
            error = read_root(site, err);
    }
    if (error < 0) {
        site_close(site);
        return error;
    }
    *out = site;
    return 0;
}

void site_close(struct site *site)
{
    if (site == NULL)
        return;
    free(site->catalogues);
    json_close(site->json);
    free(site);
}

const char *site_path(const struct site *site)
{
    return site->json != NULL ? json_name(site->json) : NULL;
}

const char *const *site_catalogues(const struct site *site, size_t *n)
{
    *n = site->ncatalogues;
    return site->catalogues;
}

double site_time(const struct site *site)
{
    return site->time_s;
}

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

/* As many numbers as the torus has dimensions. */
static int read_place(uint32_t *out,
                      const struct json_node *array,
                      uint32_t n,
                      struct mapcore_error *err)
{
    uint32_t numbers[MAX_DIMS], count;
    int error = read_numbers(numbers, &count, array, err);

    if (error < 0)
        return error;
    if (count != n)
        return json_error(array, err, MAPCORE_EPARSE,
                          "%u coordinates in a network of %u dimensions", count,
                          n);
    memcpy(out, numbers, n * sizeof *out);
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

static int read_absent(struct network *network, struct mapcore_error *err)
{
    struct json_node array, item;
    int error;

    if (!json_has(&network->node, "absent"))
        return 0;
    if ((error = json_get_array(&array, &network->node, "absent", err)) < 0)
        return error;
    network->absent = array_alloc(json_count(&array) * network->n,
                                  sizeof *network->absent, err);
    if (network->absent == NULL)
        return MAPCORE_ENOMEM;
    for (; network->nabsent < json_count(&array); network->nabsent++)
        if ((error = json_at(&item, &array, network->nabsent, err)) < 0 ||
            (error = read_place(network->absent + network->nabsent * network->n,
                                &item, network->n, err)) < 0)
            return error;
    return 0;
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
                                       sizeof *network->coordinates, err);
    if (network->coordinates == NULL)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < network->hosts.n; i++)
        if ((error = json_get(&item, &table, network->hosts.name[i], err)) <
                0 ||
            (error = read_place(network->coordinates + i * network->n, &item,
                                network->n, err)) < 0)
            return error;
    return 0;
}

/* With regular numbering every router's hosts need a name, no more, no less. */
static int check_count(const struct network *network,
                       uint64_t places,
                       struct mapcore_error *err)
{
    if (network->coordinates != NULL || network->hosts.n == places)
        return 0;
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
        "type",  "dims",        "wrap",  "hosts_per_router",
        "hosts", "coordinates", "absent"};
    struct mapcore_torus spec;
    struct json_node dims;
    uint64_t places;
    int error;

    network->hosts_per_router = 1;
    if ((error = json_only(&network->node, keys, sizeof keys / sizeof *keys,
                           err)) < 0 ||
        (error = json_get(&dims, &network->node, "dims", err)) < 0 ||
        (error = read_numbers(network->numbers, &network->n, &dims, err)) < 0 ||
        (error = read_wrap(network, wraps, err)) < 0 ||
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
        .nhosts = network->coordinates != NULL ? (uint32_t)network->hosts.n : 0,
        .coordinates = network->coordinates,
        .names = (const char *const *)network->hosts.name,
    };
    return mapcore_topo_create_torus(out, &spec, err);
}

static int open_tree(struct mapcore_topo **out,
                     struct network *network,
                     struct mapcore_error *err)
{
    static const char *const keys[] = {"type", "arity", "hosts"};
    struct json_node arity;
    int error;

    if ((error = json_only(&network->node, keys, sizeof keys / sizeof *keys,
                           err)) < 0 ||
        (error = json_get(&arity, &network->node, "arity", err)) < 0 ||
        (error = read_numbers(network->numbers, &network->n, &arity, err)) <
            0 ||
        (error = read_hosts(network, err)) < 0 ||
        (error = check_count(network, product(network->numbers, network->n),
                             err)) < 0)
        return error;
    return mapcore_topo_create_tree(out, network->n, network->numbers,
                                    (const char *const *)network->hosts.name,
                                    err);
}

static int open_flat(struct mapcore_topo **out,
                     struct network *network,
                     struct mapcore_error *err)
{
    static const char *const keys[] = {"type", "hosts"};
    uint32_t nhosts;
    int error;

    if ((error = json_only(&network->node, keys, sizeof keys / sizeof *keys,
                           err)) < 0 ||
        (error = read_hosts(network, err)) < 0)
        return error;
    nhosts = (uint32_t)network->hosts.n;
    return mapcore_topo_create_tree(
        out, 1, &nhosts, (const char *const *)network->hosts.name, err);
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

    error = json_only(&network->node, keys, sizeof keys / sizeof *keys, err);
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

    if ((error = json_only(&network->node, keys, sizeof keys / sizeof *keys,
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
    if (strcmp(type, "slurm") == 0)
        return open_slurm(out, network, err);
    if (strcmp(type, "file") == 0)
        return open_file(out, network, err);
    return json_error(&node, err, MAPCORE_EPARSE,
                      "expected torus, mesh, tree, flat, slurm or file, not "
                      "'%s'",
                      type);
}

int site_open_topology(struct mapcore_topo **out,
                       const struct site *site,
                       struct mapcore_error *err)
{
    struct network network = {0};
    int error;

    *out = NULL;
    if (!site->has_topology)
        return 0;
    network.node = site->topology;
    error = open_type(out, &network, err);
    hosts_clear(&network.hosts);
    free(network.coordinates);
    free(network.absent);
    return error;
}
