/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* site_ports.c - reads the key ports, and refuses tables out of order */
#include "config.h"

#include "tools/site/site_ports.h"

#include "base/array.h"
#include "json/json.h"

#include <math.h>
#include <stdlib.h>

/* More than any machine has, and than NetPIPE measures. */
enum { MAX_LEVELS = 64, MAX_LENGTHS = 1024 };

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

static int read_bandwidth(struct mapcore_port_level *level,
                          uint64_t *length,
                          double *rate,
                          const struct json_node *object,
                          struct mapcore_error *err)
{
    struct json_node array, item;
    double most = 0;
    size_t n;
    int error;

    if (!json_has(object, "bandwidth"))
        return 0;
    if ((error = json_get_array(&array, object, "bandwidth", err)) < 0)
        return error;
    n = json_count(&array);
    if (n == 0 || n > MAX_LENGTHS)
        return json_error(&array, err, MAPCORE_EPARSE,
                          "expected 1 to %d lengths", MAX_LENGTHS);
    for (size_t i = 0; i < n; i++) {
        if ((error = json_at(&item, &array, i, err)) < 0 ||
            (error = read_pair(&length[i], &rate[i], &item, err)) < 0)
            return error;
        if (i > 0 && length[i] <= length[i - 1])
            return json_error(&item, err, MAPCORE_EPARSE,
                              "the lengths must ascend");
        if (level->most > 0 && rate[i] > level->most)
            return json_error(&item, err, MAPCORE_EPARSE,
                              "more than the most of %g", level->most);
        most = fmax(most, rate[i]);
    }
    level->n = n;
    level->length = length;
    level->rate = rate;
    if (!(level->most > 0))
        level->most = most;
    return 0;
}

static int read_level(struct site_ports *ports,
                      uint32_t i,
                      const struct json_node *object,
                      struct mapcore_error *err)
{
    static const char *const keys[] = {"bandwidth", "most", "switch"};
    struct mapcore_port_level *level = &ports->level[i];
    size_t at = (size_t)i * MAX_LENGTHS;
    int error = json_expect(object, json_is_object(object), "an object", err);

    if (error < 0 || (error = json_only(object, keys, 3, err)) < 0 ||
        (error = read_rate(&level->most, object, "most", err)) < 0 ||
        (error = read_rate(&level->switch_most, object, "switch", err)) < 0)
        return error;
    return read_bandwidth(level, ports->length + at, ports->rate + at, object,
                          err);
}

int site_ports_read(struct site_ports *ports,
                    const struct site_file *site,
                    struct mapcore_error *err)
{
    struct json_node array, item;
    size_t n;
    int error = 0;

    if (!site_ports_node(&array, site))
        return 0;
    n = json_count(&array);
    if (n < 2 || n > MAX_LEVELS)
        return json_error(&array, err, MAPCORE_EPARSE,
                          "expected 2 to %d levels", MAX_LEVELS);
    ports->level = array_alloc(n, sizeof(*ports->level), err);
    ports->length = array_alloc(n * MAX_LENGTHS, sizeof(*ports->length), err);
    ports->rate = array_alloc(n * MAX_LENGTHS, sizeof(*ports->rate), err);
    if (!ports->level || !ports->length || !ports->rate)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; error == 0 && i < n; i++) {
        error = json_at(&item, &array, i, err);
        if (error == 0)
            error = read_level(ports, (uint32_t)i, &item, err);
    }
    ports->n = (uint32_t)n;
    return error;
}

void site_ports_clear(struct site_ports *ports)
{
    free(ports->level);
    free(ports->length);
    free(ports->rate);
    *ports = (struct site_ports){0};
}
