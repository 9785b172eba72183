/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rails.c - nodes with several network interfaces: a tree in which each of
 * these is a host, and the r-th of a leaf switch's nodes are at its r-th part
 */
#include "config.h"

#include "topo/create.h"
#include "topo/ops.h"
#include "topo/topo.h"
#include "topo/walk.h"

#include <stdio.h>

/* Those with hosts, which have no switches below. */
static int mark_leaves(bool *is_leaf,
                       const struct mapcore_topo *topo,
                       struct mapcore_error *err)
{
    const struct topo_shape *shape = &topo->shape;
    bool is_mixed;

    for (uint32_t h = 0; h < topo->nhosts; h++)
        is_leaf[shape->leaf[h]] = true;
    is_mixed = is_leaf[0];
    for (uint32_t s = 1; s < topo->nswitches; s++)
        is_mixed = is_mixed || is_leaf[shape->parent[s]];
    return is_mixed ? error_set(err, MAPCORE_EINVAL,
                                "rails need switches above the leaf switches, "
                                "without nodes: tree:1,16:rails=8")
                    : 0;
}

int topo_set_rails(struct mapcore_topo *topo,
                   uint32_t rails,
                   struct mapcore_error *err)
{
    struct arena arena = {.err = err};
    bool *is_leaf;
    int error;

    if (rails == 0 || rails > TOPO_MOST_RAILS)
        return error_set(err, MAPCORE_EINVAL,
                         "%u rails are not a number from 1 to %d", rails,
                         TOPO_MOST_RAILS);
    if (rails == 1)
        return 0;
    if (topo->shape.kind != TOPO_TREE)
        return error_set(err, MAPCORE_EINVAL, "rails are of trees, not of a %s",
                         topo->description);
    if (topo->nhosts > TOPO_MAX_HOSTS / rails)
        return error_set(err, MAPCORE_ERANGE,
                         "more than 2^24 network interfaces");
    is_leaf = arena_alloc(&arena, topo->nswitches, sizeof(*is_leaf));
    error = is_leaf ? mark_leaves(is_leaf, topo, err) : MAPCORE_ENOMEM;
    if (error == 0 &&
        (error = topo_set_description(topo, err, "%s, %u rails",
                                      topo->description, rails)) == 0)
        topo->rails = rails;
    arena_clear(&arena);
    return error;
}

uint32_t mapcore_topo_rails(const struct mapcore_topo *topo)
{
    return topo->rails > 1 ? topo->rails : 1;
}

/* Parts of a leaf switch are in a row. */
static int list_switches(struct topo_tree *out,
                         const struct mapcore_topo *topo,
                         const bool *is_leaf,
                         uint32_t parts,
                         struct arena *arena)
{
    const struct topo_shape *shape = &topo->shape;
    const size_t most = (size_t)topo->nswitches * parts;
    const size_t nhosts = (size_t)topo->nhosts * parts;
    uint32_t *number = arena_alloc(arena, topo->nswitches, sizeof(*number));
    uint32_t *parent = arena_alloc(arena, most, sizeof(*parent));
    uint32_t *leaf = arena_alloc(arena, nhosts, sizeof(*leaf));
    double *up = arena_alloc(arena, most, sizeof(*up));
    double *down = arena_alloc(arena, nhosts, sizeof(*down));
    uint32_t n = 0;

    for (uint32_t s = 0; arena->error == 0 && s < topo->nswitches; s++) {
        const uint32_t copies = is_leaf[s] ? parts : 1;
        const uint32_t link = topo->nhosts + s - 1; /* of the root's: none */

        number[s] = n;
        for (uint32_t r = 0; r < copies; r++, n++) {
            parent[n] = s > 0 ? number[shape->parent[s]] : MAPCORE_NONE;
            up[n] = s > 0 ? mapcore_topo_link_capacity(topo, link) / copies : 1;
        }
    }
    for (uint32_t i = 0; arena->error == 0 && i < nhosts; i++) {
        leaf[i] = number[shape->leaf[i / parts]] + i % parts;
        down[i] = mapcore_topo_link_capacity(topo, i / parts) / parts;
    }
    *out = (struct topo_tree){.nswitches = n,
                              .parent = parent,
                              .nhosts = (uint32_t)nhosts,
                              .leaf = leaf,
                              .host_capacity = down,
                              .up_capacity = up};
    return arena->error;
}

/* Which switch each is, or is a part of. */
static uint32_t *list_origins(struct mapcore_topo *topo,
                              const struct mapcore_topo *of,
                              const bool *is_leaf)
{
    uint32_t *origin =
        arena_alloc(&topo->memory, topo->nswitches, sizeof(*origin));

    for (uint32_t s = 0, n = 0; origin && s < of->nswitches; s++)
        for (uint32_t r = 0; r < (is_leaf[s] ? topo->interfaces : 1); r++)
            origin[n++] = s;
    return origin;
}

static int vertex_name(const struct mapcore_topo *topo,
                       uint32_t vertex,
                       char *buffer,
                       size_t size)
{
    const struct mapcore_topo *of = topo->of;
    const uint32_t parts = topo->interfaces, each = of->rails / parts;
    const uint32_t *s = topo->origin + (vertex - topo->nhosts);
    const bool is_host = vertex < topo->nhosts;
    const uint32_t at = is_host ? vertex / parts : of->nhosts + *s;
    uint32_t r = is_host ? vertex % parts : 0;
    char name[300];

    topo_vertex_name(of, at, name, sizeof(name));
    while (!is_host && s > topo->origin && s[-1] == *s) {
        s--;
        r++;
    }
    if (!is_host && r == 0 &&
        (s + 1 == topo->origin + topo->nswitches || s[1] != *s))
        return snprintf(buffer, size, "%s", name);
    return each == 1 ? snprintf(buffer, size, "%s rail %u", name, r)
                     : snprintf(buffer, size, "%s rails %u-%u", name, r * each,
                                (r + 1) * each - 1);
}

int topo_create_by_rail(struct mapcore_topo **out,
                        const struct mapcore_topo *of,
                        uint32_t parts,
                        struct mapcore_error *err)
{
    struct arena arena = {.err = err};
    bool *is_leaf = arena_alloc(&arena, of->nswitches, sizeof(*is_leaf));
    struct mapcore_topo *topo = NULL;
    struct topo_tree tree;
    int error = is_leaf ? mark_leaves(is_leaf, of, err) : MAPCORE_ENOMEM;

    if (error == 0 &&
        (error = list_switches(&tree, of, is_leaf, parts, &arena)) == 0 &&
        (error = topo_create_tree_of(&topo, &tree, err)) == 0) {
        topo->interfaces = parts;
        topo->of = of;
        topo->vertex_name = vertex_name;
        topo->origin = list_origins(topo, of, is_leaf);
        topo->has_capacities = of->has_capacities;
        topo->assumes_capacities = !of->has_capacities;
        error = topo_set_description(topo, err, "%s", of->description);
        error = topo_settle(out, topo, error);
    }
    arena_clear(&arena);
    return error;
}

uint32_t topo_interfaces(const struct mapcore_topo *topo)
{
    return topo->interfaces > 0 ? topo->interfaces : 1;
}
