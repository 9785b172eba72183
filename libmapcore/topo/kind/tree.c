/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tree.c - trees of switches, of any arity per switch and any depth per host;
 * a fat tree is one, for distances */
#include "config.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/text.h"
#include "topo/create.h"
#include "topo/ops.h"
#include "topo/shape.h"
#include "topo/topo.h"
#include "topo/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Links: the cable of host h is number h, the one above switch s is number
 * nhosts + s - 1; the root has none. */
struct tree {
    struct mapcore_topo base;
    uint32_t nswitches;
    uint32_t *parent;    /* [nswitches], parent[s] < s */
    uint32_t *depth;     /* [nswitches], root 0 */
    uint32_t *leaf;      /* [nhosts], switch of each host */
    char **switch_names; /* [nswitches], elements may be NULL; or NULL */
    double *capacity;    /* [nlinks], or NULL: 1 */
};

static const struct tree *tree_of(const struct mapcore_topo *topo)
{
    return (const struct tree *)(const void *)topo;
}

/* Links between two switches. */
static uint32_t between(const struct tree *tree, uint32_t s, uint32_t t)
{
    uint32_t n = 0;

    for (; s != t; n++) {
        if (tree->depth[s] >= tree->depth[t])
            s = tree->parent[s];
        else
            t = tree->parent[t];
    }
    return n;
}

static uint32_t distance(const struct mapcore_topo *topo,
                         uint32_t a,
                         uint32_t b)
{
    const struct tree *tree = tree_of(topo);

    return a == b ? 0 : 2 + between(tree, tree->leaf[a], tree->leaf[b]);
}

static uint32_t route(const struct mapcore_topo *topo,
                      uint32_t a,
                      uint32_t b,
                      uint32_t *links)
{
    const struct tree *tree = tree_of(topo);
    uint32_t s = tree->leaf[a], t = tree->leaf[b];
    uint32_t n = distance(topo, a, b), up = 0, down = n;

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

/* Hosts on one switch have the same row but for themselves, so a row is made
 * once for every switch in use, over the switches in use. */
static int distance_block(uint16_t *out,
                          const struct mapcore_topo *topo,
                          const struct topo_rows *rows,
                          struct mapcore_error *err)
{
    const uint32_t n = rows->n, end = rows->end, *host = rows->host;
    uint32_t begin = rows->begin;
    const struct tree *tree = tree_of(topo);
    uint32_t *number = array_alloc(tree->nswitches, sizeof(*number), err);
    uint32_t *used = array_alloc(n, sizeof(*used), err);
    uint32_t *mine = array_alloc(n, sizeof(*mine), err);
    uint16_t *row = array_alloc(n, sizeof(*row), err);
    uint32_t nused = 0, current = MAPCORE_NONE;
    int error = MAPCORE_ENOMEM;

    if (!number || !used || !mine || !row)
        goto out;
    for (uint32_t a = 0; a < n; a++) {
        uint32_t s = tree->leaf[host[a]];

        if (number[s] == 0) { /* number + 1, so that 0 is "not seen" */
            used[nused++] = s;
            number[s] = nused;
        }
        mine[a] = number[s] - 1;
    }
    for (uint32_t a = begin; a < end; a++) {
        uint16_t *to = out + (size_t)(a - begin) * n;

        if (mine[a] != current) {
            current = mine[a];
            for (uint32_t k = 0; k < nused; k++)
                row[k] = (uint16_t)(2 + between(tree, used[current], used[k]));
        }
        for (uint32_t b = 0; b < n; b++)
            to[b] = row[mine[b]];
        to[a] = 0;
    }
    error = 0;
out:
    free(number);
    free(used);
    free(mine);
    free(row);
    return error;
}

static int vertex_name(const struct mapcore_topo *topo,
                       uint32_t vertex,
                       char *buffer,
                       size_t size)
{
    const struct tree *tree = tree_of(topo);
    uint32_t s = vertex - topo->nhosts;

    if (tree->switch_names && tree->switch_names[s])
        return snprintf(buffer, size, "%s", tree->switch_names[s]);
    if (s == 0)
        return snprintf(buffer, size, "root");
    return snprintf(buffer, size, "s%u", s);
}

/* The lower end first, whatever the direction. */
static bool link_ends(const struct mapcore_topo *topo,
                      uint32_t link,
                      uint32_t end[2])
{
    const struct tree *tree = tree_of(topo);

    end[0] = link;
    end[1] = topo->nhosts + tree->leaf[link < topo->nhosts ? link : 0];
    if (link >= topo->nhosts) {
        end[0] = link + 1;
        end[1] = topo->nhosts + tree->parent[link - topo->nhosts + 1];
    }
    return true;
}

static uint32_t host_vertex(const struct mapcore_topo *topo, uint32_t host)
{
    return topo->nhosts + tree_of(topo)->leaf[host];
}

/* Up until the switch is above b, then down. */
static uint32_t next_hops(const struct mapcore_topo *topo,
                          uint32_t vertex,
                          uint32_t b,
                          uint32_t *link,
                          uint32_t *to)
{
    const struct tree *tree = tree_of(topo);
    uint32_t s, below = MAPCORE_NONE, t = tree->leaf[b];

    if (vertex == b)
        return 0;
    if (vertex < topo->nhosts) {
        *link = vertex;
        *to = host_vertex(topo, vertex);
        return 1;
    }
    for (s = vertex - topo->nhosts; tree->depth[t] > tree->depth[s];
         t = tree->parent[t])
        below = t;
    if (s != t) {
        *link = topo->nhosts + s - 1;
        *to = topo->nhosts + tree->parent[s];
    } else if (below != MAPCORE_NONE) {
        *link = topo->nhosts + below - 1;
        *to = topo->nhosts + below;
    } else {
        *link = b;
        *to = b;
    }
    return 1;
}

static void destroy(struct mapcore_topo *topo)
{
    struct tree *tree = (struct tree *)(void *)topo;

    for (uint32_t s = 0; tree->switch_names && s < tree->nswitches; s++)
        free(tree->switch_names[s]);
    free(tree->switch_names);
    free(tree->parent);
    free(tree->depth);
    free(tree->leaf);
    free(tree->capacity);
}

static double link_capacity(const struct mapcore_topo *topo, uint32_t link)
{
    return tree_of(topo)->capacity[link];
}

static void shape(struct topo_shape *out, const struct mapcore_topo *topo)
{
    const struct tree *tree = tree_of(topo);

    out->kind = TOPO_TREE;
    out->nswitches = tree->nswitches;
    out->parent = tree->parent;
    out->depth = tree->depth;
    out->leaf = tree->leaf;
}

static const struct topo_ops tree_ops = {
    .destroy = destroy,
    .distance = distance,
    .distance_flat = distance,
    .route = route,
    .distance_block = distance_block,
    .link_ends = link_ends,
    .host_vertex = host_vertex,
    .vertex_name = vertex_name,
    .next_hops = next_hops,
    .link_capacity = link_capacity,
    .shape = shape,
    .link_directions = 2,
};

/* The longest way between two hosts: at some switch, the two deepest of what
 * hangs there meet. Children have larger numbers than their parents, so going
 * backwards finds every subtree finished. */
static int find_diameter(struct tree *tree, struct mapcore_error *err)
{
    struct reach {
        uint32_t first, second; /* links down to the deepest two, 0: none */
    } *reach = array_alloc(tree->nswitches, sizeof(*reach), err);

    if (!reach)
        return MAPCORE_ENOMEM;
    for (uint32_t h = 0; h < tree->base.nhosts; h++) {
        struct reach *r = &reach[tree->leaf[h]];

        if (r->first == 0)
            r->first = 1;
        else
            r->second = 1;
    }
    for (uint32_t s = tree->nswitches; s-- > 0;) {
        uint32_t deep = reach[s].first, both = deep + reach[s].second;

        if (reach[s].second > 0 && both > tree->base.diameter)
            tree->base.diameter = both;
        if (s == 0 || deep == 0)
            continue;
        struct reach *up = &reach[tree->parent[s]];
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

static int copy_switches(struct tree *tree,
                         const struct topo_tree *spec,
                         struct mapcore_error *err)
{
    uint32_t n = spec->nswitches;

    tree->parent = array_copy(spec->parent, n, sizeof(*tree->parent), err);
    tree->depth = array_alloc(n, sizeof(*tree->depth), err);
    if (!tree->parent || !tree->depth)
        return MAPCORE_ENOMEM;
    for (uint32_t s = 1; s < n; s++) {
        if (spec->parent[s] >= s)
            return error_set(err, MAPCORE_EINVAL,
                             "switch %u stands before its parent", s);
        tree->depth[s] = tree->depth[spec->parent[s]] + 1;
    }
    if (!spec->switch_names)
        return 0;
    tree->switch_names = array_alloc(n, sizeof(*tree->switch_names), err);
    if (!tree->switch_names)
        return MAPCORE_ENOMEM;
    for (uint32_t s = 0; s < n; s++) {
        const char *name = spec->switch_names[s];

        if (!name)
            continue;
        tree->switch_names[s] = array_copy(name, strlen(name) + 1, 1, err);
        if (!tree->switch_names[s])
            return MAPCORE_ENOMEM;
    }
    return 0;
}

static int copy_capacities(struct tree *tree,
                           const struct topo_tree *spec,
                           struct mapcore_error *err)
{
    uint32_t nhosts = spec->nhosts;

    if (!spec->host_capacity)
        return 0;
    tree->capacity =
        array_alloc(tree->base.nlinks, sizeof(*tree->capacity), err);
    if (!tree->capacity)
        return MAPCORE_ENOMEM;
    memcpy(tree->capacity, spec->host_capacity, nhosts * sizeof(double));
    if (spec->nswitches > 1)
        memcpy(tree->capacity + nhosts, spec->up_capacity + 1,
               (spec->nswitches - 1) * sizeof(double));
    for (uint32_t l = 0; l < tree->base.nlinks; l++)
        if (!topo_is_capacity(tree->capacity[l]))
            return error_set(err, MAPCORE_EINVAL,
                             "the capacity above %s %u is not " TOPO_CAPACITY,
                             l < nhosts ? "host" : "switch",
                             l < nhosts ? l : l - nhosts + 1);
    tree->base.has_capacities = true;
    return 0;
}

static int describe(struct tree *tree, struct mapcore_error *err)
{
    struct buffer text = {0};
    uint32_t nhosts = tree->base.nhosts;
    int error;

    if (tree->nswitches == 1)
        error = buffer_printf(&text, err, "flat network of %u host%s", nhosts,
                              text_plural(nhosts));
    else
        error = buffer_printf(&text, err, "tree of %u switches, %u host%s",
                              tree->nswitches, nhosts, text_plural(nhosts));
    if (error < 0)
        return error;
    tree->base.description = buffer_steal(&text);
    return 0;
}

int topo_create_tree_of(struct mapcore_topo **out,
                        const struct topo_tree *spec,
                        struct mapcore_error *err)
{
    int error;

    if (spec->nhosts == 0)
        return error_set(err, MAPCORE_EINVAL, "a tree without hosts");
    if (spec->nhosts > TOPO_MAX_HOSTS || spec->nswitches > TOPO_MAX_HOSTS)
        return error_set(err, MAPCORE_ERANGE,
                         "a tree with more than 2^24 hosts or switches");

    struct tree *tree = array_alloc(1, sizeof(*tree), err);
    if (!tree)
        return MAPCORE_ENOMEM;
    tree->base.ops = &tree_ops;
    tree->base.nhosts = spec->nhosts;
    tree->base.nswitches = tree->nswitches = spec->nswitches;
    tree->base.max_next_hops = 1;
    tree->base.nlinks = spec->nhosts + spec->nswitches - 1;
    if ((error = copy_switches(tree, spec, err)) < 0 ||
        (error = copy_capacities(tree, spec, err)) < 0)
        goto out;
    tree->leaf = array_copy(spec->leaf, spec->nhosts, sizeof(*tree->leaf), err);
    if (!tree->leaf) {
        error = MAPCORE_ENOMEM;
        goto out;
    }
    if (spec->host_names)
        error = name_set_add_all(&tree->base.names, spec->host_names,
                                 spec->nhosts, err);
    if (error < 0 || (error = find_diameter(tree, err)) < 0 ||
        (error = describe(tree, err)) < 0)
        goto out;
    *out = &tree->base;
    tree = NULL;
out:
    if (tree)
        mapcore_topo_destroy(&tree->base);
    return error;
}

int mapcore_topo_create_tree(struct mapcore_topo **out,
                             uint32_t nlevels,
                             const uint32_t *arity,
                             const char *const *names,
                             struct mapcore_error *err)
{
    return mapcore_topo_create_fat_tree(out, nlevels, arity, NULL, NULL, names,
                                        err);
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
    uint64_t nswitches = 0, width = 1;
    double *up_capacity = NULL, *host_capacity = NULL;
    int error = MAPCORE_ENOMEM;

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
    uint32_t *parent = array_alloc(nswitches, sizeof(*parent), err);
    uint32_t *leaf = array_alloc(nhosts, sizeof(*leaf), err);
    if (!parent || !leaf)
        goto out;
    if (cables || capacity) {
        up_capacity = array_alloc(nswitches, sizeof(*up_capacity), err);
        host_capacity = array_alloc(nhosts, sizeof(*host_capacity), err);
        if (!up_capacity || !host_capacity)
            goto out;
    }

    uint32_t above = 0, first = 1, count = 1;
    parent[0] = MAPCORE_NONE;
    for (uint32_t i = 0; i + 1 < nlevels; i++) {
        count *= arity[i];
        for (uint32_t k = 0; k < count; k++) {
            parent[first + k] = above + k / arity[i];
            if (up_capacity)
                up_capacity[first + k] = joint_capacity(cables, capacity, i);
        }
        above = first;
        first += count;
    }
    for (uint32_t h = 0; h < nhosts; h++) {
        leaf[h] = above + h / arity[nlevels - 1];
        if (host_capacity)
            host_capacity[h] = joint_capacity(cables, capacity, nlevels - 1);
    }
    error = topo_create_tree_of(
        out,
        &(struct topo_tree){.nswitches = (uint32_t)nswitches,
                            .parent = parent,
                            .nhosts = nhosts,
                            .leaf = leaf,
                            .host_names = names,
                            .host_capacity = host_capacity,
                            .up_capacity = up_capacity},
        err);
out:
    free(up_capacity);
    free(host_capacity);
    free(parent);
    free(leaf);
    return error;
}
