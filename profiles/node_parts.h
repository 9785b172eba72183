/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* node_parts.h - a collective in parts: inside nodes, and among a rank of each
 */
#ifndef PROFILES_NODE_PARTS_H
#define PROFILES_NODE_PARTS_H

#include "profiles/algorithm.h"

#include "base/error.h"

/* Ranks by node: those of node i are rank[first[i]] to rank[first[i + 1] - 1],
 * in order. Nodes are in the order of their lowest ranks, which are their
 * leaders at first. */
struct ranks_by_node {
    uint32_t n;
    uint32_t *first;  /* [n + 1] */
    uint32_t *rank;   /* [ranks] */
    uint32_t *leader; /* [n] */
    uint32_t *of;     /* [ranks] the node of each */
};

/* Where parts begin: inside nodes before, and after, what goes among them. */
enum {
    NODE_PARTS_BEFORE = 0,
    NODE_PARTS_AMONG = ALGORITHM_MOST_STAGES,
    NODE_PARTS_AFTER = 2 * ALGORITHM_MOST_STAGES,
};

/* A call of which parts are told, and to whom. */
struct node_parts {
    const struct algorithm_call *call;
    struct algorithm_call part; /* how parts run: its library, calls and bytes,
                                   at first those of call */
    struct ranks_by_node nodes;
    uint64_t place; /* of leaders in their nodes, 0 at first */
    algorithm_pair pair;
    void *arg;
    const uint32_t *rank; /* of the part at hand: its ranks; NULL: all */
    uint32_t first;       /* and its first stage */
};

enum node_parts_way { NODE_PARTS_LIBRARY, NODE_PARTS_TREE };

/* For ranks that are on nodes node[call->n], numbers below nnodes; call is
 * borrowed. node_parts_clear is due also after a failure. Errors: ENOMEM. */
int node_parts_open(struct node_parts *out,
                    const struct algorithm_call *call,
                    const uint32_t *node,
                    uint32_t nnodes,
                    algorithm_pair pair,
                    void *arg,
                    struct mapcore_error *err);
void node_parts_clear(struct node_parts *parts);

/* How many ranks all nodes have; 0: not all as many. */
uint32_t node_parts_each(const struct node_parts *parts);
/* The root's place in its node. */
uint64_t node_parts_place(const struct node_parts *parts);
/* Makes the ranks at that place of each node its leader, in the order of these;
 * each node has more ranks than that. The index of the root's one. */
uint32_t node_parts_lead(struct node_parts *parts, uint64_t place);

/* Parts, told to pair at stages from first on, or from NODE_PARTS_AMONG.
 * Errors: what algorithm_expand returns. */

/* The call itself by all ranks, as if each had a node. */
int node_parts_all(struct node_parts *parts);
/* Among leaders, of whom root is an index. */
int node_parts_among(struct node_parts *parts,
                     uint32_t first,
                     const char *type,
                     enum node_parts_way way,
                     uint64_t root);
/* Inside one node, from, or to, the rank that is at a place of it. */
int node_parts_inside_one(struct node_parts *parts,
                          uint32_t first,
                          const char *type,
                          enum node_parts_way way,
                          uint32_t node,
                          uint64_t place);
/* Inside all nodes at once, from, or to, leaders, but for one; nodes.n: for
 * none. */
int node_parts_inside(struct node_parts *parts,
                      uint32_t first,
                      const char *type,
                      enum node_parts_way way,
                      uint32_t except);
/* The vector from one rank to another, unless they are one. */
int node_parts_send(struct node_parts *parts,
                    uint32_t first,
                    uint64_t from,
                    uint64_t to);

#endif
