/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* node_parts.c - ranks sorted by node, and what some of them do */
#include "config.h"

#include "profiles/node_parts.h"

#include "base/array.h"

#include <stdlib.h>

void node_parts_clear(struct node_parts *parts)
{
    free(parts->nodes.first);
    free(parts->nodes.rank);
    free(parts->nodes.leader);
    free(parts->nodes.of);
    parts->nodes = (struct ranks_by_node){0};
}

/* Numbers nodes by their leaders. */
static int sort_ranks(struct ranks_by_node *out,
                      const uint32_t *node,
                      uint32_t nnodes,
                      uint32_t n,
                      struct mapcore_error *err)
{
    uint32_t *number = array_alloc(nnodes, sizeof(*number), err);

    out->first = array_alloc((size_t)n + 2, sizeof(*out->first), err);
    out->rank = array_alloc(n, sizeof(*out->rank), err);
    out->leader = array_alloc(n, sizeof(*out->leader), err);
    out->of = array_alloc(n, sizeof(*out->of), err);
    if (!number || !out->first || !out->rank || !out->leader || !out->of) {
        free(number);
        return MAPCORE_ENOMEM;
    }
    for (uint32_t r = 0; r < n; r++) {
        if (number[node[r]] == 0) {
            out->leader[out->n] = r;
            number[node[r]] = ++out->n;
        }
        out->of[r] = number[node[r]] - 1;
        out->first[out->of[r] + 2]++;
    }
    for (uint32_t i = 2; i <= out->n; i++)
        out->first[i] += out->first[i - 1];
    for (uint32_t r = 0; r < n; r++)
        out->rank[out->first[out->of[r] + 1]++] = r;
    free(number);
    return 0;
}

int node_parts_open(struct node_parts *out,
                    const struct algorithm_call *call,
                    const uint32_t *node,
                    uint32_t nnodes,
                    algorithm_pair pair,
                    void *arg,
                    struct mapcore_error *err)
{
    *out = (struct node_parts){
        .call = call, .part = *call, .pair = pair, .arg = arg};
    return sort_ranks(&out->nodes, node, nnodes, (uint32_t)call->n, err);
}

static uint32_t size_of(const struct node_parts *parts, uint32_t node)
{
    return parts->nodes.first[node + 1] - parts->nodes.first[node];
}

uint32_t node_parts_each(const struct node_parts *parts)
{
    const uint32_t each = size_of(parts, 0);

    for (uint32_t i = 1; i < parts->nodes.n; i++)
        if (size_of(parts, i) != each)
            return 0;
    return each;
}

static int tell(void *arg, const struct algorithm_flow *flow)
{
    struct node_parts *parts = arg;
    struct algorithm_flow told = *flow;

    if (parts->rank) {
        told.a = parts->rank[flow->a];
        told.b = parts->rank[flow->b];
    }
    told.stage += parts->first;
    return parts->pair(parts->arg, &told);
}

/* A collective among n ranks, rank[root] the root. */
static int run(struct node_parts *parts,
               const char *type,
               enum node_parts_way way,
               const uint32_t *rank,
               uint64_t n,
               uint64_t root)
{
    struct algorithm_call call = parts->part;

    call.type = type;
    call.n = n;
    call.root = root;
    parts->rank = rank;
    return way == NODE_PARTS_TREE ? algorithm_expand_tree(&call, tell, parts)
                                  : algorithm_expand(&call, tell, parts);
}

int node_parts_all(struct node_parts *parts)
{
    parts->first = NODE_PARTS_AMONG;
    parts->rank = NULL;
    return algorithm_expand(parts->call, tell, parts);
}

int node_parts_among(struct node_parts *parts,
                     uint32_t first,
                     const char *type,
                     enum node_parts_way way,
                     uint64_t root)
{
    parts->first = first;
    return run(parts, type, way, parts->nodes.leader, parts->nodes.n, root);
}

int node_parts_inside_one(struct node_parts *parts,
                          uint32_t first,
                          const char *type,
                          enum node_parts_way way,
                          uint32_t node,
                          uint64_t place)
{
    parts->first = first;
    return run(parts, type, way, parts->nodes.rank + parts->nodes.first[node],
               size_of(parts, node), place);
}

int node_parts_inside(struct node_parts *parts,
                      uint32_t first,
                      const char *type,
                      enum node_parts_way way,
                      uint32_t except)
{
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < parts->nodes.n; i++)
        if (i != except)
            error =
                node_parts_inside_one(parts, first, type, way, i, parts->place);
    return error;
}

int node_parts_send(struct node_parts *parts,
                    uint32_t first,
                    uint64_t from,
                    uint64_t to)
{
    const struct algorithm_flow flow = {.a = from,
                                        .b = to,
                                        .bytes = parts->call->bytes,
                                        .messages = parts->call->calls,
                                        .way = ALGORITHM_FORTH};

    parts->first = first;
    parts->rank = NULL;
    return from != to ? tell(parts, &flow) : 0;
}

uint64_t node_parts_place(const struct node_parts *parts)
{
    const struct ranks_by_node *nodes = &parts->nodes;
    const uint32_t *rank =
        nodes->rank + nodes->first[nodes->of[parts->call->root]];
    uint64_t place = 0;

    while (rank[place] != parts->call->root)
        place++;
    return place;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

uint32_t node_parts_lead(struct node_parts *parts, uint64_t place)
{
    struct ranks_by_node *nodes = &parts->nodes;
    const uint32_t home = nodes->of[parts->call->root];
    const uint32_t its = nodes->rank[nodes->first[home] + place];
    uint32_t index = 0;

    for (uint32_t i = 0; i < nodes->n; i++)
        nodes->leader[i] = nodes->rank[nodes->first[i] + place];
    qsort(nodes->leader, nodes->n, sizeof(*nodes->leader), by_number);
    while (nodes->leader[index] != its)
        index++;
    parts->place = place;
    return index;
}
