/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* site_ports.c - reads the key ports, and refuses tables out of order */
#include "config.h"

#include "tools/site/site_ports.h"

#include "base/array.h"
#include "json/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* More than any machine has, and than NetPIPE measures. */
enum { MAX_LEVELS = 64, MAX_TYPES = 1024, MAX_LENGTHS = 1024 };

/* What nodes may have inside, as topo/hwnode.h calls it. */
static const char *const objects[] = {"Package", "Die", "NUMA", "L3",
                                      "L2",      "L1d", "Core"};
enum { NOBJECTS = 7 };

/* A rate that is there and above 0; *out stays as it is where it is not. */
static int read_rate(double *out,
                     const struct json_node *object,
                     const char *key,
                     struct mapcore_error *err)
{
    struct json_node node;
    int error;

    if (!json_has(object, key))
        return 0;
    if ((error = json_get(&node, object, key, err)) < 0 ||
        (error = json_as_double(out, &node, err)) < 0)
        return error;
    return *out > 0 ? 0
                    : json_error(&node, err, MAPCORE_EPARSE,
                                 "expected a number above 0");
}

/* [length, rate] */
static int read_pair(uint64_t *length,
                     double *rate,
                     const struct json_node *pair,
                     struct mapcore_error *err)
{
    struct json_node item;
    int error;

    if (!json_is_array(pair) || json_count(pair) != 2)
        return json_error(pair, err, MAPCORE_EPARSE, "expected [length, rate]");
    if ((error = json_at(&item, pair, 0, err)) < 0 ||
        (error = json_as_u64(length, &item, err)) < 0 ||
        (error = json_at(&item, pair, 1, err)) < 0 ||
        (error = json_as_double(rate, &item, err)) < 0)
        return error;
    return *rate > 0 ? 0
                     : json_error(&item, err, MAPCORE_EPARSE,
                                  "expected a number above 0");
}

static int new_table(struct site_port_table *out,
                     struct site_ports *ports,
                     size_t n,
                     struct mapcore_error *err)
{
    int error = array_reserve(&ports->table, &ports->capacity,
                              ports->ntables + 1, sizeof(*ports->table), err);

    if (error < 0)
        return error;
    out->length = array_alloc(n, sizeof(*out->length), err);
    out->rate = array_alloc(n, sizeof(*out->rate), err);
    ports->table[ports->ntables++] = *out;
    return out->length && out->rate ? 0 : MAPCORE_ENOMEM;
}

/* bandwidth and most; *port stays as it is where neither is said. */
static int read_rates(struct mapcore_port_rates *port,
                      struct site_ports *ports,
                      const struct json_node *object,
                      struct mapcore_error *err)
{
    struct mapcore_port_rates found = {.most = 0};
    struct json_node array, item;
    struct site_port_table table;
    double most = 0;
    int error;

    if ((error = read_rate(&found.most, object, "most", err)) < 0)
        return error;
    if (!json_has(object, "bandwidth")) {
        *port = found.most > 0 ? found : *port;
        return 0;
    }
    if ((error = json_get_array(&array, object, "bandwidth", err)) < 0)
        return error;
    found.n = json_count(&array);
    if (found.n == 0 || found.n > MAX_LENGTHS)
        return json_error(&array, err, MAPCORE_EPARSE,
                          "expected 1 to %d lengths", MAX_LENGTHS);
    if ((error = new_table(&table, ports, found.n, err)) < 0)
        return error;
    for (size_t i = 0; i < found.n; i++) {
        if ((error = json_at(&item, &array, i, err)) < 0 ||
            (error = read_pair(&table.length[i], &table.rate[i], &item, err)) <
                0)
            return error;
        if (i > 0 && table.length[i] <= table.length[i - 1])
            return json_error(&item, err, MAPCORE_EPARSE,
                              "the lengths must ascend");
        if (found.most > 0 && table.rate[i] > found.most)
            return json_error(&item, err, MAPCORE_EPARSE,
                              "more than the most of %g", found.most);
        most = fmax(most, table.rate[i]);
    }
    found.length = table.length;
    found.rate = table.rate;
    found.most = found.most > 0 ? found.most : most;
    *port = found;
    return 0;
}

/* in or out, where they are not alike. */
static int read_direction(struct mapcore_port_rates *port,
                          struct site_ports *ports,
                          const struct json_node *object,
                          const char *key,
                          struct mapcore_error *err)
{
    static const char *const keys[] = {"bandwidth", "most"};
    struct json_node direction;
    int error;

    if (!json_has(object, key))
        return 0;
    if ((error = json_get_object(&direction, object, key, err)) < 0 ||
        (error = json_only(&direction, keys, 2, err)) < 0)
        return error;
    return read_rates(port, ports, &direction, err);
}

/* inside, which all descriptions of a level say, or none. */
static int read_object(const char **out,
                       const struct json_node *object,
                       struct mapcore_error *err)
{
    struct json_node node;
    const char *word;
    int error;

    *out = NULL;
    if (!json_has(object, "inside"))
        return 0;
    if ((error = json_get(&node, object, "inside", err)) < 0 ||
        (error = json_as_string(&word, &node, err)) < 0)
        return error;
    for (int i = 0; i < NOBJECTS; i++)
        if (strcasecmp(word, objects[i]) == 0)
            *out = objects[i];
    return *out ? 0
                : json_error(&node, err, MAPCORE_EPARSE,
                             "expected package, die, numa, L3, L2, L1d or "
                             "core");
}

static int read_names(char **out,
                      const struct json_node *object,
                      struct mapcore_error *err)
{
    const char *names;
    int error;

    if (!json_has(object, "names"))
        return 0;
    if ((error = json_get_string(&names, object, "names", err)) < 0)
        return error;
    *out = array_copy(names, strlen(names) + 1, 1, err);
    return *out ? 0 : MAPCORE_ENOMEM;
}

/* One description: that of names, or of the rest of the level. */
static int read_type(struct site_ports *ports,
                     uint32_t level,
                     const struct json_node *object,
                     bool is_first,
                     struct mapcore_error *err)
{
    static const char *const keys[] = {"bandwidth", "most",  "switch", "in",
                                       "out",       "names", "inside"};
    struct site_port_types *types = &ports->types[level];
    struct mapcore_port_type type = {.switch_most = 0};
    char *names = NULL;
    const char *inside;
    int error = json_expect(object, json_is_object(object), "an object", err);

    if (error < 0 || (error = json_only(object, keys, 7, err)) < 0 ||
        (error = read_rate(&type.switch_most, object, "switch", err)) < 0 ||
        (error = read_rates(&type.out, ports, object, err)) < 0)
        return error;
    type.in = type.out;
    if ((error = read_direction(&type.in, ports, object, "in", err)) < 0 ||
        (error = read_direction(&type.out, ports, object, "out", err)) < 0 ||
        (error = read_object(&inside, object, err)) < 0 ||
        (error = read_names(&names, object, err)) < 0)
        return error;
    if (is_first)
        ports->level[level].object = inside;
    if (inside != ports->level[level].object || (!names && !is_first)) {
        free(names);
        return json_error(object, err, MAPCORE_EPARSE,
                          "expected names, and the same inside as the "
                          "description before it");
    }
    if (!names) {
        types->type[0] = type;
        return 0;
    }
    types->type[types->n] = type;
    types->names[types->n++] = names;
    return 0;
}

/* One description, or an array of them. */
static int read_level(struct site_ports *ports,
                      uint32_t i,
                      const struct json_node *node,
                      struct mapcore_error *err)
{
    const size_t n = json_is_array(node) ? json_count(node) : 1;
    struct site_port_types *types = &ports->types[i];
    struct json_node item = *node;
    int error = 0;

    if (n == 0 || n > MAX_TYPES)
        return json_error(node, err, MAPCORE_EPARSE,
                          "expected 1 to %d descriptions", MAX_TYPES);
    types->type = array_alloc(n + 1, sizeof(*types->type), err);
    types->names = array_alloc(n + 1, sizeof(*types->names), err);
    if (!types->type || !types->names)
        return MAPCORE_ENOMEM;
    types->n = 1;
    for (size_t k = 0; error == 0 && k < n; k++) {
        if (json_is_array(node))
            error = json_at(&item, node, k, err);
        if (error == 0)
            error = read_type(ports, i, &item, k == 0, err);
    }
    ports->level[i].type = types->type;
    ports->level[i].ntypes = (uint32_t)types->n;
    if (error == 0 && ports->level[i].object &&
        (i == 0 || (i > 1 && !ports->level[i - 1].object)))
        return json_error(node, err, MAPCORE_EPARSE,
                          "what is inside nodes stands behind tasks and before "
                          "nodes");
    return error;
}

int site_ports_read(struct site_ports *ports,
                    const struct site_file *site,
                    struct mapcore_error *err)
{
    const struct json_node array = site->ports;
    struct json_node item;
    uint32_t ninside = 0;
    size_t n;
    int error = 0;

    if (!array.value)
        return 0;
    n = json_count(&array);
    if (n < 2 || n > MAX_LEVELS)
        return json_error(&array, err, MAPCORE_EPARSE,
                          "expected 2 to %d levels", MAX_LEVELS);
    ports->level = array_alloc(n, sizeof(*ports->level), err);
    ports->types = array_alloc(n, sizeof(*ports->types), err);
    if (!ports->level || !ports->types)
        return MAPCORE_ENOMEM;
    ports->n = (uint32_t)n;
    for (uint32_t i = 0; error == 0 && i < n; i++) {
        error = json_at(&item, &array, i, err);
        if (error == 0)
            error = read_level(ports, i, &item, err);
        ninside += ports->level[i].object != NULL;
    }
    if (error == 0 && n - ninside < 2)
        error =
            json_error(&array, err, MAPCORE_EPARSE, "expected tasks and nodes");
    return error;
}

void site_ports_clear(struct site_ports *ports)
{
    for (uint32_t i = 0; ports->types && i < ports->n; i++) {
        for (size_t k = 0; k < ports->types[i].n; k++)
            free(ports->types[i].names[k]);
        free(ports->types[i].names);
        free(ports->types[i].type);
    }
    for (size_t i = 0; i < ports->ntables; i++) {
        free(ports->table[i].length);
        free(ports->table[i].rate);
    }
    free(ports->types);
    free(ports->level);
    free(ports->table);
    *ports = (struct site_ports){.n = 0};
}
