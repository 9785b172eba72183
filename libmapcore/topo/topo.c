/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* topo.c - what all networks have in common, and the way to what they have
 * not: topo.h, create.h, shape.h and walk.h */
#include "config.h"

#include "topo/topo.h"

#include "base/text.h"
#include "topo/create.h"
#include "topo/ops.h"
#include "topo/walk.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool topo_is_capacity(double capacity)
{
    return capacity >= 1e-30 && capacity <= 1e30;
}

int topo_name_hosts(struct mapcore_topo *topo,
                    const char *const *name,
                    size_t n,
                    struct mapcore_error *err)
{
    if (n != topo->nhosts)
        return error_set(
            err, MAPCORE_EINVAL, "%zu name%s for a network of %u host%s", n,
            text_plural(n), topo->nhosts, text_plural(topo->nhosts));
    return name_set_add_all(&topo->names, name, n, err);
}

int topo_set_description(struct mapcore_topo *topo,
                         struct mapcore_error *err,
                         const char *format,
                         ...)
{
    va_list arguments;
    char *text;
    int n;

    va_start(arguments, format);
    n = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (!(text = array_alloc((size_t)n + 1, 1, err)))
        return MAPCORE_ENOMEM;
    va_start(arguments, format);
    vsnprintf(text, (size_t)n + 1, format, arguments);
    va_end(arguments);
    free(topo->description);
    topo->description = text;
    return 0;
}

void *topo_new(size_t size,
               const struct topo_ops *ops,
               struct mapcore_error *err)
{
    struct mapcore_topo *topo = array_alloc(1, size, err);

    if (topo) {
        topo->ops = ops;
        topo->memory.err = err;
        topo->shape.kind = TOPO_OTHER;
    }
    return topo;
}

void topo_name_switches(struct mapcore_topo *topo, const char *const *name)
{
    topo->switch_names = arena_alloc(&topo->memory, topo->nswitches,
                                     sizeof(*topo->switch_names));
    for (uint32_t s = 0; topo->memory.error == 0 && s < topo->nswitches; s++)
        if (name[s])
            topo->switch_names[s] =
                arena_copy(&topo->memory, name[s], strlen(name[s]) + 1, 1);
}

int topo_settle(struct mapcore_topo **out, struct mapcore_topo *topo, int error)
{
    if (error == 0)
        error = topo->memory.error;
    if (error == 0)
        *out = topo;
    else
        mapcore_topo_destroy(topo);
    return error;
}

void mapcore_topo_destroy(struct mapcore_topo *topo)
{
    int saved = errno;

    if (!topo)
        return;
    if (topo->ops->destroy)
        topo->ops->destroy(topo);
    arena_clear(&topo->memory);
    name_set_clear(&topo->names);
    free(topo->description);
    free(topo);
    errno = saved;
}

const char *mapcore_topo_describe(const struct mapcore_topo *topo)
{
    return topo->description;
}

bool mapcore_topo_is_torus(const struct mapcore_topo *topo)
{
    return topo->shape.kind == TOPO_TORUS;
}

uint32_t mapcore_topo_nhosts(const struct mapcore_topo *topo)
{
    return topo->nhosts;
}

const char *mapcore_topo_host_name(const struct mapcore_topo *topo,
                                   uint32_t host)
{
    return topo->names.n > 0 ? topo->names.name[host] : NULL;
}

/* A name with a domain, where the network has it without one. */
static uint32_t find_short(const struct mapcore_topo *topo, const char *name)
{
    size_t n = name_set_first_part(name);
    char text[256];

    if (n == 0 || n >= sizeof(text))
        return MAPCORE_NONE;
    memcpy(text, name, n);
    text[n] = '\0';
    return name_set_find(&topo->names, text);
}

int mapcore_topo_find_host(uint32_t *out,
                           const struct mapcore_topo *topo,
                           const char *name,
                           struct mapcore_error *err)
{
    uint32_t host = name_set_find(&topo->names, name);

    if (host == MAPCORE_NONE && topo->ops->find_place)
        host = topo->ops->find_place(topo, name);
    if (host == MAPCORE_NONE && topo->names.n == 0) {
        uint64_t number;

        if (text_parse_u64(name, &number) && number < topo->nhosts)
            host = (uint32_t)number;
    }
    if (host == MAPCORE_NONE)
        host = find_short(topo, name);
    if (host == MAPCORE_NONE) {
        uint32_t other;

        host = name_set_find_first(&topo->names, name, &other);
        if (host != MAPCORE_NONE && other != MAPCORE_NONE)
            return error_set(err, MAPCORE_EINVAL,
                             "host '%.100s' may be %.100s or %.100s of the "
                             "topology (%.100s)",
                             name,
                             topo->names.name[host < other ? host : other],
                             topo->names.name[host < other ? other : host],
                             topo->description);
    }
    if (host == MAPCORE_NONE)
        return error_set(err, MAPCORE_ENOENT,
                         "host '%.100s' is not in the topology (%.200s)", name,
                         topo->description);
    *out = host;
    return 0;
}

static uint32_t measure(const struct mapcore_topo *topo,
                        uint32_t a,
                        uint32_t b,
                        bool wraps)
{
    if (!topo->ops->between)
        return topo->ops->distance(topo, a, b, wraps);
    return topo_is_one_node(topo->interfaces, a, b)
               ? 0
               : 2 + topo->ops->between(topo, topo->at[a], topo->at[b]);
}

uint32_t mapcore_topo_distance(const struct mapcore_topo *topo,
                               uint32_t a,
                               uint32_t b)
{
    return measure(topo, a, b, true);
}

uint32_t mapcore_topo_distance_flat(const struct mapcore_topo *topo,
                                    uint32_t a,
                                    uint32_t b)
{
    return measure(topo, a, b, false);
}

uint32_t mapcore_topo_nlinks(const struct mapcore_topo *topo)
{
    return topo->nlinks;
}

uint32_t mapcore_topo_link_directions(const struct mapcore_topo *topo)
{
    return topo->ops->link_directions;
}

double mapcore_topo_link_capacity(const struct mapcore_topo *topo,
                                  uint32_t link)
{
    if (!topo->has_capacities && !topo->assumes_capacities)
        return 1;
    return topo->ops->link_capacity
               ? topo->ops->link_capacity(topo, link)
               : topo->capacity[topo->ops->link_directions == 2 ? link
                                                                : link / 2];
}

uint32_t topo_cables(const struct mapcore_topo *topo, uint32_t link)
{
    double times;

    if (topo->most_cables == 0)
        return 1;
    times = topo->capacity[link] / topo->capacity[0];
    return times >= 2 && times <= TOPO_MOST_CABLES && floor(times) >= times
               ? (uint32_t)times
               : 1;
}

uint32_t topo_most_cables(const struct mapcore_topo *topo)
{
    return topo->most_cables > 0 ? topo->most_cables : 1;
}

bool mapcore_topo_has_capacities(const struct mapcore_topo *topo)
{
    return topo->has_capacities;
}

uint32_t mapcore_topo_diameter(const struct mapcore_topo *topo)
{
    return topo->diameter;
}

uint32_t mapcore_topo_route(const struct mapcore_topo *topo,
                            uint32_t a,
                            uint32_t b,
                            uint32_t *links)
{
    return topo->ops->route ? topo->ops->route(topo, a, b, links)
                            : topo->ops->split_route(topo, a, b, links, NULL);
}

int mapcore_topo_link_name(const struct mapcore_topo *topo,
                           uint32_t link,
                           char *buffer,
                           size_t size)
{
    uint32_t end[2] = {0, 0};
    char name[2][300]; /* a host's name has at most 255 bytes */

    if (topo->ops->link_name)
        return topo->ops->link_name(topo, link, buffer, size);
    topo->ops->link_ends(topo, link, end);
    for (int i = 0; i < 2; i++)
        topo_vertex_name(topo, end[i], name[i], sizeof(name[i]));
    return snprintf(buffer, size, "%s - %s", name[0], name[1]);
}

int mapcore_topo_host_place(const struct mapcore_topo *topo,
                            uint32_t host,
                            char *buffer,
                            size_t size)
{
    return topo_vertex_name(topo, topo_host_vertex(topo, host), buffer, size);
}

void topo_shape(struct topo_shape *out, const struct mapcore_topo *topo)
{
    *out = topo->shape;
}

uint32_t topo_nswitches(const struct mapcore_topo *topo)
{
    return topo->nswitches;
}

int topo_vertex_name(const struct mapcore_topo *topo,
                     uint32_t vertex,
                     char *buffer,
                     size_t size)
{
    const uint32_t s = vertex - topo->nhosts;
    const char *name = NULL;

    if (topo->vertex_name)
        return topo->vertex_name(topo, vertex, buffer, size);
    if (vertex >= topo->nhosts && topo->switch_names)
        name = topo->switch_names[s];
    else if (vertex < topo->nhosts && topo->names.n > 0)
        name = topo->names.name[vertex];
    if (name)
        return snprintf(buffer, size, "%s", name);
    if (vertex < topo->nhosts)
        return snprintf(buffer, size, "host %u", vertex);
    return topo->ops->switch_name(topo, s, buffer, size);
}

uint32_t topo_host_vertex(const struct mapcore_topo *topo, uint32_t host)
{
    return topo->nhosts + topo->at[host];
}

bool topo_is_attached(const struct mapcore_topo *topo, uint32_t host)
{
    return topo->ops->is_attached ? topo->ops->is_attached(topo, host)
                                  : topo->ops->all_attached;
}

bool topo_link_ends(const struct mapcore_topo *topo,
                    uint32_t link,
                    uint32_t end[2])
{
    return topo->ops->link_ends(topo, link, end);
}

uint32_t topo_next_hops(const struct mapcore_topo *topo,
                        uint32_t vertex,
                        uint32_t b,
                        uint32_t *link,
                        uint32_t *to)
{
    return topo->ops->next_hops(topo, vertex, b, link, to);
}

uint32_t topo_max_next_hops(const struct mapcore_topo *topo)
{
    return topo->max_next_hops;
}

uint32_t topo_split_route(const struct mapcore_topo *topo,
                          uint32_t a,
                          uint32_t b,
                          uint32_t *links,
                          uint32_t *whole)
{
    if (topo->ops->split_route)
        return topo->ops->split_route(topo, a, b, links, whole);
    return *whole = topo->ops->route(topo, a, b, links);
}

/* Hosts on one switch have the same row but for themselves, so a row is made
 * once for every switch in use, over the switches in use. */
static int block_by_switches(uint16_t *out,
                             const struct mapcore_topo *topo,
                             const struct topo_rows *rows,
                             struct mapcore_error *err)
{
    struct arena arena = {.err = err};
    const uint32_t n = rows->n, *host = rows->host;
    uint32_t *number = arena_alloc(&arena, topo->nswitches, sizeof(*number));
    uint32_t *used = arena_alloc(&arena, n, sizeof(*used));
    uint32_t *mine = arena_alloc(&arena, n, sizeof(*mine));
    uint16_t *row = arena_alloc(&arena, n, sizeof(*row));
    uint32_t nused = 0, current = MAPCORE_NONE;

    for (uint32_t a = 0; arena.error == 0 && a < n; a++) {
        uint32_t s = topo->at[host[a]];

        if (number[s] == 0) { /* number + 1, so that 0 is "not seen" */
            used[nused++] = s;
            number[s] = nused;
        }
        mine[a] = number[s] - 1;
    }
    for (uint32_t a = rows->begin; arena.error == 0 && a < rows->end; a++) {
        uint16_t *to = out + (size_t)(a - rows->begin) * n;

        if (mine[a] != current) {
            current = mine[a];
            for (uint32_t k = 0; k < nused; k++)
                row[k] = (uint16_t)(2 + topo->ops->between(topo, used[current],
                                                           used[k]));
        }
        for (uint32_t b = 0; b < n; b++)
            to[b] = row[mine[b]];
        to[a] = 0;
        for (uint32_t b = 0; topo->interfaces > 1 && b < n; b++)
            if (topo_is_one_node(topo->interfaces, host[a], host[b]))
                to[b] = 0;
    }
    arena_clear(&arena);
    return arena.error;
}

int topo_distance_block(uint16_t *out,
                        const struct mapcore_topo *topo,
                        const struct topo_rows *rows,
                        struct mapcore_error *err)
{
    return topo->ops->between ? block_by_switches(out, topo, rows, err)
                              : topo->ops->distance_block(out, topo, rows, err);
}
