/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* by_node.c - how MPI libraries divide collectives: rows of parts, each inside
 * nodes or among one rank of each node, and what runs them */
#include "config.h"

#include "profiles/collectives/by_node.h"

#include "profiles/collectives/shapes.h"

#include "base/array.h"
#include "base/bucket.h"

#include <stdlib.h>
#include <string.h>

#define BIT(n) (1U << (n))

/* Where parts begin: inside nodes before, and after, what goes among them. */
enum {
    BEFORE = 0,
    BETWEEN = ALGORITHM_MOST_STAGES,
    THEN_BETWEEN = ALGORITHM_MOST_STAGES + ALGORITHM_THEN,
    AFTER = 2 * ALGORITHM_MOST_STAGES,
};

/* The part's roots: of those among nodes a leader, else of each node. */
enum root {
    FIRST,    /* the first leader */
    HOME,     /* the leader of the root's node */
    NOT_HOME, /* inside: of all nodes but the root's */
};

/* Which of the call's bytes, in how many calls; Open MPI's han cuts a vector
 * into segments, each of which is a call of its own inside nodes and among
 * them. While nodes are busy with the first one, others go by libnbc. */
enum portion {
    CALL,
    SEGMENTS,
    FIRST_SEGMENT,
    LATER_SEGMENTS,
    NODES_BLOCKS, /* those of one node */
    ALL_BLOCKS,
};
enum { HAN_SEGMENT = 65536 };

/* What a call becomes; its parts are the rows of that name, in order. */
enum plan {
    ALL_AT_ONCE, /* no parts: all ranks, as if each had a node */
    MPICH_BCAST,
    MPICH_BCAST_FROM_MEMBER, /* the root is no leader */
    MPICH_REDUCE_SHORT,
    MPICH_REDUCE,
    MPICH_ALLREDUCE,
    SMPI_BCAST,
    SMPI_REDUCE_INSIDE,
    SMPI_REDUCE,
    SMPI_ALLREDUCE,
    HAN_BCAST,
    HAN_REDUCE,
    HAN_ALLREDUCE,
    HAN_ALLGATHER,
    HAN_GATHER,
    HAN_SCATTER,
};

/* The first row that holds for a call is its plan; 0 and NULL bound nothing. */
enum {
    MPICH = BIT(ALGORITHM_MPICH),
    SMPI = BIT(ALGORITHM_SMPI),
    HAN = BIT(ALGORITHM_OPEN_MPI_5),
};
struct division {
    unsigned libraries; /* bits */
    const char *type;
    uint64_t ranks_below, bytes_below;
    enum {
        ALWAYS,
        ONE_LEVEL, /* one node, or a node for each rank */
        ONE_NODE,
        UNEVEN,          /* nodes have different numbers of ranks */
        IS_POWER,        /* of two, the number of ranks */
        POWER_OF_LEADER, /* the same, and the root is a leader */
    } when;
    /* Leaders are each node's lowest rank; or the ranks of the root's place in
     * their nodes; or ranks 0, k, 2k for nodes of k, wherever they are. */
    enum { LOWEST, ROOTS_PLACE, EVERY_KTH } leaders;
    enum plan plan;
};
static const struct division divisions[] = {
    {MPICH | HAN, NULL, 0, 0, ONE_LEVEL, LOWEST, ALL_AT_ONCE},
    {MPICH, "bcast", 8, 0, ALWAYS, LOWEST, MPICH_BCAST},
    {MPICH, "bcast", 0, 12288, ALWAYS, LOWEST, MPICH_BCAST},
    {MPICH, "bcast", 0, 524288, POWER_OF_LEADER, LOWEST, MPICH_BCAST},
    {MPICH, "bcast", 0, 524288, IS_POWER, LOWEST, MPICH_BCAST_FROM_MEMBER},
    {MPICH, "reduce", 0, 2049, ALWAYS, LOWEST, MPICH_REDUCE_SHORT},
    {MPICH, "reduce", 0, 0, ALWAYS, LOWEST, MPICH_REDUCE},
    {MPICH, "allreduce", 0, 0, ALWAYS, LOWEST, MPICH_ALLREDUCE},
    {SMPI, "bcast", 0, 0, UNEVEN, LOWEST, ALL_AT_ONCE},
    {SMPI, "bcast", 0, 0, ALWAYS, EVERY_KTH, SMPI_BCAST},
    {SMPI, "reduce", 0, 0, ONE_NODE, LOWEST, SMPI_REDUCE_INSIDE},
    {SMPI, "reduce", 0, 0, ALWAYS, LOWEST, SMPI_REDUCE},
    {SMPI, "allreduce", 0, 0, ALWAYS, LOWEST, SMPI_ALLREDUCE},
    {HAN, "allreduce", 0, 0, ALWAYS, LOWEST, HAN_ALLREDUCE},
    {HAN, NULL, 0, 0, UNEVEN, LOWEST, ALL_AT_ONCE},
    {HAN, "bcast", 0, 0, ALWAYS, ROOTS_PLACE, HAN_BCAST},
    {HAN, "reduce", 0, 0, ALWAYS, ROOTS_PLACE, HAN_REDUCE},
    {HAN, "allgather", 0, 0, ALWAYS, LOWEST, HAN_ALLGATHER},
    {HAN, "gather", 0, 0, ALWAYS, ROOTS_PLACE, HAN_GATHER},
    {HAN, "scatter", 0, 0, ALWAYS, ROOTS_PLACE, HAN_SCATTER},
    {~0U, NULL, 0, 0, ALWAYS, LOWEST, ALL_AT_ONCE},
};

#define SAME ALGORITHM_LIBRARIES /* the call's library */
#define TREE ALGORITHM_TREE      /* in shared memory */
#define NBC  ALGORITHM_LIBNBC
/* No type that a library knows: recursive doubling, of messages of any size. */
#define DOUBLING "doubling"
struct node_part {
    enum plan plan;
    enum {
        TO_LEADER,   /* the vector, from the root */
        FROM_LEADER, /* to the root */
        INSIDE,      /* all nodes at once, from or to leaders */
        INSIDE_HOME, /* the root's node alone, from or to the root */
        AMONG,       /* leaders */
    } where;
    uint32_t stage;
    const char *type;
    enum algorithm_library library;
    enum root root;
    enum portion portion;
};
static const struct node_part all_parts[] = {
    {MPICH_BCAST, TO_LEADER, BEFORE, "bcast", SAME, HOME, CALL},
    {MPICH_BCAST, AMONG, BETWEEN, "bcast", SAME, HOME, CALL},
    {MPICH_BCAST, INSIDE, AFTER, "bcast", TREE, FIRST, CALL},
    {MPICH_BCAST_FROM_MEMBER, INSIDE_HOME, BEFORE, "bcast", TREE, HOME, CALL},
    {MPICH_BCAST_FROM_MEMBER, AMONG, BETWEEN, "bcast", SAME, HOME, CALL},
    {MPICH_BCAST_FROM_MEMBER, INSIDE, AFTER, "bcast", TREE, NOT_HOME, CALL},
    {MPICH_REDUCE_SHORT, INSIDE, BEFORE, "reduce", TREE, NOT_HOME, CALL},
    {MPICH_REDUCE_SHORT, AMONG, BETWEEN, "reduce", SAME, HOME, CALL},
    {MPICH_REDUCE_SHORT, INSIDE_HOME, AFTER, "reduce", TREE, HOME, CALL},
    {MPICH_REDUCE, INSIDE, BEFORE, "reduce", TREE, FIRST, CALL},
    {MPICH_REDUCE, AMONG, BETWEEN, "reduce", SAME, FIRST, CALL},
    {MPICH_REDUCE, FROM_LEADER, AFTER, "reduce", SAME, FIRST, CALL},
    {MPICH_ALLREDUCE, INSIDE, BEFORE, "reduce", TREE, FIRST, CALL},
    {MPICH_ALLREDUCE, AMONG, BETWEEN, "allreduce", SAME, FIRST, CALL},
    {MPICH_ALLREDUCE, INSIDE, AFTER, "bcast", TREE, FIRST, CALL},
    {SMPI_BCAST, TO_LEADER, BEFORE, "bcast", SAME, FIRST, CALL},
    {SMPI_BCAST, AMONG, BETWEEN, "bcast", TREE, FIRST, CALL},
    {SMPI_BCAST, INSIDE, AFTER, "bcast", TREE, FIRST, CALL},
    {SMPI_REDUCE_INSIDE, INSIDE_HOME, BEFORE, "reduce", TREE, HOME, CALL},
    {SMPI_REDUCE, INSIDE, BEFORE, "reduce", SAME, FIRST, CALL},
    {SMPI_REDUCE, AMONG, BETWEEN, "reduce", SAME, HOME, CALL},
    {SMPI_REDUCE, FROM_LEADER, AFTER, "reduce", SAME, HOME, CALL},
    {SMPI_ALLREDUCE, INSIDE, BEFORE, "allreduce", SAME, FIRST, CALL},
    {SMPI_ALLREDUCE, AMONG, BETWEEN, DOUBLING, SAME, FIRST, CALL},
    {SMPI_ALLREDUCE, INSIDE, AFTER, "bcast", SAME, FIRST, CALL},
    {HAN_BCAST, AMONG, BETWEEN, "bcast", SAME, HOME, FIRST_SEGMENT},
    {HAN_BCAST, AMONG, BETWEEN, "bcast", NBC, HOME, LATER_SEGMENTS},
    {HAN_BCAST, INSIDE, AFTER, "bcast", SAME, FIRST, SEGMENTS},
    {HAN_REDUCE, INSIDE, BEFORE, "reduce", SAME, FIRST, SEGMENTS},
    {HAN_REDUCE, AMONG, BETWEEN, "reduce", NBC, HOME, SEGMENTS},
    {HAN_ALLREDUCE, INSIDE, BEFORE, "reduce", SAME, FIRST, SEGMENTS},
    {HAN_ALLREDUCE, AMONG, BETWEEN, "reduce", NBC, FIRST, SEGMENTS},
    {HAN_ALLREDUCE, AMONG, THEN_BETWEEN, "bcast", NBC, FIRST, SEGMENTS},
    {HAN_ALLREDUCE, INSIDE, AFTER, "bcast", SAME, FIRST, SEGMENTS},
    {HAN_ALLGATHER, INSIDE, BEFORE, "gather", SAME, FIRST, CALL},
    {HAN_ALLGATHER, AMONG, BETWEEN, "allgather", SAME, HOME, NODES_BLOCKS},
    {HAN_ALLGATHER, INSIDE, AFTER, "bcast", SAME, FIRST, ALL_BLOCKS},
    {HAN_GATHER, INSIDE, BEFORE, "gather", SAME, FIRST, CALL},
    {HAN_GATHER, AMONG, BETWEEN, "gather", SAME, HOME, NODES_BLOCKS},
    {HAN_SCATTER, AMONG, BETWEEN, "scatter", SAME, HOME, NODES_BLOCKS},
    {HAN_SCATTER, INSIDE, AFTER, "scatter", SAME, FIRST, CALL},
};
enum { NPARTS = sizeof(all_parts) / sizeof(*all_parts) };

bool by_node_is(const char *type, enum algorithm_library library)
{
    size_t i = 0;

    while (
        !(divisions[i].libraries & BIT(library)) ||
        (divisions[i].plan == ALL_AT_ONCE && divisions[i].libraries != ~0U) ||
        (divisions[i].type && strcmp(divisions[i].type, type) != 0))
        i++;
    return divisions[i].plan != ALL_AT_ONCE;
}

/* A call, its ranks by node, and the part at hand. Ranks of node i are
 * rank[first[i]] to rank[first[i + 1] - 1], in order; nodes are in the order of
 * their lowest ranks. */
struct nodes {
    const struct algorithm_call *call;
    algorithm_pair pair;
    void *arg;
    uint32_t n;
    uint32_t *first;         /* [n + 1] */
    uint32_t *rank;          /* [call->n] */
    uint32_t *leader;        /* [n], by number */
    uint32_t *of;            /* [call->n] the node of each */
    uint32_t each;           /* ranks of every node; 0: not all have as many */
    uint64_t place;          /* of leaders in their nodes */
    uint32_t home;           /* the index of the leader in the root's node */
    const uint32_t *members; /* of the part; NULL: all ranks */
    uint32_t stage;
};

static int nodes_sort(struct nodes *out,
                      const uint32_t *node,
                      uint32_t nnodes,
                      struct arena *arena)
{
    const uint32_t n = (uint32_t)out->call->n;
    uint32_t *number = arena_alloc(arena, nnodes, sizeof(*number));

    out->first = arena_alloc(arena, (size_t)n + 1, sizeof(*out->first));
    out->rank = arena_alloc(arena, n, sizeof(*out->rank));
    out->leader = arena_alloc(arena, n, sizeof(*out->leader));
    out->of = arena_alloc(arena, n, sizeof(*out->of));
    if (arena->error)
        return arena->error;
    for (uint32_t r = 0; r < n; r++) {
        if (number[node[r]] == 0) {
            out->leader[out->n] = r;
            number[node[r]] = ++out->n;
        }
        out->of[r] = number[node[r]] - 1;
    }
    bucket_items(out->first, out->rank, out->of, n, out->n);
    out->each = out->first[1];
    for (uint32_t i = 1; i < out->n; i++)
        if (out->first[i + 1] - out->first[i] != out->first[1])
            out->each = 0;
    out->home = out->of[out->call->root];
    return 0;
}

static uint64_t place_of_root(const struct nodes *nodes)
{
    const uint64_t root = nodes->call->root;
    const uint32_t *rank = nodes->rank + nodes->first[nodes->of[root]];
    uint64_t place = 0;

    while (rank[place] != root)
        place++;
    return place;
}

static void lead(struct nodes *nodes, const struct division *division)
{
    if (division->leaders == EVERY_KTH) {
        for (uint32_t r = 0; r < nodes->call->n; r++)
            nodes->rank[r] = r;
        for (uint32_t i = 0; i < nodes->n; i++)
            nodes->leader[i] = i * nodes->each;
    } else if (division->leaders == ROOTS_PLACE) {
        nodes->place = place_of_root(nodes);
        for (uint32_t i = 0; i < nodes->n; i++)
            nodes->leader[i] = nodes->rank[nodes->first[i] + nodes->place];
        array_sort_u32(nodes->leader, nodes->n);
        nodes->home = 0;
        while (nodes->leader[nodes->home] != nodes->call->root)
            nodes->home++;
    }
}

static bool holds(const struct division *division,
                  const struct nodes *nodes,
                  uint64_t size)
{
    const struct algorithm_call *call = nodes->call;

    if (!(division->libraries & BIT(call->library)) ||
        (division->type && strcmp(division->type, call->type) != 0) ||
        (division->ranks_below > 0 && call->n >= division->ranks_below) ||
        (division->bytes_below > 0 && size >= division->bytes_below))
        return false;
    switch (division->when) {
    case ALWAYS:
        return true;
    case ONE_LEVEL:
        return nodes->n == 1 || nodes->n == call->n;
    case ONE_NODE:
        return nodes->n == 1;
    case UNEVEN:
        return nodes->each == 0;
    case IS_POWER:
        return shape_is_power(call->n);
    case POWER_OF_LEADER:
        return shape_is_power(call->n) &&
               nodes->leader[nodes->home] == call->root;
    }
    return false;
}

static int forward(void *arg, const struct algorithm_flow *flow)
{
    const struct nodes *nodes = arg;
    struct algorithm_flow out = *flow;

    if (nodes->members) {
        out.a = nodes->members[flow->a];
        out.b = nodes->members[flow->b];
    }
    out.stage += nodes->stage;
    return nodes->pair(nodes->arg, &out);
}

/* The part's calls and bytes. */
static int take_portion(struct algorithm_call *out,
                        enum portion portion,
                        uint32_t each)
{
    const uint64_t size = out->calls > 0 ? out->bytes / out->calls : 0;
    const uint64_t segments =
        size > HAN_SEGMENT ? (size - 1) / HAN_SEGMENT + 1 : 1;
    const uint64_t first =
        segments == 1 ? out->bytes : out->calls * HAN_SEGMENT;

    switch (portion) {
    case CALL:
        return 0;
    case SEGMENTS:
        out->calls *= segments;
        return 0;
    case FIRST_SEGMENT:
        out->bytes = first;
        return 0;
    case LATER_SEGMENTS:
        out->calls *= segments - 1;
        out->bytes -= first;
        return 0;
    case NODES_BLOCKS:
    case ALL_BLOCKS:
        if (out->bytes > UINT64_MAX / out->n)
            return MAPCORE_ERANGE;
        out->bytes *= portion == NODES_BLOCKS ? each : out->n;
        return 0;
    }
    return 0;
}

/* One node, from or to the rank at a place of it. */
static int run_inside(struct nodes *nodes,
                      struct algorithm_call *call,
                      uint32_t node,
                      uint64_t place)
{
    nodes->members = nodes->rank + nodes->first[node];
    call->n = nodes->first[node + 1] - nodes->first[node];
    call->root = place;
    return algorithm_expand(call, forward, nodes);
}

static int send(struct nodes *nodes, uint64_t from, uint64_t to)
{
    const struct algorithm_flow flow = {.a = from,
                                        .b = to,
                                        .bytes = nodes->call->bytes,
                                        .messages = nodes->call->calls,
                                        .way = ALGORITHM_FORTH};

    return from != to ? forward(nodes, &flow) : 0;
}

static int run_part(struct nodes *nodes, const struct node_part *part)
{
    const uint64_t root = nodes->call->root;
    const uint32_t leader = part->root == HOME ? nodes->home : 0;
    struct algorithm_call call = *nodes->call;
    int error = take_portion(&call, part->portion, nodes->each);

    if (error < 0 || (part->portion == LATER_SEGMENTS && call.calls == 0))
        return error;
    call.type = part->type;
    call.library = part->library == SAME ? call.library : part->library;
    nodes->stage = part->stage;
    nodes->members = NULL;
    switch (part->where) {
    case TO_LEADER:
        return send(nodes, root, nodes->leader[leader]);
    case FROM_LEADER:
        return send(nodes, nodes->leader[leader], root);
    case INSIDE_HOME:
        return run_inside(nodes, &call, nodes->of[root], place_of_root(nodes));
    case INSIDE:
        for (uint32_t i = 0; error == 0 && i < nodes->n; i++)
            if (part->root != NOT_HOME || i != nodes->of[root])
                error = run_inside(nodes, &call, i, nodes->place);
        return error;
    case AMONG:
        nodes->members = nodes->leader;
        call.n = nodes->n;
        call.root = leader;
        return algorithm_expand(&call, forward, nodes);
    }
    return error;
}

static int expand(struct nodes *nodes)
{
    const struct algorithm_call *call = nodes->call;
    const uint64_t size = call->calls > 0 ? call->bytes / call->calls : 0;
    const struct division *division = divisions;
    int error = 0;

    while (!holds(division, nodes, size))
        division++;
    if (division->plan == ALL_AT_ONCE) {
        nodes->stage = BETWEEN;
        return algorithm_expand(call, forward, nodes);
    }
    lead(nodes, division);
    for (size_t i = 0; error == 0 && i < NPARTS; i++)
        if (all_parts[i].plan == division->plan)
            error = run_part(nodes, &all_parts[i]);
    return error;
}

int by_node_expand(const struct algorithm_call *call,
                   const uint32_t *node,
                   uint32_t nnodes,
                   algorithm_pair pair,
                   void *arg,
                   struct mapcore_error *err)
{
    struct nodes nodes = {.call = call, .pair = pair, .arg = arg};
    struct arena arena = {.err = err};
    int error;

    if (call->n < 2 || !by_node_is(call->type, call->library))
        return algorithm_expand(call, pair, arg);
    error = nodes_sort(&nodes, node, nnodes, &arena);
    if (error == 0)
        error = expand(&nodes);
    arena_clear(&arena);
    return error;
}
