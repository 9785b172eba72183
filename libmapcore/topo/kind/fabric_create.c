/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fabric_create.c - making an arbitrary network (graph): parallel cables
 * joined, checked to be connected, and turned into a tree where it is one */
#include "config.h"

#include "base/bucket.h"
#include "base/text.h"
#include "topo/create.h"
#include "topo/kind/fabric.h"
#include "topo/topo.h"

#include <stdlib.h>
#include <string.h>

/* Rows of distances that are kept, in all. */
#define KEPT_BYTES ((size_t)256 << 20)
/* Above this much work the diameter is only bounded. */
#define EXACT_STEPS 3e7
#define EXACT_HOSTS 4096

static int compare_cables(const void *left, const void *right)
{
    const struct topo_cable *a = left, *b = right;

    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    if (a->b != b->b)
        return a->b < b->b ? -1 : 1;
    /* Sums of capacities must not depend on the order of equal ends. */
    return (a->capacity > b->capacity) - (a->capacity < b->capacity);
}

/* One under way. */
struct cabling {
    struct fabric *fabric;
    const struct topo_fabric *spec;
    struct topo_cable *cable; /* [n], begins as the spec's */
    size_t n;
    struct mapcore_error *err;
};

/* The cables between different vertices, lower one first, sorted, parallel
 * ones joined. */
static int join_cables(struct cabling *m)
{
    const struct topo_fabric *spec = m->spec;
    const uint64_t nvertices = (uint64_t)spec->nhosts + spec->nswitches;
    struct topo_cable *cable = m->cable;

    for (size_t i = 0; i < spec->ncables; i++) {
        const uint32_t a = cable[i].a, b = cable[i].b;

        cable[i].a = a < b ? a : b;
        cable[i].b = a < b ? b : a;
        if (a == b || cable[i].b >= nvertices || cable[i].b < spec->nhosts ||
            !topo_is_capacity(cable[i].capacity))
            return error_set(m->err, MAPCORE_EINVAL,
                             "cable %zu: it joins no switch with another "
                             "vertex, or its capacity is not " TOPO_CAPACITY,
                             i);
    }
    qsort(cable, spec->ncables, sizeof(*cable), compare_cables);
    for (size_t i = 0; i < spec->ncables; i++) {
        struct topo_cable *last = cable + m->n - (m->n > 0);

        if (m->n > 0 && last->a == cable[i].a && last->b == cable[i].b)
            last->capacity += cable[i].capacity;
        else
            cable[m->n++] = cable[i];
    }
    return 0;
}

/* How many are those of hosts, which come first. */
static uint32_t count_host_cables(const struct cabling *m)
{
    uint32_t k = 0;

    while (k < m->n && m->cable[k].a < m->spec->nhosts)
        k++;
    return k;
}

/* Neighbours of a switch come in ascending order, too: cable by cable from
 * lower ones, then to higher ones. */
static int set_links(struct cabling *m)
{
    struct fabric *fabric = m->fabric;
    const struct topo_cable *cable = m->cable;
    const size_t n = m->n;
    struct arena *memory = &fabric->base.memory;
    const uint32_t nhosts = fabric->base.nhosts;
    const uint32_t nlinks = fabric->base.nlinks = (uint32_t)(2 * n);
    uint32_t *end = arena_alloc(memory, nlinks, sizeof(*end));
    uint32_t *owner = arena_alloc(memory, nlinks, sizeof(*owner));
    const uint32_t from = 2 * count_host_cables(m);

    fabric->end = end;
    fabric->base.capacity = arena_alloc(memory, n, sizeof(double));
    fabric->first = arena_alloc(memory, (size_t)fabric->base.nswitches + 1,
                                sizeof(*fabric->first));
    fabric->link = arena_alloc(memory, nlinks, sizeof(*fabric->link));
    fabric->next = owner; /* once these are in the order of first */
    if (memory->error < 0)
        return MAPCORE_ENOMEM;
    for (uint32_t i = 0; i < n; i++) {
        end[2 * i] = cable[i].a;
        end[2 * i + 1] = cable[i].b;
        fabric->base.capacity[i] = cable[i].capacity;
    }
    for (uint32_t l = from; l < nlinks; l++)
        owner[l - from] = end[l] - nhosts;
    bucket_items(fabric->first, fabric->link, owner, nlinks - from,
                 fabric->base.nswitches);
    for (uint32_t i = 0; i < nlinks - from; i++) {
        fabric->link[i] += from;
        fabric->next[i] = end[fabric->link[i] ^ 1] - nhosts;
    }
    return 0;
}

/* Of each host in turn: its cables are sorted by hosts. */
static int set_ports(struct cabling *m)
{
    struct fabric *fabric = m->fabric;
    const struct topo_fabric *spec = m->spec;
    const struct topo_cable *cable = m->cable;
    struct mapcore_error *err = m->err;
    struct mapcore_topo *topo = &fabric->base;
    const uint32_t nhosts = topo->nhosts;
    const size_t most = (size_t)count_host_cables(m) + nhosts;
    uint32_t nports = 0, i = 0;

    fabric->port_first =
        arena_alloc(&topo->memory, (size_t)nhosts + 1, sizeof(uint32_t));
    fabric->port = arena_alloc(&topo->memory, most, sizeof(uint32_t));
    fabric->port_link = arena_alloc(&topo->memory, most, sizeof(uint32_t));
    topo->at = arena_alloc(&topo->memory, nhosts, sizeof(*topo->at));
    if (topo->memory.error < 0)
        return MAPCORE_ENOMEM;
    for (uint32_t h = 0; h < nhosts; h++) {
        const uint32_t first = nports;
        const bool is_attached = spec->at && spec->at[h] != MAPCORE_NONE;

        if (is_attached) {
            fabric->port[nports] = spec->at[h];
            fabric->port_link[nports++] = MAPCORE_NONE;
        }
        for (; i < m->n && cable[i].a == h; i++) {
            fabric->port[nports] = cable[i].b - nhosts;
            fabric->port_link[nports++] = 2 * i;
        }
        if (is_attached && nports - first > 1)
            return error_set(err, MAPCORE_EINVAL,
                             "host %.100s sits at a switch and has a cable as "
                             "well",
                             spec->host_names[h]);
        if (nports == first)
            return error_set(err, MAPCORE_EINVAL,
                             "the network is not connected: host %.100s has no "
                             "link",
                             spec->host_names[h]);
        if (nports - first > FABRIC_MAX_PORTS ||
            fabric->port[first] >= spec->nswitches)
            return error_set(err, MAPCORE_EINVAL,
                             "host %.100s sits at a switch, or has cables to 1 "
                             "to %d switches",
                             spec->host_names[h], (int)FABRIC_MAX_PORTS);
        topo->at[h] = fabric->port[first];
        fabric->port_first[h + 1] = nports;
    }
    return 0;
}

static int set_rows(struct fabric *fabric)
{
    struct arena *memory = &fabric->base.memory;
    struct fabric_rows *rows = arena_alloc(memory, 1, sizeof(*rows));
    uint32_t n = fabric->base.nswitches;

    fabric->rows = rows;
    if (!rows)
        return MAPCORE_ENOMEM;
    for (uint32_t h = 0; h < fabric->base.nhosts; h++) {
        uint32_t nports = fabric->port_first[h + 1] - fabric->port_first[h];

        rows->nscratch = nports > rows->nscratch ? nports : rows->nscratch;
    }
    rows->row = arena_alloc(memory, n, sizeof(*rows->row));
    rows->scratch = arena_alloc(memory, rows->nscratch, sizeof(*rows->scratch));
    for (uint32_t p = 0; memory->error == 0 && p < rows->nscratch; p++) {
        struct fabric_scratch *scratch = &rows->scratch[p];

        scratch->from = MAPCORE_NONE;
        scratch->queue = arena_alloc(memory, n, sizeof(*scratch->queue));
        scratch->row = arena_alloc(memory, n, sizeof(*scratch->row));
        if (scratch->row)
            memset(scratch->row, 0xff, n * sizeof(*scratch->row));
    }
    atomic_init(&rows->budget, KEPT_BYTES / sizeof(uint16_t) / n);
    atomic_flag_clear(&rows->busy);
    fabric->base.max_next_hops = rows->nscratch;
    for (uint32_t s = 0; s < n; s++) {
        uint32_t degree = fabric->first[s + 1] - fabric->first[s];

        if (degree > fabric->base.max_next_hops)
            fabric->base.max_next_hops = degree;
    }
    return memory->error;
}

/* The switch of a host that is nearest to where row was made. */
static uint32_t nearest(const struct fabric *fabric,
                        const uint16_t *row,
                        uint32_t host)
{
    const uint32_t *port = fabric->port;
    uint32_t best = fabric->port_first[host];

    for (uint32_t p = best; p < fabric->port_first[host + 1]; p++)
        best = row[port[p]] < row[port[best]] ? p : best;
    return port[best];
}

/* The host farthest from where row was made (ties: lowest number), by the
 * nearest of its switches, and how far that is. */
static uint32_t farthest(const struct fabric *fabric,
                         const uint16_t *row,
                         uint32_t *far)
{
    uint32_t best = 0;

    *far = 0;
    for (uint32_t h = 0; h < fabric->base.nhosts; h++) {
        uint32_t near = row[nearest(fabric, row, h)];

        if (near > *far) {
            *far = near;
            best = h;
        }
    }
    return best;
}

/* The longest distance between hosts, from all at once. */
static int exact_diameter(uint32_t *out,
                          const struct fabric *fabric,
                          struct arena *arena)
{
    enum { ROWS = 64 };
    uint32_t n = fabric->base.nhosts;
    uint32_t *host = arena_alloc(arena, n, sizeof(*host));
    uint16_t *row = arena_alloc(arena, n, ROWS * sizeof(*row));
    int error = arena->error;

    for (uint32_t h = 0; error == 0 && h < n; h++)
        host[h] = h;
    *out = 0;
    for (uint32_t begin = 0; error == 0 && begin < n; begin += ROWS) {
        uint32_t end = begin + ROWS < n ? begin + ROWS : n;

        error =
            fabric_block(row, fabric, &(struct topo_rows){n, host, begin, end},
                         true, arena->err);
        for (size_t i = 0; error == 0 && i < (size_t)(end - begin) * n; i++)
            *out = row[i] > *out ? row[i] : *out;
    }
    return error;
}

/* All hosts have a cable into one connected set of switches, as hosts forward
 * nothing: row is made from a switch of host 0 in it; *host is the farthest
 * from there. */
static int check_connected(uint16_t *row,
                           uint32_t *queue,
                           uint32_t *host,
                           const struct fabric *fabric,
                           struct mapcore_error *err)
{
    uint32_t far = FABRIC_FAR;

    for (uint32_t p = 0; p < fabric->port_first[1] && far == FABRIC_FAR; p++) {
        fabric_search(row, queue, fabric, fabric->port[p]);
        *host = farthest(fabric, row, &far);
    }
    if (far < FABRIC_FAR)
        return 0;
    return error_set(err, MAPCORE_EINVAL,
                     "the network is not connected: no way leads from host "
                     "%.100s to host %.100s (or it is longer than 65,534 "
                     "links)",
                     fabric->base.names.name[0],
                     fabric->base.names.name[*host]);
}

/* From an end of a long route to its other end, then from its middle: no way is
 * longer than twice the longest from there. Small networks are searched
 * whole. */
static int find_diameter(struct fabric *fabric, struct mapcore_error *err)
{
    uint32_t n = fabric->base.nswitches, low, high, u = 0, v, middle = 0;
    struct arena arena = {.err = err};
    uint32_t *queue = arena_alloc(&arena, n, sizeof(*queue));
    uint16_t *row = arena_alloc(&arena, n, sizeof(*row));
    uint16_t *back = arena_alloc(&arena, n, sizeof(*back));
    int error = arena.error;
    double steps;

    if (error < 0)
        goto out;
    if ((error = check_connected(row, queue, &u, fabric, err)) < 0)
        goto out;
    fabric_search(back, queue, fabric, nearest(fabric, row, u));
    v = farthest(fabric, back, &low);
    fabric_search(row, queue, fabric, nearest(fabric, back, v));
    while (back[middle] != low / 2 || back[middle] + row[middle] != (int)low)
        middle++;
    fabric_search(back, queue, fabric, middle);
    farthest(fabric, back, &high);
    high *= 2;
    if (fabric->base.nlinks > fabric->first[n]) /* hosts have cables */
        high += 2;
    if (high >= FABRIC_FAR) {
        error = error_set(err, MAPCORE_ERANGE,
                          "a network with routes of more than 65,534 links");
        goto out;
    }
    fabric->base.diameter = high;
    steps = (double)(low + 2) * (fabric->base.nhosts / 64 + 1) *
            (n + fabric->base.nlinks);
    if (steps <= EXACT_STEPS && fabric->base.nhosts <= EXACT_HOSTS)
        error = exact_diameter(&fabric->base.diameter, fabric, &arena);
out:
    arena_clear(&arena);
    return error;
}

static int create_fabric(struct mapcore_topo **out,
                         const struct topo_fabric *spec,
                         struct mapcore_error *err)
{
    struct fabric *fabric = topo_new(sizeof(*fabric), &fabric_ops, err);
    struct arena arena = {.err = err};
    struct cabling m = {.fabric = fabric, .spec = spec, .err = err};
    int error;

    if (!fabric)
        return MAPCORE_ENOMEM;
    fabric->base.nhosts = spec->nhosts;
    fabric->base.nswitches = spec->nswitches;
    topo_name_switches(&fabric->base, spec->switch_names);
    m.cable = arena_copy(&arena, spec->cable, spec->ncables, sizeof(*m.cable));
    if ((error = arena.error) == 0 && (error = join_cables(&m)) == 0 &&
        (error = set_links(&m)) == 0 && (error = set_ports(&m)) == 0 &&
        (error = topo_name_hosts(&fabric->base, spec->host_names, spec->nhosts,
                                 err)) == 0 &&
        (error = set_rows(fabric)) == 0 &&
        (error = find_diameter(fabric, err)) == 0)
        error = topo_set_description(
            &fabric->base, err, "network of %zu link%s, %u switch%s, %u host%s",
            m.n, text_plural(m.n), spec->nswitches,
            spec->nswitches == 1 ? "" : "es", spec->nhosts,
            text_plural(spec->nhosts));
    fabric->base.has_capacities = spec->has_capacities || m.n < spec->ncables;
    arena_clear(&arena);
    return topo_settle(out, &fabric->base, error);
}

int topo_create_fabric(struct mapcore_topo **out,
                       const struct topo_fabric *spec,
                       struct mapcore_error *err)
{
    struct mapcore_topo *topo = NULL, *tree = NULL;
    struct fabric *fabric;
    int error;

    if (spec->nhosts == 0 || spec->nswitches == 0)
        return error_set(err, MAPCORE_EINVAL, "a network without %s",
                         spec->nhosts == 0 ? "hosts" : "switches");
    if (spec->nhosts > TOPO_MAX_HOSTS || spec->nswitches > TOPO_MAX_HOSTS ||
        spec->ncables > (size_t)4 * TOPO_MAX_HOSTS)
        return error_set(err, MAPCORE_ERANGE,
                         "a network with more than 2^24 hosts or switches, or "
                         "2^26 cables");
    error = create_fabric(&topo, spec, err);
    if (error < 0)
        return error;
    fabric = (struct fabric *)(void *)topo;
    if (!spec->as_links)
        error = fabric_to_tree(&tree, fabric, err);
    if (error == 0 && tree) {
        mapcore_topo_destroy(topo);
        topo = tree;
    } else if (error == 0) {
        topo->memory.err = err;
        error = fabric_see_layers(fabric, err);
    }
    return topo_settle(out, topo, error);
}
