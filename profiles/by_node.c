/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* by_node.c - collectives in parts: inside nodes, and among their leaders */
#include "config.h"

#include "profiles/by_node.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* Ranks by node: those of node i are rank[first[i]], its leader, to
 * rank[first[i + 1] - 1]. Nodes are in the order of their leaders. */
struct ranks_by_node {
    uint32_t n;
    uint32_t *first;  /* [n + 1] */
    uint32_t *rank;   /* [ranks] */
    uint32_t *leader; /* [n] */
    uint32_t *of;     /* [ranks] the node of each */
};

/* Where parts begin: inside nodes before, and after, what goes among them. */
enum {
    BEFORE = 0,
    AMONG = ALGORITHM_MOST_STAGES,
    AFTER = 2 * ALGORITHM_MOST_STAGES,
};

/* A call of which parts are told, and to whom. */
struct node_parts {
    const struct algorithm_call *call;
    struct ranks_by_node nodes;
    algorithm_pair pair;
    void *arg;
    const uint32_t *rank; /* of the part at hand: its ranks; NULL: all */
    uint32_t first;       /* and its first stage */
};

bool by_node_is(const char *type, enum algorithm_library library)
{
    return (library == ALGORITHM_MPICH || library == ALGORITHM_SMPI) &&
           (strcmp(type, "bcast") == 0 || strcmp(type, "reduce") == 0 ||
            strcmp(type, "allreduce") == 0);
}

static void clear_nodes(struct ranks_by_node *nodes)
{
    free(nodes->first);
    free(nodes->rank);
    free(nodes->leader);
    free(nodes->of);
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

static uint32_t size_of(const struct node_parts *parts, uint32_t node)
{
    return parts->nodes.first[node + 1] - parts->nodes.first[node];
}

/* How many ranks all nodes have; 0: not all as many. */
static uint32_t ranks_each(const struct node_parts *parts)
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

enum part_way { AS_LIBRARY, AS_TREE };

/* A collective among n ranks, rank[root] the root. */
static int run(struct node_parts *parts,
               const char *type,
               enum part_way way,
               const uint32_t *rank,
               uint64_t n,
               uint64_t root)
{
    struct algorithm_call call = *parts->call;

    call.type = type;
    call.n = n;
    call.root = root;
    parts->rank = rank;
    return way == AS_TREE ? algorithm_expand_tree(&call, tell, parts)
                          : algorithm_expand(&call, tell, parts);
}

/* All ranks, as if each had a node. */
static int among_all(struct node_parts *parts)
{
    parts->first = AMONG;
    parts->rank = NULL;
    return algorithm_expand(parts->call, tell, parts);
}

static int among_leaders(struct node_parts *parts,
                         const char *type,
                         enum part_way way,
                         uint64_t root)
{
    parts->first = AMONG;
    return run(parts, type, way, parts->nodes.leader, parts->nodes.n, root);
}

/* From, or to, the rank that is at a place of the node. */
static int inside_one(struct node_parts *parts,
                      uint32_t first,
                      const char *type,
                      enum part_way way,
                      uint32_t node,
                      uint64_t place)
{
    parts->first = first;
    return run(parts, type, way, parts->nodes.rank + parts->nodes.first[node],
               size_of(parts, node), place);
}

/* Inside all nodes at once, from or to leaders, but for one; nodes.n: for none.
 */
static int inside(struct node_parts *parts,
                  uint32_t first,
                  const char *type,
                  enum part_way way,
                  uint32_t except)
{
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < parts->nodes.n; i++)
        if (i != except)
            error = inside_one(parts, first, type, way, i, 0);
    return error;
}

/* The vector from one rank to another, unless they are one. */
static int send_to(struct node_parts *parts,
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

/* The root's place in its node. */
static uint64_t place_of_root(const struct node_parts *parts)
{
    const struct ranks_by_node *nodes = &parts->nodes;
    const uint32_t *rank =
        nodes->rank + nodes->first[nodes->of[parts->call->root]];
    uint64_t place = 0;

    while (rank[place] != parts->call->root)
        place++;
    return place;
}

static bool is_power(uint64_t n)
{
    return (n & (n - 1)) == 0;
}

static int mpich_bcast(struct node_parts *parts, uint64_t size)
{
    const struct algorithm_call *call = parts->call;
    const uint32_t home = parts->nodes.of[call->root];
    const uint32_t leader = parts->nodes.leader[home];
    const bool is_short = size < 12288 || call->n < 8;
    const bool goes_inside = !is_short && leader != call->root;
    int error;

    if (!is_short && (size >= 524288 || !is_power(call->n)))
        return among_all(parts);
    error = goes_inside ? inside_one(parts, BEFORE, "bcast", AS_TREE, home,
                                     place_of_root(parts))
                        : send_to(parts, BEFORE, call->root, leader);
    if (error == 0)
        error = among_leaders(parts, "bcast", AS_LIBRARY, home);
    return error == 0 ? inside(parts, AFTER, "bcast", AS_TREE,
                               goes_inside ? home : parts->nodes.n)
                      : error;
}

static int mpich_reduce(struct node_parts *parts, uint64_t size)
{
    const uint64_t root = parts->call->root;
    const uint32_t home = parts->nodes.of[root];
    const bool is_short = size <= 2048;
    int error = inside(parts, BEFORE, "reduce", AS_TREE,
                       is_short ? home : parts->nodes.n);

    if (error == 0)
        error = among_leaders(parts, "reduce", AS_LIBRARY, is_short ? home : 0);
    if (error != 0)
        return error;
    return is_short ? inside_one(parts, AFTER, "reduce", AS_TREE, home,
                                 place_of_root(parts))
                    : send_to(parts, AFTER, 0, root);
}

static int smpi_bcast(struct node_parts *parts)
{
    const struct algorithm_call *call = parts->call;
    const uint32_t each = ranks_each(parts);
    int error;

    if (each == 0)
        return among_all(parts);
    for (uint32_t r = 0; r < call->n; r++)
        parts->nodes.rank[r] = r;
    for (uint32_t i = 0; i < parts->nodes.n; i++)
        parts->nodes.leader[i] = i * each;
    error = send_to(parts, BEFORE, call->root, 0);
    if (error == 0)
        error = among_leaders(parts, "bcast", AS_TREE, 0);
    return error == 0 ? inside(parts, AFTER, "bcast", AS_TREE, parts->nodes.n)
                      : error;
}

static int smpi_reduce(struct node_parts *parts)
{
    const uint64_t root = parts->call->root;
    const uint32_t home = parts->nodes.of[root];
    int error;

    if (parts->nodes.n == 1)
        return inside_one(parts, BEFORE, "reduce", AS_TREE, 0, root);
    error = inside(parts, BEFORE, "reduce", AS_LIBRARY, parts->nodes.n);
    if (error == 0)
        error = among_leaders(parts, "reduce", AS_LIBRARY, home);
    return error == 0 ? send_to(parts, AFTER, parts->nodes.leader[home], root)
                      : error;
}

static int allreduce(struct node_parts *parts,
                     const char *first,
                     enum part_way way)
{
    int error = inside(parts, BEFORE, first, way, parts->nodes.n);

    if (error == 0)
        error = among_leaders(parts, "allreduce", AS_LIBRARY, 0);
    return error == 0 ? inside(parts, AFTER, "bcast", way, parts->nodes.n)
                      : error;
}

static int expand(struct node_parts *parts)
{
    const struct algorithm_call *call = parts->call;
    const uint64_t size = call->calls > 0 ? call->bytes / call->calls : 0;
    const bool is_bcast = strcmp(call->type, "bcast") == 0;
    const bool is_reduce = strcmp(call->type, "reduce") == 0;

    if (call->library == ALGORITHM_SMPI)
        return is_bcast    ? smpi_bcast(parts)
               : is_reduce ? smpi_reduce(parts)
                           : allreduce(parts, "allreduce", AS_LIBRARY);
    if (parts->nodes.n == 1 || parts->nodes.n == call->n)
        return among_all(parts);
    return is_bcast    ? mpich_bcast(parts, size)
           : is_reduce ? mpich_reduce(parts, size)
                       : allreduce(parts, "reduce", AS_TREE);
}

int by_node_expand(const struct algorithm_call *call,
                   const uint32_t *node,
                   uint32_t nnodes,
                   algorithm_pair pair,
                   void *arg,
                   struct mapcore_error *err)
{
    struct node_parts parts = {.call = call, .pair = pair, .arg = arg};
    int error;

    if (call->n < 2 || !by_node_is(call->type, call->library))
        return algorithm_expand(call, pair, arg);
    error = sort_ranks(&parts.nodes, node, nnodes, (uint32_t)call->n, err);
    if (error == 0)
        error = expand(&parts);
    clear_nodes(&parts.nodes);
    return error;
}
