/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tree.c - trees of switches, of any arity per switch and any depth per host;
 * a fat tree is one, for distances, and a network of links may be one */
#include "config.h"

#include "base/text.h"
#include "topo/create.h"
#include "topo/kind/fabric.h"
#include "topo/topo.h"
#include "topo/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All that a tree has is in its base and shape. Links: the cable of host h is
 * number h, the one above switch s is number nhosts + s - 1; the root has none.
 */

static uint32_t between(const struct mapcore_topo *topo, uint32_t s, uint32_t t)
{
    const struct topo_shape *tree = &topo->shape;
    uint32_t n = 0;

    for (; s != t; n++) {
        if (tree->depth[s] >= tree->depth[t])
            s = tree->parent[s];
        else
            t = tree->parent[t];
    }
    return n;
}

static uint32_t route(const struct mapcore_topo *topo,
                      uint32_t a,
                      uint32_t b,
                      uint32_t *links)
{
    const struct topo_shape *tree = &topo->shape;
    uint32_t s = tree->leaf[a], t = tree->leaf[b];
    uint32_t n = mapcore_topo_distance(topo, a, b), up = 0, down = n;

    if (n == 0)
        return 0;
    links[up++] = a;
    links[--down] = b;
    while (s != t) {
        if (tree->depth[s] >= tree->depth[t]) {
            links[up++] = topo->nhosts + s - 1;
            s = tree->parent[s];
        } else {
            links[--down] = topo->nhosts + t - 1;
            t = tree->parent[t];
        }
    }
    return n;
}

static int switch_name(const struct mapcore_topo *topo,
                       uint32_t s,
                       char *buffer,
                       size_t size)
{
    (void)topo;
    return s == 0 ? snprintf(buffer, size, "root")
                  : snprintf(buffer, size, "s%u", s);
}

/* The lower end first, in either direction. */
static bool link_ends(const struct mapcore_topo *topo,
                      uint32_t link,
                      uint32_t end[2])
{
    const bool is_host = link < topo->nhosts;

    end[0] = link + !is_host;
    end[1] =
        topo->nhosts + (is_host ? topo->shape.leaf[link]
                                : topo->shape.parent[link - topo->nhosts + 1]);
    return true;
}

/* Up until the switch is above b, then down. */
static uint32_t next_hops(const struct mapcore_topo *topo,
                          uint32_t vertex,
                          uint32_t b,
                          uint32_t *link,
                          uint32_t *to)
{
    const struct topo_shape *tree = &topo->shape;
    uint32_t s, below = MAPCORE_NONE, t = tree->leaf[b];

    if (vertex < topo->nhosts && topo_is_one_node(topo->interfaces, vertex, b))
        return 0;
    if (vertex < topo->nhosts) {
        *link = vertex;
        *to = topo->nhosts + tree->leaf[vertex];
        return 1;
    }
    for (s = vertex - topo->nhosts; tree->depth[t] > tree->depth[s];
         t = tree->parent[t])
        below = t;
    if (s != t || below != MAPCORE_NONE) {
        *link = topo->nhosts + (s != t ? s : below) - 1;
        *to = topo->nhosts + (s != t ? tree->parent[s] : below);
    } else {
        *link = *to = b;
    }
    return 1;
}

static const struct topo_ops tree_ops = {
    .between = between,
    .route = route,
    .link_ends = link_ends,
    .switch_name = switch_name,
    .next_hops = next_hops,
    .link_directions = 2,
};

/* The longest way between two hosts: at some switch, the two deepest of what
 * hangs there meet. Children have larger numbers than their parents, so going
 * backwards finds every subtree finished. */
static int find_diameter(struct mapcore_topo *topo, struct mapcore_error *err)
{
    struct reach {
        uint32_t first, second; /* links down to the deepest two, 0: none */
    } *reach = array_alloc(topo->nswitches, sizeof(*reach), err);

    if (!reach)
        return MAPCORE_ENOMEM;
    for (uint32_t h = 0; h < topo->nhosts; h++) {
        struct reach *r = &reach[topo->at[h]];

        if (r->first == 0)
            r->first = 1;
        else
            r->second = 1;
    }
    for (uint32_t s = topo->nswitches; s-- > 0;) {
        uint32_t deep = reach[s].first, both = deep + reach[s].second;

        if (reach[s].second > 0 && both > topo->diameter)
            topo->diameter = both;
        if (s == 0 || deep == 0)
            continue;
        struct reach *up = &reach[topo->shape.parent[s]];
        deep++;
        if (deep > up->first) {
            up->second = up->first;
            up->first = deep;
        } else if (deep > up->second) {
            up->second = deep;
        }
    }
    free(reach);
    return 0;
}

static int set_switches(struct mapcore_topo *topo,
                        const struct topo_tree *spec,
                        struct mapcore_error *err)
{
    struct arena *memory = &topo->memory;
    const uint32_t n = topo->nswitches = spec->nswitches;
    uint32_t *depth = arena_alloc(memory, n, sizeof(*depth));

    topo->shape = (struct topo_shape){
        .kind = TOPO_TREE,
        .nswitches = n,
        .parent = arena_copy(memory, spec->parent, n, sizeof(*spec->parent)),
        .depth = depth};
    for (uint32_t s = 1; memory->error == 0 && s < n; s++) {
        if (spec->parent[s] >= s)
            return error_set(err, MAPCORE_EINVAL,
                             "switch %u stands before its parent", s);
        depth[s] = depth[spec->parent[s]] + 1;
    }
    if (spec->switch_names)
        topo_name_switches(topo, spec->switch_names);
    topo->shape.leaf = topo->at =
        arena_copy(memory, spec->leaf, spec->nhosts, sizeof(*topo->at));
    return memory->error;
}

static int set_capacities(struct mapcore_topo *topo,
                          const struct topo_tree *spec,
                          struct mapcore_error *err)
{
    const uint32_t nhosts = topo->nhosts;

    if (!spec->host_capacity)
        return 0;
    topo->has_capacities = true;
    topo->capacity =
        arena_alloc(&topo->memory, topo->nlinks, sizeof(*topo->capacity));
    for (uint32_t l = 0; topo->capacity && l < topo->nlinks; l++) {
        const uint32_t number = l < nhosts ? l : l - nhosts + 1;
        const double *of = l < nhosts ? spec->host_capacity : spec->up_capacity;

        topo->capacity[l] = of[number];
        if (!topo_is_capacity(topo->capacity[l]))
            return error_set(err, MAPCORE_EINVAL,
                             "the capacity above %s %u is not " TOPO_CAPACITY,
                             l < nhosts ? "host" : "switch", number);
    }
    topo->most_cables = 1;
    for (uint32_t l = nhosts; topo->capacity && l < topo->nlinks; l++) {
        const uint32_t cables = topo_cables(topo, l);

        if (cables > topo->most_cables)
            topo->most_cables = cables;
    }
    return topo->memory.error;
}

int topo_create_tree_of(struct mapcore_topo **out,
                        const struct topo_tree *spec,
                        struct mapcore_error *err)
{
    const uint32_t nhosts = spec->nhosts;
    struct mapcore_topo *topo;
    int error;

    if (nhosts == 0)
        return error_set(err, MAPCORE_EINVAL, "a tree without hosts");
    if (nhosts > TOPO_MAX_HOSTS || spec->nswitches > TOPO_MAX_HOSTS)
        return error_set(err, MAPCORE_ERANGE,
                         "a tree with more than 2^24 hosts or switches");
    topo = topo_new(sizeof(*topo), &tree_ops, err);
    if (!topo)
        return MAPCORE_ENOMEM;
    topo->nhosts = nhosts;
    topo->max_next_hops = 1;
    topo->nlinks = nhosts + spec->nswitches - 1;
    if ((error = set_switches(topo, spec, err)) == 0 &&
        (error = set_capacities(topo, spec, err)) == 0 &&
        (error = find_diameter(topo, err)) == 0 && spec->host_names)
        error = topo_name_hosts(topo, spec->host_names, nhosts, err);
    if (error == 0 && spec->nswitches == 1)
        error = topo_set_description(topo, err, "flat network of %u host%s",
                                     nhosts, text_plural(nhosts));
    else if (error == 0)
        error =
            topo_set_description(topo, err, "tree of %u switches, %u host%s",
                                 spec->nswitches, nhosts, text_plural(nhosts));
    return topo_settle(out, topo, error);
}

/* What hangs at level i, all parallel cables together. */
static double joint_capacity(const uint32_t *cables,
                             const double *capacity,
                             uint32_t i)
{
    return (cables ? cables[i] : 1) * (capacity ? capacity[i] : 1);
}

int mapcore_topo_create_fat_tree(struct mapcore_topo **out,
                                 uint32_t nlevels,
                                 const uint32_t *arity,
                                 const uint32_t *cables,
                                 const double *capacity,
                                 const char *const *names,
                                 struct mapcore_error *err)
{
    struct arena arena = {.err = err};
    uint64_t nswitches = 0, width = 1;
    int error;

    if (nlevels == 0)
        return error_set(err, MAPCORE_EINVAL, "a tree without levels");
    for (uint32_t i = 0; i < nlevels; i++) {
        if (arity[i] == 0)
            return error_set(err, MAPCORE_EINVAL, "level %u of the tree is 0",
                             i + 1);
        nswitches += width;
        width *= arity[i];
        if (nswitches > TOPO_MAX_HOSTS || width > TOPO_MAX_HOSTS)
            return error_set(err, MAPCORE_ERANGE,
                             "a tree with more than 2^24 hosts or switches");
        if (cables && cables[i] == 0)
            return error_set(err, MAPCORE_EINVAL,
                             "0 uplinks at level %u of the tree", i + 1);
        if (!topo_is_capacity(joint_capacity(cables, capacity, i)))
            return error_set(
                err, MAPCORE_EINVAL,
                "the capacity at level %u of the tree is not " TOPO_CAPACITY,
                i + 1);
    }

    /* Level by level; the children of a level's k-th switch are the next
     * level's k * arity and following. */
    uint32_t nhosts = (uint32_t)width;
    uint32_t *parent = arena_alloc(&arena, nswitches, sizeof(*parent));
    uint32_t *leaf = arena_alloc(&arena, nhosts, sizeof(*leaf));
    double *up = arena_alloc(&arena, nswitches, sizeof(*up));
    double *down = arena_alloc(&arena, nhosts, sizeof(*down));
    const bool known = cables || capacity;
    if (arena.error < 0) {
        arena_clear(&arena);
        return MAPCORE_ENOMEM;
    }

    uint32_t above = 0, first = 1, count = 1;
    parent[0] = MAPCORE_NONE;
    for (uint32_t i = 0; i < nlevels; i++) {
        const bool is_last = i + 1 == nlevels;
        uint32_t *to = is_last ? leaf : parent + first;
        double *joint = is_last ? down : up + first;

        count *= arity[i];
        for (uint32_t k = 0; k < count; k++) {
            to[k] = above + k / arity[i];
            joint[k] = joint_capacity(cables, capacity, i);
        }
        above = first;
        first += count;
    }
    error = topo_create_tree_of(
        out,
        &(struct topo_tree){.nswitches = (uint32_t)nswitches,
                            .parent = parent,
                            .nhosts = nhosts,
                            .leaf = leaf,
                            .host_names = names,
                            .host_capacity = known ? down : NULL,
                            .up_capacity = known ? up : NULL},
        err);
    arena_clear(&arena);
    return error;
}

/* Whether the hosts are the leaves of a tree: each with one cable, and one link
 * less between the switches than there are switches. Whether it is connected
 * shows when it is walked. */
static bool may_be_tree(const struct fabric *fabric)
{
    uint32_t n = fabric->base.nswitches;

    if (fabric->first[n] != 2 * (n - 1) ||
        fabric->port_first[fabric->base.nhosts] != fabric->base.nhosts)
        return false;
    for (uint32_t h = 0; h < fabric->base.nhosts; h++)
        if (fabric->port_link[h] == MAPCORE_NONE)
            return false;
    return true;
}

/* A tree hangs at the middle of its longest way between switches, or, where
 * that has two middles, at the one with the lower number: which switch it is
 * changes no distance, but makes levels of it. */
static uint32_t find_root(const struct fabric *fabric,
                          uint16_t *row,
                          uint32_t *queue)
{
    uint32_t n = fabric->base.nswitches, end[2] = {0, 0}, root = MAPCORE_NONE,
             far;

    for (int i = 0; i < 2; i++) {
        fabric_search(row, queue, fabric, end[0]);
        end[1] = end[0];
        for (uint32_t s = 0; s < n; s++)
            if (row[s] != FABRIC_FAR && row[s] > row[end[0]])
                end[0] = s;
    }
    /* row is from end[1], the other end is end[0]. */
    far = row[end[0]];
    for (uint32_t s = end[0];;) {
        if (row[s] == far / 2 || row[s] == (far + 1) / 2)
            root = s < root ? s : root;
        if (row[s] <= far / 2)
            return root;
        for (uint32_t i = fabric->first[s]; i < fabric->first[s + 1]; i++) {
            if (row[fabric->next[i]] < row[s]) {
                s = fabric->next[i];
                break;
            }
        }
    }
}

int fabric_to_tree(struct mapcore_topo **out,
                   const struct fabric *fabric,
                   struct mapcore_error *err)
{
    if (!may_be_tree(fabric))
        return 0;

    uint32_t n = fabric->base.nswitches, nhosts = fabric->base.nhosts;
    struct arena arena = {.err = err};
    uint32_t *number = arena_alloc(&arena, n, sizeof(*number));
    uint32_t *order = arena_alloc(&arena, n, sizeof(*order));
    uint32_t *parent = arena_alloc(&arena, n, sizeof(*parent));
    uint32_t *leaf = arena_alloc(&arena, nhosts, sizeof(*leaf));
    double *up = arena_alloc(&arena, n, sizeof(*up));
    double *down = arena_alloc(&arena, nhosts, sizeof(*down));
    const char **name = arena_alloc(&arena, n, sizeof(*name));
    uint16_t *far = arena_alloc(&arena, n, sizeof(*far));
    uint32_t tail = 0;
    int error = arena.error;

    if (error < 0)
        goto out;
    order[0] = find_root(fabric, far, order);
    memset(number, 0xff, n * sizeof(*number));
    number[order[tail++]] = 0;
    parent[0] = MAPCORE_NONE;
    for (uint32_t head = 0; head < tail; head++) {
        uint32_t s = order[head];

        name[head] = fabric->base.switch_names[s];
        for (uint32_t i = fabric->first[s]; i < fabric->first[s + 1]; i++) {
            uint32_t t = fabric->next[i];

            if (number[t] != MAPCORE_NONE)
                continue;
            number[t] = tail;
            parent[tail] = head;
            up[tail] = fabric->base.capacity[fabric->link[i] / 2];
            order[tail++] = t;
        }
    }
    if (tail < n) /* some switches have no way to the hosts */
        goto out;
    for (uint32_t h = 0; h < nhosts; h++) {
        leaf[h] = number[fabric->port[h]];
        down[h] = fabric->base.capacity[fabric->port_link[h] / 2];
    }
    bool known = fabric->base.has_capacities;
    error = topo_create_tree_of(
        out,
        &(struct topo_tree){.nswitches = n,
                            .parent = parent,
                            .switch_names = name,
                            .nhosts = nhosts,
                            .leaf = leaf,
                            .host_names =
                                (const char *const *)fabric->base.names.name,
                            .host_capacity = known ? down : NULL,
                            .up_capacity = known ? up : NULL},
        err);
out:
    arena_clear(&arena);
    return error;
}
