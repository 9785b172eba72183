/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* site_ports.c - reads the key ports, and refuses tables out of order */
#include "config.h"

#include "tools/site/site_ports.h"

#include "json/json_fields.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* More than any machine has, and than NetPIPE measures. */
enum { MAX_LEVELS = 64, MAX_TYPES = 1024, MAX_LENGTHS = 1024 };

/* What nodes may have inside, as topo/hwnode.h calls it. */
static const char *const objects[] = {"Package", "Die", "NUMA", "L3",
                                      "L2",      "L1d", "Core"};
enum { NOBJECTS = 7 };

/* A description as the file has it. */
struct description {
    double most, switch_most;
    struct json_node bandwidth, in, out;
    const char *names, *inside;
};

/* The first two are those of a direction, too. */
enum { OF_DIRECTION = 2 };
static const struct json_field fields[] = {
    JSON_FIELD(description, "bandwidth", JSON_ARRAY, bandwidth, JSON_OPTIONAL),
    JSON_FIELD(description, "most", JSON_DOUBLE, most, JSON_OPTIONAL),
    JSON_FIELD(description, "switch", JSON_DOUBLE, switch_most, JSON_OPTIONAL),
    JSON_FIELD(description, "in", JSON_OBJECT, in, JSON_OPTIONAL),
    JSON_FIELD(description, "out", JSON_OBJECT, out, JSON_OPTIONAL),
    JSON_FIELD(description, "names", JSON_BORROWED, names, JSON_OPTIONAL),
    JSON_FIELD(description, "inside", JSON_BORROWED, inside, JSON_OPTIONAL),
};
enum { OF_TYPE = sizeof(fields) / sizeof(fields[0]) };

static int check_rate(const struct json_node *object,
                      const char *key,
                      double rate)
{
    struct json_node node;

    if (rate > 0 || !json_has(object, key))
        return 0;
    (void)json_get(&node, object, key);
    return json_error(&node, MAPCORE_EPARSE, "expected a number above 0");
}

static int read_members(struct description *out,
                        const struct json_node *object,
                        size_t nfields)
{
    int error = json_expect(object, json_is_object(object), "an object");

    *out = (struct description){.most = 0};
    if (error < 0 || (error = json_only_fields(object, fields, nfields)) < 0 ||
        (error = json_read_fields(out, object, fields, nfields)) < 0 ||
        (error = check_rate(object, "most", out->most)) < 0)
        return error;
    return check_rate(object, "switch", out->switch_most);
}

/* [length, rate] */
static int read_pair(uint64_t *length,
                     double *rate,
                     const struct json_node *pair)
{
    struct json_node item;
    int error;

    if (!json_is_array(pair) || json_count(pair) != 2)
        return json_error(pair, MAPCORE_EPARSE, "expected [length, rate]");
    if ((error = json_at(&item, pair, 0)) < 0 ||
        (error = json_as_u64(length, &item)) < 0 ||
        (error = json_at(&item, pair, 1)) < 0 ||
        (error = json_as_double(rate, &item)) < 0)
        return error;
    return *rate > 0
               ? 0
               : json_error(&item, MAPCORE_EPARSE, "expected a number above 0");
}

/* bandwidth and most; *port stays as it is where neither is said. */
static int read_rates(struct mapcore_port_rates *port,
                      struct arena *memory,
                      const struct description *said)
{
    const struct json_node *array = &said->bandwidth;
    const size_t n = json_count(array);
    struct json_node item;
    double most = 0, *rate;
    uint64_t *length;
    int error;

    if (!array->value) {
        if (said->most > 0)
            *port = (struct mapcore_port_rates){.most = said->most};
        return 0;
    }
    if (n == 0 || n > MAX_LENGTHS)
        return json_error(array, MAPCORE_EPARSE, "expected 1 to %d lengths",
                          MAX_LENGTHS);
    length = arena_alloc(memory, n, sizeof(*length));
    rate = arena_alloc(memory, n, sizeof(*rate));
    if ((error = memory->error) < 0)
        return error;
    for (size_t i = 0; i < n; i++) {
        if ((error = json_at(&item, array, i)) < 0 ||
            (error = read_pair(&length[i], &rate[i], &item)) < 0)
            return error;
        if (i > 0 && length[i] <= length[i - 1])
            return json_error(&item, MAPCORE_EPARSE, "the lengths must ascend");
        if (said->most > 0 && rate[i] > said->most)
            return json_error(&item, MAPCORE_EPARSE, "more than the most of %g",
                              said->most);
        most = fmax(most, rate[i]);
    }
    *port = (struct mapcore_port_rates){n, length, rate,
                                        said->most > 0 ? said->most : most};
    return 0;
}

/* in or out, where they are not alike. */
static int read_direction(struct mapcore_port_rates *port,
                          struct arena *memory,
                          const struct json_node *object)
{
    struct description said;
    int error;

    if (!object->value)
        return 0;
    error = read_members(&said, object, OF_DIRECTION);
    return error < 0 ? error : read_rates(port, memory, &said);
}

/* inside, which all descriptions of a level say, or none. */
static int find_object(const char **inside, const struct json_node *object)
{
    struct json_node node;

    for (int i = 0; i < NOBJECTS; i++)
        if (!*inside || strcasecmp(*inside, objects[i]) == 0) {
            *inside = *inside ? objects[i] : NULL;
            return 0;
        }
    (void)json_get(&node, object, "inside");
    return json_error(&node, MAPCORE_EPARSE,
                      "expected package, die, numa, L3, L2, L1d or core");
}

/* One description: that of names, or of the rest of the level. */
static int read_type(struct site_ports *ports,
                     uint32_t level,
                     const struct json_node *object,
                     bool is_first)
{
    struct site_port_types *types = &ports->types[level];
    struct mapcore_port_type type = {.switch_most = 0};
    struct arena *memory = &ports->memory;
    struct description said;
    int error;

    if ((error = read_members(&said, object, OF_TYPE)) < 0 ||
        (error = read_rates(&type.out, memory, &said)) < 0)
        return error;
    type.in = type.out;
    type.switch_most = said.switch_most;
    if ((error = read_direction(&type.in, memory, &said.in)) < 0 ||
        (error = read_direction(&type.out, memory, &said.out)) < 0 ||
        (error = find_object(&said.inside, object)) < 0)
        return error;
    if (is_first)
        ports->level[level].object = said.inside;
    if (said.inside != ports->level[level].object || (!said.names && !is_first))
        return json_error(object, MAPCORE_EPARSE,
                          "expected names, and the same inside as the "
                          "description before it");
    if (said.names)
        types->names[types->n] =
            arena_copy(memory, said.names, strlen(said.names) + 1, 1);
    types->type[said.names ? types->n++ : 0] = type;
    return memory->error;
}

/* One description, or an array of them. */
static int read_level(struct site_ports *ports,
                      uint32_t i,
                      const struct json_node *node)
{
    const size_t n = json_is_array(node) ? json_count(node) : 1;
    struct site_port_types *types = &ports->types[i];
    struct json_node item = *node;
    int error = 0;

    if (n == 0 || n > MAX_TYPES)
        return json_error(node, MAPCORE_EPARSE, "expected 1 to %d descriptions",
                          MAX_TYPES);
    types->type = arena_alloc(&ports->memory, n + 1, sizeof(*types->type));
    types->names = arena_alloc(&ports->memory, n + 1, sizeof(*types->names));
    types->n = 1;
    error = ports->memory.error;
    for (size_t k = 0; error == 0 && k < n; k++) {
        if (json_is_array(node))
            error = json_at(&item, node, k);
        if (error == 0)
            error = read_type(ports, i, &item, k == 0);
    }
    ports->level[i].type = types->type;
    ports->level[i].ntypes = (uint32_t)types->n;
    if (error == 0 && ports->level[i].object &&
        (i == 0 || (i > 1 && !ports->level[i - 1].object)))
        return json_error(node, MAPCORE_EPARSE,
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
    json_report_to(site->json, err);
    n = json_count(&array);
    if (n < 2 || n > MAX_LEVELS)
        return json_error(&array, MAPCORE_EPARSE, "expected 2 to %d levels",
                          MAX_LEVELS);
    ports->memory.err = err;
    ports->level = arena_alloc(&ports->memory, n, sizeof(*ports->level));
    ports->types = arena_alloc(&ports->memory, n, sizeof(*ports->types));
    error = ports->memory.error;
    ports->n = (uint32_t)n;
    for (uint32_t i = 0; error == 0 && i < n; i++) {
        error = json_at(&item, &array, i);
        if (error == 0)
            error = read_level(ports, i, &item);
        ninside += ports->level[i].object != NULL;
    }
    if (error == 0 && n - ninside < 2)
        error = json_error(&array, MAPCORE_EPARSE, "expected tasks and nodes");
    return error;
}

void site_ports_clear(struct site_ports *ports)
{
    arena_clear(&ports->memory);
    *ports = (struct site_ports){.n = 0};
}
