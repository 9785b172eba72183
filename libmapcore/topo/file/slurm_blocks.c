/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* slurm_blocks.c - Slurm's blocks and aggregated blocks, as a tree of them */
#include "config.h"

#include "base/array.h"
#include "topo/create.h"
#include "topo/file/slurm_shapes.h"

#include <stdlib.h>

/* A group of blocks that are nearer to each other than to others. */
struct blocks_group {
    uint32_t *block; /* [n] */
    uint32_t n;
    size_t order;
};

struct blocks {
    struct name_set names; /* blocks in order */
    struct blocks_group *group;
    size_t ngroups, capacity;
};

static void blocks_clear(struct blocks *blocks)
{
    for (size_t i = 0; i < blocks->ngroups; i++)
        free(blocks->group[i].block);
    free(blocks->group);
    name_set_clear(&blocks->names);
}

static int add_group(struct blocks *blocks,
                     uint32_t n,
                     struct blocks_group **out,
                     struct mapcore_error *err)
{
    int error = array_reserve(&blocks->group, &blocks->capacity,
                              blocks->ngroups + 1, sizeof(*blocks->group), err);

    if (error < 0)
        return error;
    *out = &blocks->group[blocks->ngroups];
    **out = (struct blocks_group){.n = n, .order = blocks->ngroups};
    (*out)->block = array_alloc(n, sizeof(*(*out)->block), err);
    if (!(*out)->block)
        return MAPCORE_ENOMEM;
    blocks->ngroups++;
    return 0;
}

/* topology.conf: sizes in nodes, of which the first is that of a block; every
 * further one joins as many blocks in a row. */
static int groups_by_sizes(struct blocks *blocks, const struct slurm_shapes *r)
{
    uint32_t nblocks = (uint32_t)blocks->names.n;
    int error = 0;

    for (size_t i = 1; i < r->nsizes; i++) {
        uint64_t size = r->sizes[i] / r->sizes[0];

        if (r->sizes[i] % r->sizes[0] != 0)
            return error_set(r->err, MAPCORE_EPARSE,
                             "%s: BlockSizes= are no multiples of the first",
                             text_name(r->text));
        for (uint64_t at = 0; error == 0 && size > 1 && at < nblocks;
             at += size) {
            uint32_t n =
                nblocks - at < size ? nblocks - (uint32_t)at : (uint32_t)size;
            struct blocks_group *group;

            error = add_group(blocks, n, &group, r->err);
            for (uint32_t k = 0; error == 0 && k < n; k++)
                group->block[k] = (uint32_t)at + k;
        }
    }
    return error;
}

/* scontrol: the name of an aggregated block lists its blocks. */
static int group_by_name(struct blocks *blocks,
                         const struct slurm_shapes *r,
                         const struct slurm_unit *unit)
{
    struct hosts names;
    struct blocks_group *group;
    int error = hosts_expand(&names, unit->name, r->err);

    if (error < 0)
        return error;
    error = add_group(blocks, (uint32_t)names.n, &group, r->err);
    for (uint32_t k = 0; error == 0 && k < names.n; k++) {
        group->block[k] = name_set_find(&blocks->names, names.name[k]);
        if (group->block[k] == MAPCORE_NONE)
            error = slurm_shapes_fail(r, unit,
                                      "it has a block that is not described");
    }
    hosts_clear(&names);
    return error;
}

/* Largest first. */
static int by_size(const void *left, const void *right)
{
    const struct blocks_group *a = left, *b = right;

    if (a->n != b->n)
        return a->n > b->n ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

/* Numbers the groups as switches below a root, those that say nothing new left
 * out, then the blocks. parent: [1 + ngroups + nblocks]. */
static int nest(uint32_t *nswitches,
                uint32_t *parent,
                const struct blocks *blocks,
                const struct slurm_shapes *r)
{
    uint32_t nblocks = (uint32_t)blocks->names.n, n = 1;
    uint32_t *inner = array_alloc(nblocks, sizeof(*inner), r->err);
    uint32_t *size = array_alloc(blocks->ngroups + 1, sizeof(*size), r->err);
    int error = 0;

    if (!inner || !size)
        error = MAPCORE_ENOMEM;
    parent[0] = MAPCORE_NONE;
    if (error == 0)
        size[0] = nblocks;
    for (size_t i = 0; error == 0 && i < blocks->ngroups; i++) {
        const struct blocks_group *group = &blocks->group[i];
        uint32_t above = inner[group->block[0]];

        for (uint32_t k = 0; k < group->n; k++)
            if (inner[group->block[k]] != above)
                error = error_set(r->err, MAPCORE_EPARSE,
                                  "%s: aggregated blocks overlap",
                                  text_name(r->text));
        if (error < 0 || group->n == size[above] || group->n == 1)
            continue;
        for (uint32_t k = 0; k < group->n; k++)
            inner[group->block[k]] = n;
        size[n] = group->n;
        parent[n++] = above;
    }
    for (uint32_t b = 0; error == 0 && b < nblocks; b++)
        parent[n + b] = inner[b];
    *nswitches = n + nblocks;
    free(inner);
    free(size);
    return error;
}

static int create_tree(struct mapcore_topo **out,
                       const struct blocks *blocks,
                       const struct slurm_shapes *r)
{
    uint32_t nblocks = (uint32_t)blocks->names.n, nswitches;
    uint32_t nhosts = (uint32_t)r->hosts.n, block = 0, host = 0;
    size_t most = 1 + blocks->ngroups + nblocks;
    uint32_t *parent = array_alloc(most, sizeof(*parent), r->err);
    uint32_t *leaf = array_alloc(nhosts, sizeof(*leaf), r->err);
    const char **name = array_alloc(most, sizeof(*name), r->err);
    int error = MAPCORE_ENOMEM;

    if (!parent || !leaf || !name)
        goto out;
    error = nest(&nswitches, parent, blocks, r);
    if (error < 0)
        goto out;
    for (size_t i = 0; i < r->nunits; i++) {
        if (r->unit[i].kind != BLOCK)
            continue;
        name[nswitches - nblocks + block] = r->unit[i].name;
        for (size_t k = 0; k < r->unit[i].nodes.n; k++)
            leaf[host++] = nswitches - nblocks + block;
        block++;
    }
    error = topo_create_tree_of(
        out,
        &(struct topo_tree){.nswitches = nswitches,
                            .parent = parent,
                            .switch_names = name,
                            .nhosts = nhosts,
                            .leaf = leaf,
                            .host_names = (const char *const *)r->hosts.name},
        r->err);
out:
    free(parent);
    free(leaf);
    free(name);
    return error;
}

int slurm_shapes_create_blocks(struct mapcore_topo **out,
                               const struct slurm_shapes *r)
{
    struct blocks blocks = {0};
    int error = 0;

    for (size_t i = 0; error == 0 && i < r->nunits; i++) {
        size_t before = blocks.names.n;
        uint32_t number;

        if (r->unit[i].kind != BLOCK)
            continue;
        error = name_set_add(&number, &blocks.names, r->unit[i].name, r->err);
        if (error == 0 && blocks.names.n == before)
            error = slurm_shapes_fail(r, &r->unit[i], "a block is there twice");
    }
    if (error == 0)
        error = groups_by_sizes(&blocks, r);
    for (size_t i = 0; error == 0 && i < r->nunits; i++)
        if (r->unit[i].kind == AGGREGATED)
            error = group_by_name(&blocks, r, &r->unit[i]);
    if (error == 0 && blocks.ngroups > 0)
        qsort(blocks.group, blocks.ngroups, sizeof(*blocks.group), by_size);
    if (error == 0)
        error = create_tree(out, &blocks, r);
    blocks_clear(&blocks);
    return error;
}
