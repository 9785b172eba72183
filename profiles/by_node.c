/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* by_node.c - how MPI libraries divide collectives: inside nodes, and among
 * their leaders */
#include "config.h"

#include "profiles/by_node.h"

#include "profiles/node_parts.h"
#include "profiles/shapes.h"

#include <string.h>

bool by_node_is(const char *type, enum algorithm_library library)
{
    const bool is_blocks = strcmp(type, "allgather") == 0 ||
                           strcmp(type, "gather") == 0 ||
                           strcmp(type, "scatter") == 0;

    if (strcmp(type, "bcast") == 0 || strcmp(type, "reduce") == 0 ||
        strcmp(type, "allreduce") == 0)
        return library == ALGORITHM_MPICH || library == ALGORITHM_SMPI ||
               library == ALGORITHM_OPEN_MPI_5;
    return is_blocks && library == ALGORITHM_OPEN_MPI_5;
}

static int mpich_bcast(struct node_parts *parts, uint64_t size)
{
    const struct algorithm_call *call = parts->call;
    const uint32_t home = parts->nodes.of[call->root];
    const uint32_t leader = parts->nodes.leader[home];
    const bool is_short = size < 12288 || call->n < 8;
    const bool goes_inside = !is_short && leader != call->root;
    int error;

    if (!is_short && (size >= 524288 || !shape_is_power(call->n)))
        return node_parts_all(parts);
    error = goes_inside
                ? node_parts_inside_one(parts, NODE_PARTS_BEFORE, "bcast",
                                        NODE_PARTS_TREE, home,
                                        node_parts_place(parts))
                : node_parts_send(parts, NODE_PARTS_BEFORE, call->root, leader);
    if (error == 0)
        error = node_parts_among(parts, NODE_PARTS_AMONG, "bcast",
                                 NODE_PARTS_LIBRARY, home);
    return error == 0 ? node_parts_inside(parts, NODE_PARTS_AFTER, "bcast",
                                          NODE_PARTS_TREE,
                                          goes_inside ? home : parts->nodes.n)
                      : error;
}

static int mpich_reduce(struct node_parts *parts, uint64_t size)
{
    const uint64_t root = parts->call->root;
    const uint32_t home = parts->nodes.of[root];
    const bool is_short = size <= 2048;
    int error =
        node_parts_inside(parts, NODE_PARTS_BEFORE, "reduce", NODE_PARTS_TREE,
                          is_short ? home : parts->nodes.n);

    if (error == 0)
        error = node_parts_among(parts, NODE_PARTS_AMONG, "reduce",
                                 NODE_PARTS_LIBRARY, is_short ? home : 0);
    if (error != 0)
        return error;
    return is_short ? node_parts_inside_one(parts, NODE_PARTS_AFTER, "reduce",
                                            NODE_PARTS_TREE, home,
                                            node_parts_place(parts))
                    : node_parts_send(parts, NODE_PARTS_AFTER, 0, root);
}

static int smpi_bcast(struct node_parts *parts)
{
    const struct algorithm_call *call = parts->call;
    const uint32_t each = node_parts_each(parts);
    int error;

    if (each == 0)
        return node_parts_all(parts);
    for (uint32_t r = 0; r < call->n; r++)
        parts->nodes.rank[r] = r;
    for (uint32_t i = 0; i < parts->nodes.n; i++)
        parts->nodes.leader[i] = i * each;
    error = node_parts_send(parts, NODE_PARTS_BEFORE, call->root, 0);
    if (error == 0)
        error = node_parts_among(parts, NODE_PARTS_AMONG, "bcast",
                                 NODE_PARTS_TREE, 0);
    return error == 0 ? node_parts_inside(parts, NODE_PARTS_AFTER, "bcast",
                                          NODE_PARTS_TREE, parts->nodes.n)
                      : error;
}

static int smpi_reduce(struct node_parts *parts)
{
    const uint64_t root = parts->call->root;
    const uint32_t home = parts->nodes.of[root];
    int error;

    if (parts->nodes.n == 1)
        return node_parts_inside_one(parts, NODE_PARTS_BEFORE, "reduce",
                                     NODE_PARTS_TREE, 0, root);
    error = node_parts_inside(parts, NODE_PARTS_BEFORE, "reduce",
                              NODE_PARTS_LIBRARY, parts->nodes.n);
    if (error == 0)
        error = node_parts_among(parts, NODE_PARTS_AMONG, "reduce",
                                 NODE_PARTS_LIBRARY, home);
    return error == 0 ? node_parts_send(parts, NODE_PARTS_AFTER,
                                        parts->nodes.leader[home], root)
                      : error;
}

static int allreduce(struct node_parts *parts,
                     const char *first,
                     enum node_parts_way way)
{
    int error =
        node_parts_inside(parts, NODE_PARTS_BEFORE, first, way, parts->nodes.n);

    if (error == 0)
        error = node_parts_among(parts, NODE_PARTS_AMONG, "allreduce",
                                 NODE_PARTS_LIBRARY, 0);
    return error == 0 ? node_parts_inside(parts, NODE_PARTS_AFTER, "bcast", way,
                                          parts->nodes.n)
                      : error;
}

/* Open MPI's han cuts what is longer into segments of that size, each of which
 * is a call of its own inside nodes, and among them. */
enum { HAN_SEGMENT = 65536 };

static uint64_t count_segments(uint64_t size)
{
    return size > HAN_SEGMENT ? (size - 1) / HAN_SEGMENT + 1 : 1;
}

/* How the next parts run: so many calls, of all bytes. */
static void set_part(struct node_parts *parts,
                     enum algorithm_library library,
                     uint64_t calls,
                     uint64_t bytes)
{
    parts->part.library = library;
    parts->part.calls = calls;
    parts->part.bytes = bytes;
}

/* The first segment goes among the ranks that have the root's place in their
 * nodes as a bcast of as many ranks does; while those are busy with it inside
 * nodes the others go by libnbc. */
static int han_bcast(struct node_parts *parts, uint64_t size)
{
    const struct algorithm_call *call = parts->call;
    const uint64_t segments = count_segments(size);
    const uint64_t first =
        segments == 1 ? call->bytes : call->calls * HAN_SEGMENT;
    const uint32_t root = node_parts_lead(parts, node_parts_place(parts));
    int error;

    set_part(parts, call->library, call->calls, first);
    error = node_parts_among(parts, NODE_PARTS_AMONG, "bcast",
                             NODE_PARTS_LIBRARY, root);
    if (error == 0 && segments > 1) {
        set_part(parts, ALGORITHM_LIBNBC, call->calls * (segments - 1),
                 call->bytes - first);
        error = node_parts_among(parts, NODE_PARTS_AMONG, "bcast",
                                 NODE_PARTS_LIBRARY, root);
    }
    set_part(parts, call->library, call->calls * segments, call->bytes);
    return error == 0 ? node_parts_inside(parts, NODE_PARTS_AFTER, "bcast",
                                          NODE_PARTS_LIBRARY, parts->nodes.n)
                      : error;
}

/* Inside nodes, and to the root by libnbc. */
static int han_reduce(struct node_parts *parts, uint64_t size)
{
    const struct algorithm_call *call = parts->call;
    const uint64_t calls = call->calls * count_segments(size);
    const uint32_t root = node_parts_lead(parts, node_parts_place(parts));
    int error;

    set_part(parts, call->library, calls, call->bytes);
    error = node_parts_inside(parts, NODE_PARTS_BEFORE, "reduce",
                              NODE_PARTS_LIBRARY, parts->nodes.n);
    set_part(parts, ALGORITHM_LIBNBC, calls, call->bytes);
    return error == 0 ? node_parts_among(parts, NODE_PARTS_AMONG, "reduce",
                                         NODE_PARTS_LIBRARY, root)
                      : error;
}

/* To the first leader and back. */
static int han_allreduce(struct node_parts *parts, uint64_t size)
{
    const struct algorithm_call *call = parts->call;
    const uint64_t calls = call->calls * count_segments(size);
    int error;

    set_part(parts, call->library, calls, call->bytes);
    error = node_parts_inside(parts, NODE_PARTS_BEFORE, "reduce",
                              NODE_PARTS_LIBRARY, parts->nodes.n);
    set_part(parts, ALGORITHM_LIBNBC, calls, call->bytes);
    if (error == 0)
        error = node_parts_among(parts, NODE_PARTS_AMONG, "reduce",
                                 NODE_PARTS_LIBRARY, 0);
    if (error == 0)
        error = node_parts_among(parts, NODE_PARTS_AMONG + ALGORITHM_THEN,
                                 "bcast", NODE_PARTS_LIBRARY, 0);
    set_part(parts, call->library, calls, call->bytes);
    return error == 0 ? node_parts_inside(parts, NODE_PARTS_AFTER, "bcast",
                                          NODE_PARTS_LIBRARY, parts->nodes.n)
                      : error;
}

/* Blocks: gathered inside nodes, then those of a node among leaders, then all
 * of them inside nodes, as far as the type goes that way. */
static int han_blocks(struct node_parts *parts)
{
    const struct algorithm_call *call = parts->call;
    const bool is_scatter = strcmp(call->type, "scatter") == 0;
    const bool is_allgather = strcmp(call->type, "allgather") == 0;
    const uint64_t each = node_parts_each(parts);
    const uint32_t root =
        node_parts_lead(parts, is_allgather ? 0 : node_parts_place(parts));
    int error = 0;

    if (call->bytes > UINT64_MAX / call->n)
        return MAPCORE_ERANGE;
    if (!is_scatter)
        error = node_parts_inside(parts, NODE_PARTS_BEFORE, "gather",
                                  NODE_PARTS_LIBRARY, parts->nodes.n);
    set_part(parts, call->library, call->calls, call->bytes * each);
    if (error == 0)
        error = node_parts_among(parts, NODE_PARTS_AMONG, call->type,
                                 NODE_PARTS_LIBRARY, root);
    set_part(parts, call->library, call->calls,
             is_allgather ? call->bytes * call->n : call->bytes);
    return error == 0 && (is_scatter || is_allgather)
               ? node_parts_inside(parts, NODE_PARTS_AFTER,
                                   is_scatter ? "scatter" : "bcast",
                                   NODE_PARTS_LIBRARY, parts->nodes.n)
               : error;
}

static int han(struct node_parts *parts, uint64_t size)
{
    const char *type = parts->call->type;

    if (strcmp(type, "allreduce") == 0)
        return han_allreduce(parts, size);
    if (node_parts_each(parts) == 0)
        return node_parts_all(parts);
    return strcmp(type, "bcast") == 0    ? han_bcast(parts, size)
           : strcmp(type, "reduce") == 0 ? han_reduce(parts, size)
                                         : han_blocks(parts);
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
                           : allreduce(parts, "allreduce", NODE_PARTS_LIBRARY);
    if (parts->nodes.n == 1 || parts->nodes.n == call->n)
        return node_parts_all(parts);
    if (call->library == ALGORITHM_OPEN_MPI_5)
        return han(parts, size);
    return is_bcast    ? mpich_bcast(parts, size)
           : is_reduce ? mpich_reduce(parts, size)
                       : allreduce(parts, "reduce", NODE_PARTS_TREE);
}

int by_node_expand(const struct algorithm_call *call,
                   const uint32_t *node,
                   uint32_t nnodes,
                   algorithm_pair pair,
                   void *arg,
                   struct mapcore_error *err)
{
    struct node_parts parts;
    int error;

    if (call->n < 2 || !by_node_is(call->type, call->library))
        return algorithm_expand(call, pair, arg);
    error = node_parts_open(&parts, call, node, nnodes, pair, arg, err);
    if (error == 0)
        error = expand(&parts);
    node_parts_clear(&parts);
    return error;
}
