/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fabric_tree.c - an arbitrary network that is a tree becomes one: distances
 * without a search, and mappers see its levels */
#include "config.h"

#include "topo/create.h"
#include "topo/kind/fabric.h"

#include <string.h>

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
