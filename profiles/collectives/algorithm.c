/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* algorithm.c - MPI libraries' choices as rows: library, operation, ranks,
 * bytes, algorithm; and what an algorithm sends */
#include "config.h"

#include "profiles/collectives/algorithm.h"

#include "profiles/collectives/openmpi_table.h"
#include "profiles/collectives/shapes.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BIT(n) (1U << (n))

enum operation {
    BCAST,
    REDUCE,
    ALLREDUCE,
    ALLGATHER,
    ALLTOALL,
    REDUCE_SCATTER,
    REDUCE_SCATTER_BLOCK,
    GATHER,
    SCATTER,
    SCAN,
    EXSCAN,
    OTHER, /* a barrier, for one */
    OPERATIONS
};

static const char *const names[OTHER] = {
    [BCAST] = "bcast",
    [REDUCE] = "reduce",
    [ALLREDUCE] = "allreduce",
    [ALLGATHER] = "allgather",
    [ALLTOALL] = "alltoall",
    [REDUCE_SCATTER] = "reduce_scatter",
    [REDUCE_SCATTER_BLOCK] = "reduce_scatter_block",
    [GATHER] = "gather",
    [SCATTER] = "scatter",
    [SCAN] = "scan",
    [EXSCAN] = "exscan",
};

enum algorithm {
    NONE,
    STAR,
    CHAIN,
    BINARY,
    BINARY_SPLIT,
    BINOMIAL,
    BINOMIAL_BLOCKS,
    BINOMIAL_HIGH,
    QUADNOMIAL,
    SCATTER_DOUBLING, /* a binomial scatter, and an allgather */
    SCATTER_RING,
    HALVES, /* a reduce by halves, and a gather */
    HALVES_EVEN,
    DOUBLING,
    DOUBLING_HALVES, /* there and back; too few elements: DOUBLING */
    DOUBLING_HALVES_EVEN,
    DOUBLING_BLOCKS,
    DOUBLING_OR_BRUCK, /* of a power of two, or not */
    DOUBLING_PARTS,
    DISSEMINATION,
    RING_REDUCE, /* an allreduce; too few elements: DOUBLING */
    RING_PARTS,
    RING_BLOCKS,
    BRUCK,
    BRUCK_ALLTOALL,
    NEIGHBOURS, /* an odd number of ranks: RING_BLOCKS */
    EACH,
    EACH_PART,
    AT_ONCE,
    BY_32,
    BY_4,
    BY_1,
    BY_1_XOR,
    PREFIX,
    REDUCE_THEN_BCAST,
    REDUCE_THEN_SCATTER,
};

/* The first row that holds for a call is its algorithm; 0 bounds nothing. */
struct library_rule {
    unsigned libraries, operations; /* bits */
    uint64_t ranks_below, bytes_below;
    enum {
        ALWAYS,
        IS_POWER,     /* of two, the number of ranks */
        OF_ALL,       /* bytes are those of all ranks together */
        POWER_OF_ALL, /* both */
        FEW_ELEMENTS, /* not more than ranks */
        NO_PARTS,     /* fewer elements than ranks, or their power of two */
        MANY_RANKS,   /* for their bytes, by Open MPI's line */
    } when;
    enum algorithm algorithm;
};

enum {
    MPICH = BIT(ALGORITHM_MPICH),
    OPEN = BIT(ALGORITHM_OPEN_MPI),
    NBC = BIT(ALGORITHM_LIBNBC),
    LIKE_MPICH = MPICH | BIT(ALGORITHM_MVAPICH) | BIT(ALGORITHM_SMPI),
    DIRECT = BIT(ALGORITHM_DIRECT),
    TREE = BIT(ALGORITHM_TREE),
    ANY = BIT(ALGORITHM_LIBRARIES) - 1,
};
#define SCATTERS (BIT(REDUCE_SCATTER) | BIT(REDUCE_SCATTER_BLOCK))
#define SCANS    (BIT(SCAN) | BIT(EXSCAN))

static const struct library_rule rules[] = {
    {TREE, BIT(BCAST) | BIT(REDUCE), 0, 0, ALWAYS, BINOMIAL},
    {TREE, BIT(GATHER) | BIT(SCATTER), 0, 0, ALWAYS, BINOMIAL_BLOCKS},
    {DIRECT, BIT(BCAST) | BIT(REDUCE) | BIT(GATHER) | BIT(SCATTER), 0, 0,
     ALWAYS, STAR},
    {DIRECT | TREE, BIT(ALLGATHER) | BIT(ALLTOALL), 0, 0, ALWAYS, EACH},
    {ANY, SCANS, 0, 0, ALWAYS, PREFIX},
    {DIRECT | TREE, BIT(OPERATIONS) - 1, 0, 0, IS_POWER, DOUBLING},
    {DIRECT | TREE, BIT(OPERATIONS) - 1, 0, 0, ALWAYS, DISSEMINATION},

    {NBC, BIT(BCAST), 5, 0, ALWAYS, STAR},
    {NBC, BIT(BCAST), 0, 0, ALWAYS, BINOMIAL_HIGH},
    {NBC, BIT(REDUCE), 3, 0, ALWAYS, BINOMIAL},
    {NBC, BIT(REDUCE), 0, 0, NO_PARTS, BINOMIAL},
    {NBC, BIT(REDUCE), 0, 0, ALWAYS, HALVES_EVEN},

    {OPEN, BIT(BCAST), 0, 2048, ALWAYS, BINOMIAL_HIGH},
    {OPEN, BIT(BCAST), 0, 370728, ALWAYS, BINARY_SPLIT},
    {OPEN, BIT(BCAST), 0, 0, ALWAYS, CHAIN},
    {OPEN, BIT(REDUCE), 8, 512, ALWAYS, STAR},
    {OPEN, BIT(REDUCE), 8, 20480, ALWAYS, BINOMIAL},
    {OPEN, BIT(REDUCE), 8, 0, ALWAYS, CHAIN},
    {OPEN, BIT(REDUCE), 0, 2048, ALWAYS, BINARY},
    {OPEN, BIT(REDUCE), 0, 0, MANY_RANKS, BINARY},
    {OPEN, BIT(REDUCE), 0, 0, ALWAYS, CHAIN},
    {OPEN, BIT(ALLREDUCE), 0, 10000, ALWAYS, DOUBLING},
    {OPEN, BIT(ALLREDUCE), 0, 0, FEW_ELEMENTS, DOUBLING},
    {OPEN, BIT(ALLREDUCE), 0, 0, ALWAYS, RING_REDUCE},
    {OPEN, BIT(ALLGATHER), 3, 0, ALWAYS, NEIGHBOURS},
    {OPEN, BIT(ALLGATHER), 0, 50000, OF_ALL, DOUBLING_OR_BRUCK},
    {OPEN, BIT(ALLGATHER), 0, 0, ALWAYS, NEIGHBOURS},
    {OPEN, BIT(ALLTOALL), 13, 3000, ALWAYS, AT_ONCE},
    {OPEN, BIT(ALLTOALL), 13, 0, ALWAYS, BY_1},
    {OPEN, BIT(ALLTOALL), 0, 200, ALWAYS, BRUCK_ALLTOALL},
    {OPEN, BIT(ALLTOALL), 0, 3000, ALWAYS, AT_ONCE},
    {OPEN, BIT(ALLTOALL), 0, 0, ALWAYS, BY_1},
    {OPEN, SCATTERS, 0, 12289, ALWAYS, DOUBLING_PARTS},
    {OPEN, SCATTERS, 0, 262145, IS_POWER, DOUBLING_PARTS},
    {OPEN, SCATTERS, 0, 0, ALWAYS, RING_PARTS},
    {OPEN, BIT(GATHER) | BIT(SCATTER), 11, 0, ALWAYS, STAR},
    {OPEN, BIT(SCATTER), 0, 300, ALWAYS, BINOMIAL_BLOCKS},
    {OPEN, BIT(GATHER), 61, 1024, ALWAYS, BINOMIAL_BLOCKS},
    {OPEN, BIT(GATHER), 61, 0, ALWAYS, STAR},
    {OPEN, BIT(GATHER), 0, 6001, ALWAYS, BINOMIAL_BLOCKS},
    {OPEN, BIT(GATHER) | BIT(SCATTER), 0, 0, ALWAYS, STAR},

    {LIKE_MPICH, BIT(BCAST), 8, 0, ALWAYS, BINOMIAL},
    {LIKE_MPICH, BIT(BCAST), 0, 12288, ALWAYS, BINOMIAL},
    {LIKE_MPICH, BIT(BCAST), 0, 524288, IS_POWER, SCATTER_DOUBLING},
    {LIKE_MPICH, BIT(BCAST), 0, 0, ALWAYS, SCATTER_RING},
    {LIKE_MPICH, BIT(REDUCE), 0, 2049, ALWAYS, BINOMIAL},
    {LIKE_MPICH, BIT(REDUCE), 0, 0, NO_PARTS, BINOMIAL},
    {LIKE_MPICH, BIT(REDUCE), 0, 0, ALWAYS, HALVES},
    {LIKE_MPICH, BIT(ALLREDUCE), 0, 2049, ALWAYS, DOUBLING},
    {LIKE_MPICH, BIT(ALLREDUCE), 0, 0, ALWAYS, DOUBLING_HALVES},
    {LIKE_MPICH, BIT(ALLGATHER), 0, 524288, POWER_OF_ALL, DOUBLING_BLOCKS},
    {LIKE_MPICH, BIT(ALLGATHER), 0, 81920, OF_ALL, BRUCK},
    {LIKE_MPICH, BIT(ALLGATHER), 0, 0, ALWAYS, RING_BLOCKS},
    {MPICH, BIT(ALLTOALL), 8, 32769, ALWAYS, BY_32},
    {LIKE_MPICH, BIT(ALLTOALL), 8, 32769, ALWAYS, BY_4},
    {LIKE_MPICH, BIT(ALLTOALL), 0, 257, ALWAYS, BRUCK_ALLTOALL},
    {MPICH, BIT(ALLTOALL), 0, 32769, ALWAYS, BY_32},
    {LIKE_MPICH, BIT(ALLTOALL), 0, 32769, ALWAYS, BY_4},
    {LIKE_MPICH, BIT(ALLTOALL), 0, 0, IS_POWER, BY_1_XOR},
    {LIKE_MPICH, BIT(ALLTOALL), 0, 0, ALWAYS, BY_1},
    {LIKE_MPICH, SCATTERS, 0, 524288, ALWAYS, DOUBLING_PARTS},
    {LIKE_MPICH, SCATTERS, 0, 0, ALWAYS, EACH_PART},
    {LIKE_MPICH, BIT(GATHER) | BIT(SCATTER), 0, 0, ALWAYS, BINOMIAL_BLOCKS},

    {ANY, BIT(OPERATIONS) - 1, 0, 0, ALWAYS, DOUBLING},
};

/* By Open MPI's numbers, coll_tuned_TYPE_algorithm. */
enum { NUMBERS = 10 };
static const enum algorithm numbered[OTHER][NUMBERS] = {
    [BCAST] = {NONE, STAR, CHAIN, CHAIN, BINARY_SPLIT, BINARY, BINOMIAL_HIGH,
               QUADNOMIAL, SCATTER_DOUBLING, SCATTER_RING},
    [REDUCE] = {NONE, STAR, CHAIN, CHAIN, BINARY, BINOMIAL, BINARY,
                HALVES_EVEN},
    [ALLREDUCE] = {NONE, DOUBLING, REDUCE_THEN_BCAST, DOUBLING, RING_REDUCE,
                   RING_REDUCE, DOUBLING_HALVES_EVEN},
    [ALLGATHER] = {NONE, RING_BLOCKS, BRUCK, DOUBLING_OR_BRUCK, RING_BLOCKS,
                   NEIGHBOURS},
    [ALLTOALL] = {NONE, AT_ONCE, BY_1, BRUCK_ALLTOALL, AT_ONCE},
    [REDUCE_SCATTER] = {NONE, REDUCE_THEN_SCATTER, DOUBLING_PARTS, RING_PARTS,
                        DOUBLING_PARTS},
    [REDUCE_SCATTER_BLOCK] = {NONE, REDUCE_THEN_SCATTER, DOUBLING_PARTS,
                              DOUBLING_PARTS, DOUBLING_PARTS},
    [GATHER] = {NONE, STAR, BINOMIAL_BLOCKS, STAR},
    [SCATTER] = {NONE, STAR, BINOMIAL_BLOCKS, STAR},
};

enum algorithm_library algorithm_library_of(const char *version)
{
    static const char open_mpi[] = "Open MPI v";
    const char *number = version ? strstr(version, open_mpi) : NULL;
    char *rest;

    if (number) {
        const long major = strtol(number + sizeof(open_mpi) - 1, &rest, 10);
        const long minor = *rest == '.' ? strtol(rest + 1, NULL, 10) : 0;

        return major >= 5                 ? ALGORITHM_OPEN_MPI_5
               : major == 4 && minor >= 1 ? ALGORITHM_OPEN_MPI_4_1
                                          : ALGORITHM_OPEN_MPI;
    }
    if (version && strstr(version, "Open MPI"))
        return ALGORITHM_OPEN_MPI;
    return version && strstr(version, "SMPI")      ? ALGORITHM_SMPI
           : version && strstr(version, "MVAPICH") ? ALGORITHM_MVAPICH
                                                   : ALGORITHM_MPICH;
}

static enum operation operation_of(const char *type)
{
    unsigned i = 0;

    while (i < OTHER && strcmp(type, names[i]) != 0)
        i++;
    return (enum operation)i;
}

static bool holds(const struct library_rule *rule, uint64_t n, uint64_t size)
{
    const bool of_all = rule->when == OF_ALL || rule->when == POWER_OF_ALL;
    const double bytes = (double)size * (of_all ? (double)n : 1);

    if ((rule->ranks_below > 0 && n >= rule->ranks_below) ||
        (rule->bytes_below > 0 && bytes >= (double)rule->bytes_below))
        return false;
    switch (rule->when) {
    case IS_POWER:
    case POWER_OF_ALL:
        return shape_is_power(n);
    case FEW_ELEMENTS:
        return size / 8 <= n;
    case NO_PARTS:
        return size / 8 < shape_power_below(n);
    case MANY_RANKS:
        return (double)n > 0.6016 / 1024 * (double)size + 1.3496;
    case ALWAYS:
    case OF_ALL:
        return true;
    }
    return true;
}

static enum algorithm choose(const struct algorithm_call *call, uint64_t size)
{
    const enum operation operation = operation_of(call->type);
    const struct library_rule *rule = rules;

    if (call->library == ALGORITHM_OPEN_MPI_4_1 ||
        call->library == ALGORITHM_OPEN_MPI_5) {
        const unsigned number = openmpi_table_find(
            call->type, call->n,
            operation == REDUCE_SCATTER_BLOCK ? size / call->n : size);

        if (number > 0)
            return numbered[operation][number];
    }
    while (!(rule->libraries & BIT(call->library)) ||
           !(rule->operations & BIT(operation)) || !holds(rule, call->n, size))
        rule++;
    return rule->algorithm;
}

static int run(const struct sending *s, uint64_t size, enum algorithm which);

/* A reduce to the first rank, and then a bcast or scatter of its result. */
static int reduce_then(const struct sending *s, uint64_t size, const char *type)
{
    struct algorithm_call call = *s->call;
    struct sending part = *s;
    int error;

    call.root = 0;
    call.type = names[REDUCE];
    part.call = &call;
    part.is_up = true;
    error = run(&part, size, choose(&call, size));
    if (error != 0)
        return error;
    call.type = type;
    part.is_up = false;
    part.stage += ALGORITHM_THEN;
    if (strcmp(type, names[SCATTER]) == 0) {
        call.bytes /= call.n;
        size /= call.n;
    }
    return run(&part, size, choose(&call, size));
}

static int run_trees(const struct sending *s, enum algorithm which)
{
    switch ((unsigned)which) {
    case CHAIN:
        return shape_chain(s);
    case BINARY:
    case BINARY_SPLIT:
        return shape_binary(s, which == BINARY_SPLIT);
    case BINOMIAL:
    case BINOMIAL_BLOCKS:
        return shape_binomial(s, which == BINOMIAL_BLOCKS, 1);
    case BINOMIAL_HIGH:
        return shape_binomial_high(s);
    case QUADNOMIAL:
        return shape_quadnomial(s);
    case SCATTER_DOUBLING:
    case SCATTER_RING:
        return shape_scatter_allgather(s, which == SCATTER_RING);
    default:
        return shape_star(s);
    }
}

static int run_exchanges(const struct sending *s, enum algorithm which)
{
    const uint64_t n = s->call->n;

    switch ((unsigned)which) {
    case DOUBLING_BLOCKS:
        return shape_doubling(s, shape_doubles, 1, 0);
    case DOUBLING_PARTS:
        return shape_doubling(s, shape_doubles, shape_power_below(n), 1);
    case DISSEMINATION:
        return shape_dissemination(s);
    case RING_PARTS:
        return shape_ring(s, n - 1, n);
    case BRUCK:
    case BRUCK_ALLTOALL:
        return shape_bruck(s, which == BRUCK_ALLTOALL);
    case NEIGHBOURS:
        if (n % 2 == 0)
            return shape_neighbours(s);
        return shape_ring(s, n - 1, 1);
    case RING_BLOCKS:
        return shape_ring(s, n - 1, 1);
    case EACH:
        return shape_each(s, 1);
    case EACH_PART:
        return shape_each(s, n);
    case AT_ONCE:
        return shape_scattered(s, n, false);
    case BY_32:
        return shape_scattered(s, 32, false);
    case BY_4:
        return shape_scattered(s, 4, false);
    case BY_1:
    case BY_1_XOR:
        return shape_scattered(s, 1, which == BY_1_XOR);
    case PREFIX:
        return shape_prefix(s);
    default:
        return shape_doubling(s, shape_whole, 1, 2);
    }
}

static int run(const struct sending *s, uint64_t size, enum algorithm which)
{
    const uint64_t n = s->call->n, power = shape_power_below(n);
    struct sending even = *s;

    even.even_stays = which == HALVES_EVEN || which == DOUBLING_HALVES_EVEN;
    switch ((unsigned)which) {
    case HALVES:
    case HALVES_EVEN:
        return shape_reduce_by_halves(&even);
    case DOUBLING_HALVES:
    case DOUBLING_HALVES_EVEN:
        even.messages = 2;
        return size / 8 >= power ? shape_doubling(&even, shape_halves, power, 2)
                                 : run_exchanges(s, DOUBLING);
    case RING_REDUCE:
        return size / 8 >= n ? shape_ring(s, 2 * (n - 1), n)
                             : run_exchanges(s, DOUBLING);
    case DOUBLING_OR_BRUCK:
        return run_exchanges(s, n == power ? DOUBLING_BLOCKS : BRUCK);
    case REDUCE_THEN_BCAST:
        return reduce_then(s, size, names[BCAST]);
    case REDUCE_THEN_SCATTER:
        return reduce_then(s, size, names[SCATTER]);
    default:
        return which < HALVES ? run_trees(s, which) : run_exchanges(s, which);
    }
}

int algorithm_expand(const struct algorithm_call *call,
                     algorithm_pair pair,
                     void *arg)
{
    const enum operation operation = operation_of(call->type);
    const struct sending s = {.call = call,
                              .pair = pair,
                              .arg = arg,
                              .messages = 1,
                              .is_up =
                                  operation == REDUCE || operation == GATHER};
    const uint64_t size = call->calls > 0 ? call->bytes / call->calls : 0;

    return call->n < 2 ? 0 : run(&s, size, choose(call, size));
}

uint64_t algorithm_most_pairs(const struct algorithm_call *call)
{
    const unsigned operation = BIT(operation_of(call->type));
    const bool is_direct = BIT(call->library) & (DIRECT | TREE);
    const uint64_t n = call->n, pairs = n * (n - 1) / 2;

    if (is_direct &&
        operation & (BIT(BCAST) | BIT(REDUCE) | BIT(GATHER) | BIT(SCATTER)))
        return n;
    if (is_direct)
        return operation & (BIT(ALLGATHER) | BIT(ALLTOALL)) ? pairs : 32 * n;
    return operation & (BIT(ALLTOALL) | SCATTERS) && pairs > 64 * n ? pairs
                                                                    : 64 * n;
}
