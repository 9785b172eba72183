/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fabric_layers.c - an arbitrary network seen as a tree of layers: hosts at the
 * same switches, those within a radius of one another, and so on up */
#include "config.h"

#include "topo/kind/fabric.h"

#include "base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More switches with hosts are not looked at: their distances are a table. */
#define MOST_SWITCHES 4096
/* Pairs of hosts that the tree may be wrong about, as a share: a host of
 * services at a spine switch is nearer to all others than they are to each
 * other. */
#define MOST_WRONG 0.05

/* Hosts with cables to the same switches. */
struct place {
    uint32_t host; /* one of them */
    uint32_t nhosts;
};

/* A part of the places under way, one a switch of the tree. */
struct layer_part {
    uint32_t begin, end; /* of order[] */
};

struct seeing {
    struct fabric *fabric;
    struct arena arena; /* of what follows */
    uint32_t *place_of; /* [nhosts] */
    uint32_t nplaces;
    struct place *place;
    uint16_t *far;   /* [nplaces * nplaces], between their switches */
    uint32_t *order; /* [nplaces], most hosts first in each part */
    uint32_t *spare; /* [nplaces] */
    struct layer_part *part;
    uint32_t *leaf; /* [nplaces], the part of it alone */
    /* The tree, as struct topo_shape has it, in the fabric's memory. */
    uint32_t nparts;
    uint32_t *parent, *depth; /* [nparts] */
};

static int compare_ports(const struct fabric *fabric, uint32_t a, uint32_t b)
{
    uint32_t na = fabric->port_first[a + 1] - fabric->port_first[a];
    uint32_t nb = fabric->port_first[b + 1] - fabric->port_first[b];

    if (na != nb)
        return na < nb ? -1 : 1;
    for (uint32_t i = 0; i < na; i++) {
        uint32_t x = fabric->port[fabric->port_first[a] + i];
        uint32_t y = fabric->port[fabric->port_first[b] + i];

        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

static int same_ports_together(const void *left,
                               const void *right,
                               void *fabric)
{
    const uint32_t *a = left, *b = right;
    int order = compare_ports(fabric, *a, *b);

    return order != 0 ? order : (*a > *b) - (*a < *b);
}

static int find_places(struct seeing *see)
{
    uint32_t n = see->fabric->base.nhosts;
    uint32_t *host = arena_alloc(&see->arena, n, sizeof(*host));

    see->place_of = arena_alloc(&see->arena, n, sizeof(*see->place_of));
    see->place = arena_alloc(&see->arena, n, sizeof(*see->place));
    if (see->arena.error < 0)
        return MAPCORE_ENOMEM;
    for (uint32_t h = 0; h < n; h++)
        host[h] = h;
    qsort_r(host, n, sizeof(*host), same_ports_together, see->fabric);
    for (uint32_t i = 0; i < n; i++) {
        if (i == 0 || compare_ports(see->fabric, host[i - 1], host[i]) != 0)
            see->place[see->nplaces++].host = host[i];
        see->place[see->nplaces - 1].nhosts++;
        see->place_of[host[i]] = see->nplaces - 1;
    }
    return 0;
}

static uint32_t distance(const struct seeing *see, uint32_t a, uint32_t b)
{
    return see->far[(size_t)a * see->nplaces + b];
}

/* Takes what lies within the radius of the first of order[begin .. end-1] to
 * the front, in its order; returns its end. */
static uint32_t take_ball(struct seeing *see,
                          uint32_t begin,
                          uint32_t end,
                          uint32_t radius)
{
    uint32_t first = see->order[begin], n = 0, to = begin;

    for (uint32_t i = begin; i < end; i++) {
        uint32_t p = see->order[i];

        if (p == first || distance(see, first, p) < radius)
            see->order[to++] = p;
        else
            see->spare[n++] = p;
    }
    memcpy(see->order + to, see->spare, n * sizeof(*see->spare));
    return to;
}

/* Pairs of hosts in different ones of the parts from child on that are not
 * radius apart. */
static double count_wrong(const struct seeing *see,
                          uint32_t child,
                          uint32_t nparts,
                          uint32_t radius)
{
    double wrong = 0;

    for (uint32_t c = child; c < nparts; c++)
        for (uint32_t i = see->part[c].begin; i < see->part[c].end; i++) {
            const struct place *a = &see->place[see->order[i]];

            for (uint32_t k = see->part[c].end; k < see->part[nparts - 1].end;
                 k++)
                if (distance(see, see->order[i], see->order[k]) != radius)
                    wrong +=
                        (double)a->nhosts * see->place[see->order[k]].nhosts;
        }
    return wrong;
}

/* The biggest places first, else as their hosts are numbered. */
static void sort_places(struct seeing *see)
{
    uint64_t *key = arena_alloc(&see->arena, see->nplaces, sizeof(*key));

    if (!key)
        return;
    for (uint32_t i = 0; i < see->nplaces; i++)
        key[i] = (uint64_t)(UINT32_MAX - see->place[i].nhosts) << 32 |
                 see->place[i].host;
    array_sort_u64(key, see->nplaces);
    for (uint32_t i = 0; i < see->nplaces; i++)
        see->order[i] = see->place_of[key[i] & UINT32_MAX];
}

/* Top down: a part is divided into balls of less than its radius round their
 * biggest place. False where that is not how far the places lie apart. */
static bool divide(struct seeing *see)
{
    double hosts = see->fabric->base.nhosts, wrong = 0;

    see->part[0] = (struct layer_part){0, see->nplaces};
    see->parent[0] = MAPCORE_NONE;
    see->nparts = 1;
    for (uint32_t s = 0; s < see->nparts; s++) {
        struct layer_part part = see->part[s];
        uint32_t radius = 0, child = see->nparts;

        if (part.end - part.begin == 1) {
            see->leaf[see->order[part.begin]] = s;
            continue;
        }
        for (uint32_t i = part.begin; i < part.end; i++) {
            uint32_t d = distance(see, see->order[part.begin], see->order[i]);

            radius = d > radius ? d : radius;
        }
        for (uint32_t begin = part.begin; begin < part.end;) {
            uint32_t end = take_ball(see, begin, part.end, radius);

            see->part[see->nparts] = (struct layer_part){begin, end};
            see->parent[see->nparts] = s;
            see->depth[see->nparts++] = see->depth[s] + 1;
            begin = end;
        }
        wrong += count_wrong(see, child, see->nparts, radius);
        if (wrong > MOST_WRONG * hosts * (hosts - 1) / 2)
            return false;
    }
    return true;
}

/* The lowest switch of the tree above both; MAPCORE_NONE is above nothing. */
static uint32_t join(const uint32_t *parent, uint32_t a, uint32_t b)
{
    if (a == MAPCORE_NONE || b == MAPCORE_NONE)
        return a == MAPCORE_NONE ? b : a;
    while (a != b) {
        if (a > b)
            a = parent[a];
        else
            b = parent[b];
    }
    return a;
}

/* A cable leads out of every part that has one of its ends only. */
static void add_cable(double *up,
                      const uint32_t *parent,
                      uint32_t a,
                      uint32_t b,
                      double capacity)
{
    uint32_t top = join(parent, a, b);

    for (; a != top; a = parent[a])
        up[a] += capacity;
    for (; b != top; b = parent[b])
        up[b] += capacity;
}

/* Where each switch of the network is in the tree: above the hosts at it, or
 * above all that it has cables to and that is nearer to hosts. */
static void place_switches(uint32_t *in,
                           uint32_t *queue,
                           uint16_t *level,
                           const struct seeing *see)
{
    const struct fabric *fabric = see->fabric;
    const uint32_t *parent = see->parent;
    uint32_t tail = 0;

    memset(in, 0xff, fabric->base.nswitches * sizeof(*in));
    memset(level, 0xff, fabric->base.nswitches * sizeof(*level));
    for (uint32_t h = 0; h < fabric->base.nhosts; h++)
        for (uint32_t p = fabric->port_first[h]; p < fabric->port_first[h + 1];
             p++) {
            uint32_t s = fabric->port[p];

            in[s] = join(parent, in[s], see->leaf[see->place_of[h]]);
            if (level[s] == FABRIC_FAR)
                queue[tail++] = s;
            level[s] = 0;
        }
    for (uint32_t head = 0; head < tail; head++) {
        uint32_t s = queue[head];

        for (uint32_t i = fabric->first[s]; i < fabric->first[s + 1]; i++) {
            uint32_t t = fabric->next[i];

            if (level[t] == FABRIC_FAR) {
                level[t] = (uint16_t)(level[s] + 1);
                queue[tail++] = t;
            }
            if (level[t] == level[s] + 1)
                in[t] = join(parent, in[t], in[s]);
        }
    }
}

/* What leads out of each part, up, and out of each host, down. */
static int add_capacities(double *up, double *down, struct seeing *see)
{
    const struct fabric *fabric = see->fabric;
    uint32_t n = fabric->base.nswitches;
    uint32_t *in = arena_alloc(&see->arena, n, sizeof(*in));
    uint32_t *queue = arena_alloc(&see->arena, n, sizeof(*queue));
    uint16_t *level = arena_alloc(&see->arena, n, sizeof(*level));

    if (see->arena.error < 0)
        return MAPCORE_ENOMEM;
    place_switches(in, queue, level, see);
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t i = fabric->first[s]; i < fabric->first[s + 1]; i++)
            if (fabric->next[i] > s && in[s] != MAPCORE_NONE)
                add_cable(up, see->parent, in[s], in[fabric->next[i]],
                          fabric->base.capacity[fabric->link[i] / 2]);
    for (uint32_t h = 0; h < fabric->base.nhosts; h++)
        for (uint32_t p = fabric->port_first[h]; p < fabric->port_first[h + 1];
             p++)
            down[h] += fabric->port_link[p] == MAPCORE_NONE
                           ? INFINITY
                           : fabric->base.capacity[fabric->port_link[p] / 2];
    for (uint32_t s = 0; s < see->nparts; s++)
        if (s == 0 || !(up[s] > 0))
            up[s] = INFINITY;
    return 0;
}

/* False when more switches have hosts than are looked at. */
static bool are_few(struct seeing *see)
{
    const struct fabric *fabric = see->fabric;
    bool *has = arena_alloc(&see->arena, fabric->base.nswitches, sizeof(*has));
    uint32_t n = 0;

    for (uint32_t p = 0; has && p < fabric->port_first[fabric->base.nhosts];
         p++) {
        n += !has[fabric->port[p]];
        has[fabric->port[p]] = true;
    }
    return n <= MOST_SWITCHES;
}

/* Arrays for the tree, and the distances that it is made of. */
static int measure(struct seeing *see)
{
    struct arena *arena = &see->arena, *memory = &see->fabric->base.memory;
    const uint32_t n = see->nplaces;
    uint32_t *host = arena_alloc(arena, n, sizeof(*host));

    see->far = arena_alloc(arena, n, n * sizeof(*see->far));
    see->order = arena_alloc(arena, n, sizeof(*see->order));
    see->spare = arena_alloc(arena, n, sizeof(*see->spare));
    see->part = arena_alloc(arena, n, 2 * sizeof(*see->part));
    see->leaf = arena_alloc(arena, n, sizeof(*see->leaf));
    see->parent = arena_alloc(memory, n, 2 * sizeof(*see->parent));
    see->depth = arena_alloc(memory, n, 2 * sizeof(*see->depth));
    sort_places(see);
    if (arena->error < 0 || memory->error < 0)
        return MAPCORE_ENOMEM;
    for (uint32_t i = 0; i < n; i++)
        host[i] = see->place[i].host;
    return fabric_block(see->far, see->fabric,
                        &(struct topo_rows){n, host, 0, n}, false, arena->err);
}

static int set_shape(struct fabric *fabric, struct seeing *see)
{
    struct arena *memory = &fabric->base.memory;
    const uint32_t n = see->nparts, nhosts = fabric->base.nhosts;
    uint32_t *leaf = arena_alloc(memory, nhosts, sizeof(*leaf));
    double *up = arena_alloc(memory, n, sizeof(*up));
    double *down = arena_alloc(memory, nhosts, sizeof(*down));

    if (memory->error < 0 || add_capacities(up, down, see) < 0)
        return MAPCORE_ENOMEM;
    for (uint32_t h = 0; h < nhosts; h++)
        leaf[h] = see->leaf[see->place_of[h]];
    fabric->base.shape = (struct topo_shape){.kind = TOPO_LAYERS,
                                             .nswitches = n,
                                             .parent = see->parent,
                                             .depth = see->depth,
                                             .leaf = leaf,
                                             .up = up,
                                             .down = down};
    return 0;
}

int fabric_see_layers(struct fabric *fabric, struct mapcore_error *err)
{
    struct seeing see = {.fabric = fabric, .arena = {.err = err}};
    int error = find_places(&see);

    if (error == 0 && see.nplaces > 1 && see.nplaces <= MOST_SWITCHES &&
        are_few(&see) && (error = measure(&see)) == 0 && divide(&see))
        error = set_shape(fabric, &see);
    if (error == 0)
        error = see.arena.error;
    arena_clear(&see.arena);
    return error;
}
