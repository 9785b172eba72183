/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* element_tree.c - from what a network tells of its shape to parents, heights
 * and slots */
#include "config.h"

#include "alloc/element_tree.h"

#include "topo/shape.h"

static void join_hosts(struct element_tree *tree,
                       const struct mapcore_alloc *alloc,
                       const struct topo_shape *shape)
{
    for (uint32_t h = 0; h < tree->nhosts; h++) {
        uint32_t number = mapcore_alloc_host(alloc, h);

        tree->slots[h] = mapcore_alloc_slots(alloc, h);
        tree->height[h] = tree->slots[h] > 0;
        tree->parent[h] =
            tree->nhosts + (shape->parent ? shape->leaf[number] : 0);
        tree->link[h] = shape->kind == TOPO_TREE ? number : MAPCORE_NONE;
    }
}

static void add_below(struct element_tree *tree, uint32_t child)
{
    uint32_t up = tree->parent[child];

    if (tree->slots[child] == 0)
        return;
    tree->slots[up] += tree->slots[child];
    if (tree->height[up] <= tree->height[child])
        tree->height[up] = tree->height[child] + 1;
}

int element_tree_make(struct element_tree *tree,
                      const struct mapcore_alloc *alloc,
                      struct arena *arena)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(alloc);
    uint32_t nswitches = 1, nhosts = mapcore_alloc_nhosts(alloc);
    struct topo_shape shape;

    topo_shape(&shape, topo);
    if (shape.parent)
        nswitches = shape.nswitches;
    if (nswitches > UINT32_MAX / 4 || nhosts > UINT32_MAX / 4)
        return error_set(arena->err, MAPCORE_ERANGE,
                         "too many switches and nodes");
    tree->nhosts = nhosts;
    tree->n = nhosts + nswitches;
    tree->parent = arena_alloc(arena, tree->n, sizeof(*tree->parent));
    tree->height = arena_alloc(arena, tree->n, sizeof(*tree->height));
    tree->slots = arena_alloc(arena, tree->n, sizeof(*tree->slots));
    tree->link = arena_alloc(arena, tree->n, sizeof(*tree->link));
    if (arena->error < 0)
        return arena->error;
    join_hosts(tree, alloc, &shape);
    for (uint32_t s = 0; s < nswitches; s++) {
        uint32_t e = nhosts + s;

        tree->parent[e] = s > 0 ? nhosts + shape.parent[s] : MAPCORE_NONE;
        tree->link[e] = s > 0 && shape.kind == TOPO_TREE
                            ? mapcore_topo_nhosts(topo) + s - 1
                            : MAPCORE_NONE;
    }
    for (uint32_t h = 0; h < nhosts; h++)
        add_below(tree, h);
    /* Parents have lower numbers than their children. */
    for (uint32_t s = nswitches; s-- > 1;)
        add_below(tree, nhosts + s);
    return 0;
}
