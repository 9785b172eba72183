/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* algorithm.c - MPI libraries' choices as rows: library, operation, ranks,
 * bytes, algorithm; and what an algorithm sends */
#include "config.h"

#include "profiles/collectives/algorithm.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

/* Shapes, and what is decided or put together here. */
enum {
    DOUBLING_OR_BRUCK = SHAPE_BY_1_XOR + 1, /* of a power of two, or not */
    REDUCE_THEN_BCAST,
    REDUCE_THEN_SCATTER,
    EVEN = 64, /* of two ranks that join the first stays */
};

/* The first row that holds for a call is its algorithm; 0 bounds nothing. */
struct library_rule {
    unsigned libraries, operations; /* bits */
    uint64_t ranks_below, bytes_below;
    enum {
        ALWAYS,
        IS_POWER,     /* of two, the number of ranks */
        IS_EVEN,      /* that number */
        OF_ALL,       /* bytes are those of all ranks together */
        POWER_OF_ALL, /* both */
        FEW_ELEMENTS, /* not more than ranks */
        NO_PARTS,     /* fewer elements than ranks, or their power of two */
        MANY_RANKS,   /* for their bytes, by Open MPI's line */
    } when;
    uint8_t algorithm;
};

enum {
    MPICH = BIT(ALGORITHM_MPICH),
    OPEN = BIT(ALGORITHM_OPEN_MPI),
    NBC = BIT(ALGORITHM_LIBNBC),
    SMPI = BIT(ALGORITHM_SMPI),
    LIKE_MPICH = MPICH | BIT(ALGORITHM_MVAPICH) | SMPI,
    DIRECT = BIT(ALGORITHM_DIRECT),
    TREE = BIT(ALGORITHM_TREE),
    TREES = BIT(ALGORITHM_TWO_TREES) | BIT(ALGORITHM_NVLS_TREE) |
            BIT(ALGORITHM_COLLNET_CHAIN) | BIT(ALGORITHM_COLLNET_DIRECT),
    PAT = BIT(ALGORITHM_PAT),
    REPORTED = BIT(ALGORITHM_RING) | BIT(ALGORITHM_NVLS) | TREES | PAT,
    ANY = BIT(ALGORITHM_LIBRARIES) - 1,
};
#define SCATTERS (BIT(REDUCE_SCATTER) | BIT(REDUCE_SCATTER_BLOCK))
#define SCANS    (BIT(SCAN) | BIT(EXSCAN))

static const struct library_rule rules[] = {
    {TREE, BIT(BCAST) | BIT(REDUCE), 0, 0, ALWAYS, SHAPE_BINOMIAL},
    {TREE, BIT(GATHER) | BIT(SCATTER), 0, 0, ALWAYS, SHAPE_BINOMIAL_BLOCKS},
    {DIRECT, BIT(BCAST) | BIT(REDUCE) | BIT(GATHER) | BIT(SCATTER), 0, 0,
     ALWAYS, SHAPE_STAR},
    {DIRECT | TREE, BIT(ALLGATHER) | BIT(ALLTOALL), 0, 0, ALWAYS, SHAPE_EACH},
    {ANY, SCANS, 0, 0, ALWAYS, SHAPE_PREFIX},

    {TREES, BIT(ALLREDUCE), 0, 0, ALWAYS, SHAPE_TWO_TREES},
    {PAT, BIT(ALLGATHER), 0, 0, ALWAYS, SHAPE_BRUCK},
    {PAT, SCATTERS, 0, 0, ALWAYS, SHAPE_DOUBLING_PARTS},
    {REPORTED, BIT(BCAST) | BIT(REDUCE), 0, 0, ALWAYS, SHAPE_CHAIN},
    {REPORTED, BIT(ALLREDUCE), 0, 0, ALWAYS, SHAPE_RING_REDUCE},
    {REPORTED, BIT(ALLGATHER), 0, 0, ALWAYS, SHAPE_RING_BLOCKS},
    {REPORTED, SCATTERS, 0, 0, ALWAYS, SHAPE_RING_PARTS},
    {REPORTED, BIT(GATHER) | BIT(SCATTER), 0, 0, ALWAYS, SHAPE_STAR},
    {REPORTED, BIT(ALLTOALL), 0, 0, ALWAYS, SHAPE_EACH},

    {DIRECT | TREE, BIT(OPERATIONS) - 1, 0, 0, IS_POWER, SHAPE_DOUBLING},
    {DIRECT | TREE, BIT(OPERATIONS) - 1, 0, 0, ALWAYS, SHAPE_DISSEMINATION},

    {NBC, BIT(BCAST), 5, 0, ALWAYS, SHAPE_STAR},
    {NBC, BIT(BCAST), 0, 0, ALWAYS, SHAPE_BINOMIAL_HIGH},
    {NBC, BIT(REDUCE), 3, 0, ALWAYS, SHAPE_BINOMIAL},
    {NBC, BIT(REDUCE), 0, 0, NO_PARTS, SHAPE_BINOMIAL},
    {NBC, BIT(REDUCE), 0, 0, ALWAYS, SHAPE_HALVES | EVEN},

    {OPEN, BIT(BCAST), 0, 2048, ALWAYS, SHAPE_BINOMIAL_HIGH},
    {OPEN, BIT(BCAST), 0, 370728, ALWAYS, SHAPE_BINARY_SPLIT},
    {OPEN, BIT(BCAST), 0, 0, ALWAYS, SHAPE_CHAIN},
    {OPEN, BIT(REDUCE), 8, 512, ALWAYS, SHAPE_STAR},
    {OPEN, BIT(REDUCE), 8, 20480, ALWAYS, SHAPE_BINOMIAL},
    {OPEN, BIT(REDUCE), 8, 0, ALWAYS, SHAPE_CHAIN},
    {OPEN, BIT(REDUCE), 0, 2048, ALWAYS, SHAPE_BINARY},
    {OPEN, BIT(REDUCE), 0, 0, MANY_RANKS, SHAPE_BINARY},
    {OPEN, BIT(REDUCE), 0, 0, ALWAYS, SHAPE_CHAIN},
    {OPEN, BIT(ALLREDUCE), 0, 10000, ALWAYS, SHAPE_DOUBLING},
    {OPEN, BIT(ALLREDUCE), 0, 0, FEW_ELEMENTS, SHAPE_DOUBLING},
    {OPEN, BIT(ALLREDUCE), 0, 0, ALWAYS, SHAPE_RING_REDUCE},
    {OPEN, BIT(ALLGATHER), 3, 0, ALWAYS, SHAPE_NEIGHBOURS},
    {OPEN, BIT(ALLGATHER), 0, 50000, OF_ALL, DOUBLING_OR_BRUCK},
    {OPEN, BIT(ALLGATHER), 0, 0, ALWAYS, SHAPE_NEIGHBOURS},
    {OPEN, BIT(ALLTOALL), 13, 3000, ALWAYS, SHAPE_AT_ONCE},
    {OPEN, BIT(ALLTOALL), 13, 0, ALWAYS, SHAPE_BY_1},
    {OPEN, BIT(ALLTOALL), 0, 200, ALWAYS, SHAPE_BRUCK_ALLTOALL},
    {OPEN, BIT(ALLTOALL), 0, 3000, ALWAYS, SHAPE_AT_ONCE},
    {OPEN, BIT(ALLTOALL), 0, 0, ALWAYS, SHAPE_BY_1},
    {OPEN, SCATTERS, 0, 12289, ALWAYS, SHAPE_DOUBLING_PARTS},
    {OPEN, SCATTERS, 0, 262145, IS_POWER, SHAPE_DOUBLING_PARTS},
    {OPEN, SCATTERS, 0, 0, ALWAYS, SHAPE_RING_PARTS},
    {OPEN, BIT(GATHER) | BIT(SCATTER), 11, 0, ALWAYS, SHAPE_STAR},
    {OPEN, BIT(SCATTER), 0, 300, ALWAYS, SHAPE_BINOMIAL_BLOCKS},
    {OPEN, BIT(GATHER), 61, 1024, ALWAYS, SHAPE_BINOMIAL_BLOCKS},
    {OPEN, BIT(GATHER), 61, 0, ALWAYS, SHAPE_STAR},
    {OPEN, BIT(GATHER), 0, 6001, ALWAYS, SHAPE_BINOMIAL_BLOCKS},
    {OPEN, BIT(GATHER) | BIT(SCATTER), 0, 0, ALWAYS, SHAPE_STAR},

    {SMPI, BIT(BCAST), 9, 0, ALWAYS, SHAPE_BINOMIAL},
    {LIKE_MPICH, BIT(BCAST), 8, 0, ALWAYS, SHAPE_BINOMIAL},
    {LIKE_MPICH, BIT(BCAST), 0, 12288, ALWAYS, SHAPE_BINOMIAL},
    {SMPI, BIT(BCAST), 0, 524288, IS_EVEN, SHAPE_SCATTER_DOUBLING},
    {LIKE_MPICH, BIT(BCAST), 0, 524288, IS_POWER, SHAPE_SCATTER_DOUBLING},
    {LIKE_MPICH, BIT(BCAST), 0, 0, ALWAYS, SHAPE_SCATTER_RING},
    {LIKE_MPICH, BIT(REDUCE), 0, 2049, ALWAYS, SHAPE_BINOMIAL},
    {LIKE_MPICH, BIT(REDUCE), 0, 0, NO_PARTS, SHAPE_BINOMIAL},
    {LIKE_MPICH, BIT(REDUCE), 0, 0, ALWAYS, SHAPE_HALVES},
    {LIKE_MPICH, BIT(ALLREDUCE), 0, 2049, ALWAYS, SHAPE_DOUBLING},
    {LIKE_MPICH, BIT(ALLREDUCE), 0, 0, ALWAYS, SHAPE_DOUBLING_HALVES},
    {LIKE_MPICH, BIT(ALLGATHER), 0, 524288, POWER_OF_ALL,
     SHAPE_DOUBLING_BLOCKS},
    {LIKE_MPICH, BIT(ALLGATHER), 0, 81920, OF_ALL, SHAPE_BRUCK},
    {LIKE_MPICH, BIT(ALLGATHER), 0, 0, ALWAYS, SHAPE_RING_BLOCKS},
    {MPICH, BIT(ALLTOALL), 8, 32769, ALWAYS, SHAPE_BY_32},
    {LIKE_MPICH, BIT(ALLTOALL), 8, 32769, ALWAYS, SHAPE_BY_4},
    {LIKE_MPICH, BIT(ALLTOALL), 0, 257, ALWAYS, SHAPE_BRUCK_ALLTOALL},
    {MPICH, BIT(ALLTOALL), 0, 32769, ALWAYS, SHAPE_BY_32},
    {LIKE_MPICH, BIT(ALLTOALL), 0, 32769, ALWAYS, SHAPE_BY_4},
    {SMPI, BIT(ALLTOALL), 0, 0, ALWAYS, SHAPE_BY_1},
    {LIKE_MPICH, BIT(ALLTOALL), 0, 0, IS_POWER, SHAPE_BY_1_XOR},
    {LIKE_MPICH, BIT(ALLTOALL), 0, 0, ALWAYS, SHAPE_BY_1},
    {LIKE_MPICH, SCATTERS, 0, 524288, ALWAYS, SHAPE_DOUBLING_PARTS},
    {LIKE_MPICH, SCATTERS, 0, 0, ALWAYS, SHAPE_EACH_PARTS},
    {LIKE_MPICH, BIT(GATHER) | BIT(SCATTER), 0, 0, ALWAYS,
     SHAPE_BINOMIAL_BLOCKS},

    {ANY, BIT(OPERATIONS) - 1, 0, 0, ALWAYS, SHAPE_DOUBLING},
};

/* Open MPI's from 4.1 on: the number of an algorithm for fewer ranks than
 * 2^ranks and messages of less than 2^bytes bytes, 63: any; the first that
 * holds. The same in coll_tuned_decision_fixed.c from 4.1.0 to 5.0.9. */
struct numbered_rule {
    uint8_t ranks, bytes, number;
};
static const struct numbered_rule allgather[] = {
    {5, 63, 3},  {6, 10, 3}, {6, 16, 5}, {6, 63, 4},  {7, 9, 3},   {7, 16, 5},
    {7, 63, 4},  {8, 9, 3},  {8, 17, 5}, {8, 19, 4},  {8, 20, 5},  {8, 63, 4},
    {9, 5, 3},   {9, 7, 2},  {9, 10, 3}, {9, 17, 5},  {9, 19, 4},  {9, 20, 5},
    {9, 63, 4},  {10, 6, 3}, {10, 8, 2}, {10, 11, 3}, {10, 63, 5}, {11, 2, 3},
    {11, 3, 2},  {11, 4, 3}, {11, 5, 2}, {11, 8, 3},  {11, 9, 2},  {11, 12, 3},
    {11, 63, 5}, {12, 5, 2}, {12, 7, 3}, {12, 9, 2},  {12, 12, 3}, {12, 63, 5},
    {63, 1, 3},  {63, 3, 2}, {63, 4, 3}, {63, 9, 2},  {63, 12, 3}, {63, 63, 5}};
static const struct numbered_rule allreduce[] = {
    {2, 3, 4},   {2, 12, 3},  {2, 13, 4},  {2, 14, 3},  {2, 16, 4},
    {2, 18, 5},  {2, 63, 6},  {3, 4, 4},   {3, 13, 3},  {3, 63, 6},
    {4, 13, 3},  {4, 63, 6},  {5, 6, 5},   {5, 12, 3},  {5, 63, 6},
    {6, 7, 5},   {6, 63, 6},  {7, 18, 3},  {7, 63, 6},  {8, 17, 2},
    {8, 18, 3},  {8, 63, 6},  {9, 12, 2},  {9, 63, 6},  {11, 11, 2},
    {11, 14, 3}, {11, 63, 6}, {12, 11, 2}, {12, 12, 5}, {12, 14, 3},
    {12, 63, 6}, {63, 11, 2}, {63, 14, 5}, {63, 15, 3}, {63, 63, 6}};
static const struct numbered_rule alltoall[] = {
    {3, 13, 4},  {3, 14, 1},  {3, 16, 4},  {3, 19, 1},  {3, 20, 2},
    {3, 63, 1},  {4, 18, 4},  {4, 63, 1},  {5, 2, 4},   {5, 9, 3},
    {5, 13, 4},  {5, 15, 1},  {5, 18, 4},  {5, 19, 1},  {5, 63, 4},
    {6, 9, 3},   {6, 19, 1},  {6, 63, 4},  {7, 10, 3},  {7, 11, 1},
    {7, 12, 4},  {7, 18, 1},  {7, 63, 2},  {8, 10, 3},  {8, 11, 4},
    {8, 18, 1},  {8, 63, 2},  {9, 10, 3},  {9, 13, 4},  {9, 15, 1},
    {9, 63, 2},  {10, 9, 3},  {10, 13, 4}, {10, 14, 1}, {10, 17, 4},
    {10, 18, 1}, {10, 63, 2}, {11, 9, 3},  {11, 10, 4}, {11, 11, 1},
    {11, 14, 4}, {11, 18, 1}, {11, 63, 4}, {12, 10, 3}, {12, 12, 4},
    {12, 13, 1}, {12, 17, 4}, {12, 63, 1}, {63, 11, 3}, {63, 13, 4},
    {63, 14, 1}, {63, 15, 4}, {63, 16, 1}, {63, 63, 4}};
static const struct numbered_rule bcast[] = {
    {2, 5, 3},   {2, 8, 5},   {2, 9, 3},   {2, 10, 7},  {2, 15, 1},
    {2, 17, 5},  {2, 18, 2},  {2, 19, 1},  {2, 20, 6},  {2, 63, 5},
    {3, 6, 5},   {3, 7, 6},   {3, 11, 5},  {3, 13, 6},  {3, 20, 1},
    {3, 63, 2},  {4, 3, 7},   {4, 6, 5},   {4, 12, 7},  {4, 14, 5},
    {4, 15, 6},  {4, 63, 1},  {5, 12, 7},  {5, 20, 6},  {5, 63, 8},
    {6, 11, 6},  {6, 63, 7},  {7, 63, 7},  {8, 1, 6},   {8, 14, 5},
    {8, 15, 1},  {8, 16, 5},  {8, 63, 7},  {10, 14, 7}, {10, 15, 4},
    {10, 63, 7}, {11, 19, 7}, {11, 63, 8}, {12, 18, 7}, {12, 63, 8},
    {63, 13, 7}, {63, 14, 5}, {63, 18, 7}, {63, 63, 8}};
static const struct numbered_rule gather[] = {
    {2, 1, 3},  {2, 2, 1},  {2, 15, 2}, {2, 16, 1}, {2, 17, 2}, {2, 63, 3},
    {3, 10, 2}, {3, 13, 1}, {3, 15, 2}, {3, 18, 1}, {3, 63, 3}, {8, 63, 2},
    {9, 11, 2}, {9, 13, 1}, {9, 63, 2}, {63, 63, 2}};
static const struct numbered_rule reduce[] = {
    {2, 3, 7},   {2, 4, 4},   {2, 5, 3},   {2, 18, 1},  {2, 19, 3}, {2, 20, 2},
    {2, 63, 3},  {3, 12, 4},  {3, 16, 2},  {3, 18, 5},  {3, 19, 1}, {3, 20, 5},
    {3, 63, 1},  {4, 13, 4},  {4, 63, 5},  {5, 12, 4},  {5, 63, 5}, {8, 63, 5},
    {9, 13, 5},  {9, 14, 6},  {9, 63, 5},  {11, 63, 5}, {12, 9, 5}, {12, 10, 6},
    {12, 13, 5}, {12, 14, 6}, {12, 63, 5}, {63, 4, 5},  {63, 5, 6}, {63, 10, 5},
    {63, 11, 6}, {63, 13, 5}, {63, 14, 6}, {63, 63, 5}};
static const struct numbered_rule reduce_scatter[] = {
    {2, 16, 3},  {2, 17, 4},  {2, 63, 3},  {3, 3, 1},  {3, 18, 2},
    {3, 63, 3},  {5, 18, 2},  {5, 63, 3},  {6, 6, 1},  {6, 11, 2},
    {6, 19, 4},  {6, 63, 3},  {7, 8, 1},   {7, 9, 2},  {7, 11, 4},
    {7, 12, 2},  {7, 63, 4},  {8, 8, 1},   {8, 9, 2},  {8, 63, 4},
    {9, 8, 1},   {9, 10, 2},  {9, 63, 4},  {10, 9, 1}, {10, 11, 2},
    {10, 13, 4}, {10, 14, 2}, {10, 63, 4}, {11, 9, 1}, {11, 12, 2},
    {11, 14, 4}, {11, 15, 2}, {11, 63, 4}, {12, 9, 1}, {12, 12, 2},
    {12, 63, 4}, {63, 10, 1}, {63, 13, 2}, {63, 63, 4}};
static const struct numbered_rule reduce_scatter_block[] = {
    {2, 2, 2},   {2, 3, 4},  {2, 4, 3},  {2, 7, 4},  {2, 8, 3},  {2, 12, 4},
    {2, 13, 3},  {2, 17, 4}, {2, 63, 1}, {3, 3, 3},  {3, 5, 2},  {3, 8, 4},
    {3, 13, 3},  {3, 14, 4}, {3, 20, 3}, {3, 63, 1}, {4, 2, 1},  {4, 5, 3},
    {4, 7, 4},   {4, 19, 3}, {4, 22, 1}, {4, 63, 4}, {5, 5, 1},  {5, 19, 3},
    {5, 21, 1},  {5, 22, 3}, {5, 63, 4}, {63, 2, 3}, {63, 4, 1}, {63, 16, 4},
    {63, 18, 1}, {63, 63, 4}};
static const struct numbered_rule scatter[] = {
    {2, 1, 3},  {2, 17, 1}, {2, 18, 3}, {2, 63, 1}, {3, 11, 2}, {3, 12, 1},
    {3, 13, 2}, {3, 15, 1}, {3, 20, 3}, {3, 63, 1}, {4, 14, 2}, {4, 20, 3},
    {4, 63, 1}, {5, 14, 2}, {5, 15, 1}, {5, 63, 3}, {6, 9, 2},  {6, 13, 3},
    {6, 14, 2}, {6, 63, 3}, {63, 9, 2}, {63, 63, 3}};
static const struct numbered_rule *const tables[OTHER] = {
    [BCAST] = bcast,
    [REDUCE] = reduce,
    [ALLREDUCE] = allreduce,
    [ALLGATHER] = allgather,
    [ALLTOALL] = alltoall,
    [REDUCE_SCATTER] = reduce_scatter,
    [REDUCE_SCATTER_BLOCK] = reduce_scatter_block,
    [GATHER] = gather,
    [SCATTER] = scatter,
};
/* Those numbers, coll_tuned_TYPE_algorithm. */
enum { NUMBERS = 10 };
static const uint8_t numbered[OTHER][NUMBERS] = {
    [BCAST] = {SHAPE_NONE, SHAPE_STAR, SHAPE_CHAIN, SHAPE_CHAIN,
               SHAPE_BINARY_SPLIT, SHAPE_BINARY, SHAPE_BINOMIAL_HIGH,
               SHAPE_QUADNOMIAL, SHAPE_SCATTER_DOUBLING, SHAPE_SCATTER_RING},
    [REDUCE] = {SHAPE_NONE, SHAPE_STAR, SHAPE_CHAIN, SHAPE_CHAIN, SHAPE_BINARY,
                SHAPE_BINOMIAL, SHAPE_BINARY, SHAPE_HALVES | EVEN},
    [ALLREDUCE] = {SHAPE_NONE, SHAPE_DOUBLING, REDUCE_THEN_BCAST,
                   SHAPE_DOUBLING, SHAPE_RING_REDUCE, SHAPE_RING_REDUCE,
                   SHAPE_DOUBLING_HALVES | EVEN},
    [ALLGATHER] = {SHAPE_NONE, SHAPE_RING_BLOCKS, SHAPE_BRUCK,
                   DOUBLING_OR_BRUCK, SHAPE_RING_BLOCKS, SHAPE_NEIGHBOURS},
    [ALLTOALL] = {SHAPE_NONE, SHAPE_AT_ONCE, SHAPE_BY_1, SHAPE_BRUCK_ALLTOALL,
                  SHAPE_AT_ONCE},
    [REDUCE_SCATTER] = {SHAPE_NONE, REDUCE_THEN_SCATTER, SHAPE_DOUBLING_PARTS,
                        SHAPE_RING_PARTS, SHAPE_DOUBLING_PARTS},
    [REDUCE_SCATTER_BLOCK] = {SHAPE_NONE, REDUCE_THEN_SCATTER,
                              SHAPE_DOUBLING_PARTS, SHAPE_DOUBLING_PARTS,
                              SHAPE_DOUBLING_PARTS},
    [GATHER] = {SHAPE_NONE, SHAPE_STAR, SHAPE_BINOMIAL_BLOCKS, SHAPE_STAR},
    [SCATTER] = {SHAPE_NONE, SHAPE_STAR, SHAPE_BINOMIAL_BLOCKS, SHAPE_STAR},
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

/* In the order of enum algorithm_library. */
static const char *const reported[] = {
    "ring",          "nvls",           "tree", "nvls_tree",
    "collnet_chain", "collnet_direct", "pat"};
_Static_assert(sizeof(reported) / sizeof(reported[0]) ==
                   ALGORITHM_LIBRARIES - ALGORITHM_RING,
               "a word each");

enum algorithm_library algorithm_reported(const char *word)
{
    unsigned library = ALGORITHM_RING;

    while (library < ALGORITHM_LIBRARIES &&
           strcasecmp(word, reported[library - ALGORITHM_RING]) != 0)
        library++;
    return (enum algorithm_library)library;
}

const char *algorithm_word(enum algorithm_library library)
{
    return library >= ALGORITHM_RING && library < ALGORITHM_LIBRARIES
               ? reported[library - ALGORITHM_RING]
               : NULL;
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
    case IS_EVEN:
        return n % 2 == 0;
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

/* By the table of that operation, of whose blocks `size` bytes are one. */
static uint8_t choose_number(enum operation operation,
                             uint64_t n,
                             uint64_t size)
{
    const struct numbered_rule *rule = tables[operation];

    while (n >> rule->ranks || size >> rule->bytes)
        rule++;
    return numbered[operation][rule->number];
}

static unsigned choose(const struct algorithm_call *call, uint64_t size)
{
    const enum operation operation = operation_of(call->type);
    const struct library_rule *rule = rules;

    if ((call->library == ALGORITHM_OPEN_MPI_4_1 ||
         call->library == ALGORITHM_OPEN_MPI_5) &&
        operation < OTHER && tables[operation])
        return choose_number(operation, call->n,
                             operation == REDUCE_SCATTER_BLOCK ? size / call->n
                                                               : size);
    while (!(rule->libraries & BIT(call->library)) ||
           !(rule->operations & BIT(operation)) || !holds(rule, call->n, size))
        rule++;
    return rule->algorithm;
}

static int run(const struct sending *s, uint64_t size, unsigned which);

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

static int run(const struct sending *s, uint64_t size, unsigned which)
{
    const uint64_t n = s->call->n, power = shape_power_below(n),
                   elements = size / 8;
    struct sending part = *s;

    part.even_stays = which & EVEN;
    which &= ~(unsigned)EVEN;
    if (which >= REDUCE_THEN_BCAST)
        return reduce_then(s, size,
                           names[which == REDUCE_THEN_BCAST ? BCAST : SCATTER]);
    if (which == DOUBLING_OR_BRUCK)
        which = n == power ? SHAPE_DOUBLING_BLOCKS : SHAPE_BRUCK;
    if ((which == SHAPE_DOUBLING_HALVES && elements < power) ||
        (which == SHAPE_RING_REDUCE && elements < n &&
         !algorithm_word(s->call->library))) {
        which = SHAPE_DOUBLING;
        part.even_stays = false;
    }
    return shape_run(&part, (enum shape)which);
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
