/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_by_node_openmpi.c - what goes between nodes, as Open MPI 5.0.7 sent it
 */
#include "config.h"

#include "unit.h"

#include "profiles/collectives/by_node.h"

enum { RANKS = 16 };

/* Ranks on some nodes, dealt in blocks or one by one; one call. The bytes that
 * its second call of a program of its own handed over, counted where it sends
 * (mca_pml); on nodes that a private Slurm made, and then of pairs on different
 * nodes alone. */
struct row {
    const char *type;
    uint64_t bytes, root;
    uint32_t ranks, nodes; /* 0: not by node */
    bool cyclic;
    const char *sent; /* "FROM>TO:BYTES ..." */
};

struct pairs {
    uint64_t bytes[RANKS][RANKS];
};

static int add(void *arg, const struct algorithm_flow *flow)
{
    struct pairs *pairs = arg;
    const uint64_t back = flow->way == ALGORITHM_BOTH   ? flow->bytes / 2
                          : flow->way == ALGORITHM_BACK ? flow->bytes
                                                        : 0;

    pairs->bytes[flow->a][flow->b] += flow->bytes - back;
    pairs->bytes[flow->b][flow->a] += back;
    return 0;
}

static void read_sent(struct pairs *out, const char *text)
{
    unsigned from, to;
    int n;

    for (unsigned long bytes;
         sscanf(text, "%u>%u:%lu %n", &from, &to, &bytes, &n) == 3; text += n)
        out->bytes[from][to] = bytes;
    assert_string_equal(text, "");
}

static void check_row(const struct row *row, enum algorithm_library library)
{
    const struct algorithm_call call = {.type = row->type,
                                        .library = library,
                                        .n = row->ranks,
                                        .root = row->root,
                                        .in_stages = true,
                                        .calls = 1,
                                        .bytes = row->bytes};
    struct pairs wanted = {{{0}}}, found = {{{0}}};
    struct mapcore_error err = {""};
    uint32_t node[RANKS];

    for (uint32_t r = 0; r < row->ranks; r++)
        node[r] = row->nodes == 0 ? r
                  : row->cyclic   ? r % row->nodes
                                  : r / (row->ranks / row->nodes);
    assert_int_equal(by_node_is(row->type, library), row->nodes > 0);
    assert_ok(by_node_expand(&call, node, row->ranks, add, &found, &err));
    read_sent(&wanted, row->sent);
    for (size_t a = 0; a < row->ranks; a++)
        for (size_t b = 0; b < row->ranks; b++)
            if (node[a] != node[b] && found.bytes[a][b] != wanted.bytes[a][b])
                fail_msg("%s of %lu from %lu, %u ranks on %u nodes: %zu to "
                         "%zu: %lu, not %lu",
                         row->type, (unsigned long)row->bytes,
                         (unsigned long)row->root, row->ranks, row->nodes, a, b,
                         (unsigned long)found.bytes[a][b],
                         (unsigned long)wanted.bytes[a][b]);
}

static void as_it_was_sent(void **state)
{
    static const struct row rows[] = {
        {"bcast", 1024, 0, 16, 4, false, "0>4:1024 0>8:1024 4>12:1024"},
        {"bcast", 1024, 0, 16, 4, true, "0>1:1024 0>2:1024 1>3:1024"},
        {"bcast", 1024, 0, 16, 8, false,
         "0>2:1024 0>4:1024 0>6:1024 0>8:1024 8>10:1024 8>12:1024 "
         "8>14:1024"},
        {"bcast", 1024, 5, 16, 4, false, "5>9:1024 5>13:1024 9>1:1024"},
        {"bcast", 1024, 5, 16, 4, true, "5>6:1024 5>7:1024 6>4:1024"},
        {"bcast", 1024, 5, 16, 8, false,
         "5>7:1024 5>9:1024 5>11:1024 5>13:1024 13>1:1024 13>3:1024 "
         "13>15:1024"},
        {"bcast", 200000, 0, 16, 4, false, "0>4:200000 0>8:200000 0>12:200000"},
        {"bcast", 200000, 0, 16, 4, true, "0>1:200000 0>2:200000 0>3:200000"},
        {"bcast", 200000, 0, 16, 8, false,
         "0>2:200000 0>4:200000 0>6:65536 0>8:200000 0>10:65536 "
         "0>12:65536 0>14:65536 2>6:134464 2>10:134464 4>12:134464 "
         "6>14:134464"},
        {"reduce", 1024, 5, 16, 4, false,
         "1>5:1024 1>9:256 5>1:512 5>13:256 9>1:512 9>13:512 "
         "13>5:512 13>9:512"},
        {"reduce", 1024, 5, 16, 4, true,
         "4>5:1024 4>6:256 5>4:512 5>7:256 6>4:512 6>7:512 7>5:512 "
         "7>6:512"},
        {"reduce", 1024, 5, 16, 8, false,
         "1>3:512 1>5:512 1>9:128 3>1:512 3>7:512 3>11:128 5>1:256 "
         "5>7:512 5>13:128 7>3:256 7>5:1024 7>15:128 9>1:256 "
         "9>11:512 9>13:256 11>3:256 11>9:512 11>15:256 13>5:256 "
         "13>9:256 13>15:512 15>7:256 15>11:256 15>13:512"},
        {"reduce", 40000, 0, 16, 4, false,
         "0>4:20000 0>8:10000 4>0:40000 4>12:10000 8>0:20000 "
         "8>12:20000 12>4:20000 12>8:20000"},
        {"reduce", 40000, 0, 16, 4, true,
         "0>1:20000 0>2:10000 1>0:40000 1>3:10000 2>0:20000 "
         "2>3:20000 3>1:20000 3>2:20000"},
        {"reduce", 40000, 0, 16, 8, false,
         "0>2:20000 0>4:10000 0>8:5000 2>0:40000 2>6:10000 2>10:5000 "
         "4>0:20000 4>6:20000 4>12:5000 6>2:20000 6>4:20000 "
         "6>14:5000 8>0:10000 8>10:20000 8>12:10000 10>2:10000 "
         "10>8:20000 10>14:10000 12>4:10000 12>8:10000 12>14:20000 "
         "14>6:10000 14>10:10000 14>12:20000"},
        {"reduce", 40, 0, 16, 8, false,
         "2>0:40 4>0:40 6>4:40 8>0:40 10>8:40 12>8:40 14>12:40"},
        {"allreduce", 1024, 0, 16, 4, false,
         "0>4:1536 0>8:1280 0>12:1024 4>0:1024 4>12:256 8>0:512 "
         "8>12:512 12>4:512 12>8:512"},
        {"allreduce", 1024, 0, 16, 8, false,
         "0>2:1536 0>4:1280 0>8:1152 2>0:1024 2>6:1280 2>10:1152 "
         "4>0:512 4>6:512 4>12:1152 6>2:512 6>4:512 6>14:1152 "
         "8>0:256 8>10:512 8>12:256 10>2:256 10>8:512 10>14:256 "
         "12>4:256 12>8:256 12>14:512 14>6:256 14>10:256 14>12:512"},
        {"allreduce", 8, 0, 16, 4, false,
         "0>4:8 0>8:8 0>12:8 4>0:8 8>0:8 12>8:8"},
        {"allreduce", 8, 0, 16, 8, false,
         "0>2:8 0>4:8 0>8:8 2>0:8 2>6:8 2>10:8 4>0:8 4>12:8 6>4:8 "
         "6>14:8 8>0:8 10>8:8 12>8:8 14>12:8"},
        {"allreduce", 200000, 0, 16, 4, false,
         "0>4:300000 0>8:250000 0>12:200000 4>0:200000 4>12:50000 "
         "8>0:100000 8>12:100000 12>4:100000 12>8:100000"},
        {"allreduce", 200000, 0, 16, 8, false,
         "0>2:300000 0>4:250000 0>8:225000 2>0:200000 2>6:250000 "
         "2>10:225000 4>0:100000 4>6:100000 4>12:225000 6>2:100000 "
         "6>4:100000 6>14:225000 8>0:50000 8>10:100000 8>12:50000 "
         "10>2:50000 10>8:100000 10>14:50000 12>4:50000 12>8:50000 "
         "12>14:100000 14>6:50000 14>10:50000 14>12:100000"},
        {"allgather", 1024, 0, 16, 4, false,
         "0>4:4096 0>8:8192 4>0:4096 4>12:8192 8>0:8192 8>12:4096 "
         "12>4:8192 12>8:4096"},
        {"allgather", 1024, 0, 16, 8, false,
         "0>2:2048 0>4:4096 0>8:8192 2>0:2048 2>6:4096 2>10:8192 "
         "4>0:4096 4>6:2048 4>12:8192 6>2:4096 6>4:2048 6>14:8192 "
         "8>0:8192 8>10:2048 8>12:4096 10>2:8192 10>8:2048 "
         "10>14:4096 12>4:8192 12>8:4096 12>14:2048 14>6:8192 "
         "14>10:4096 14>12:2048"},
        {"gather", 1024, 0, 16, 4, false, "4>0:4096 8>0:4096 12>0:4096"},
        {"gather", 1024, 0, 16, 4, true, "1>0:4096 2>0:4096 3>0:4096"},
        {"gather", 1024, 0, 16, 8, false,
         "2>0:2048 4>0:4096 6>4:2048 8>0:8192 10>8:2048 12>8:4096 "
         "14>12:2048"},
        {"gather", 1024, 5, 16, 4, false, "1>5:4096 9>5:4096 13>5:4096"},
        {"gather", 1024, 5, 16, 4, true, "4>5:4096 6>5:4096 7>5:4096"},
        {"gather", 1024, 5, 16, 8, false,
         "1>13:4096 3>1:2048 7>5:2048 9>5:4096 11>9:2048 13>5:8192 "
         "15>13:2048"},
        {"scatter", 1024, 0, 16, 4, false, "0>4:4096 0>8:8192 8>12:4096"},
        {"scatter", 1024, 0, 16, 8, false,
         "0>2:2048 0>4:4096 0>8:8192 4>6:2048 8>10:2048 8>12:4096 "
         "12>14:2048"},
        {"allreduce", 1024, 0, 16, 4, true,
         "0>1:1536 0>2:1280 0>3:1024 1>0:1024 1>3:256 2>0:512 "
         "2>3:512 3>1:512 3>2:512"},
        {"allreduce", 8, 0, 16, 4, true, "0>1:8 0>2:8 0>3:8 1>0:8 2>0:8 3>2:8"},
        {"allreduce", 200000, 0, 16, 4, true,
         "0>1:300000 0>2:250000 0>3:200000 1>0:200000 1>3:50000 "
         "2>0:100000 2>3:100000 3>1:100000 3>2:100000"},
        {"allgather", 1024, 0, 16, 4, true,
         "0>1:4096 0>2:8192 1>0:4096 1>3:8192 2>0:8192 2>3:4096 "
         "3>1:8192 3>2:4096"},
        {"scatter", 1024, 0, 16, 4, true, "0>1:4096 0>2:8192 2>3:4096"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check_row(&rows[i], ALGORITHM_OPEN_MPI_5);
}

/* The same on one node, of 4.1.4. */
static void as_it_was_sent_by_rank(void **state)
{
    static const struct row rows[] = {
        {"bcast", 480, 3, 5, 0, false, "0>2:480 3>0:480 3>4:480 4>1:480"},
        {"bcast", 9600, 0, 5, 0, false, "0>1:9600 0>2:9600 0>3:9600 0>4:9600"},
        {"bcast", 1920, 3, 12, 0, false,
         "3>4:1920 3>5:1920 3>6:1920 3>7:1920 3>11:1920 7>8:1920 "
         "7>9:1920 7>10:1920 11>0:1920 11>1:1920 11>2:1920"},
        {"bcast", 9600, 0, 12, 0, false,
         "0>1:9600 0>2:9600 1>3:9600 1>5:9600 2>4:9600 2>6:9600 "
         "3>7:9600 3>11:9600 4>8:9600 5>9:9600 6>10:9600"},
        {"reduce", 1920, 3, 5, 0, false, "0>3:1920 1>4:1920 2>0:1920 4>3:1920"},
        {"reduce", 9600, 0, 12, 0, false,
         "1>0:9600 2>0:9600 3>2:9600 4>0:9600 5>4:9600 6>4:9600 "
         "7>6:9600 8>0:9600 9>8:9600 10>8:9600 11>10:9600"},
        {"allreduce", 8, 0, 5, 0, false,
         "0>1:8 1>0:8 1>2:8 1>3:8 2>1:8 2>4:8 3>1:8 3>4:8 4>2:8 "
         "4>3:8"},
        {"allreduce", 9600, 0, 5, 0, false,
         "0>1:14400 0>2:9600 0>3:4800 1>0:9600 2>0:9600 2>4:4800 "
         "3>0:4800 3>4:9600 4>2:4800 4>3:9600"},
        {"allgather", 480, 0, 5, 0, false,
         "0>1:480 0>3:960 0>4:480 1>0:480 1>2:480 1>4:960 2>0:960 "
         "2>1:480 2>3:480 3>1:960 3>2:480 3>4:480 4>0:480 4>2:960 "
         "4>3:480"},
        {"allgather", 9600, 0, 8, 0, false,
         "0>1:9600 0>2:19200 0>4:38400 1>0:9600 1>3:19200 1>5:38400 "
         "2>0:19200 2>3:9600 2>6:38400 3>1:19200 3>2:9600 3>7:38400 "
         "4>0:38400 4>5:9600 4>6:19200 5>1:38400 5>4:9600 5>7:19200 "
         "6>2:38400 6>4:19200 6>7:9600 7>3:38400 7>5:19200 7>6:9600"},
        {"gather", 480, 3, 5, 0, false, "0>3:960 1>0:480 2>3:480 4>3:480"},
        {"gather", 480, 0, 12, 0, false,
         "1>0:480 2>0:960 3>2:480 4>0:1920 5>4:480 6>4:960 7>6:480 "
         "8>0:1920 9>8:480 10>8:960 11>10:480"},
        {"scatter", 9600, 3, 5, 0, false,
         "3>0:9600 3>1:9600 3>2:9600 3>4:9600"},
        {"scatter", 480, 3, 5, 0, false, "0>1:480 3>0:960 3>2:480 3>4:480"},
        {"alltoall", 480, 0, 5, 0, false,
         "0>1:480 0>2:480 0>3:480 0>4:480 1>0:480 1>2:480 1>3:480 "
         "1>4:480 2>0:480 2>1:480 2>3:480 2>4:480 3>0:480 3>1:480 "
         "3>2:480 3>4:480 4>0:480 4>1:480 4>2:480 4>3:480"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check_row(&rows[i], ALGORITHM_OPEN_MPI_4_1);
}

/* A rank more on one node than on others: by rank, but for allreduces. */
static void uneven_nodes(void **state)
{
    static const char *const types[] = {"bcast",  "reduce",  "allgather",
                                        "gather", "scatter", "allreduce"};
    static const uint32_t node[] = {0, 0, 0, 1, 1, 2, 2};

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        const struct algorithm_call call = {.type = types[i],
                                            .library = ALGORITHM_OPEN_MPI_5,
                                            .n = 7,
                                            .root = 2,
                                            .in_stages = true,
                                            .calls = 1,
                                            .bytes = 100};
        struct pairs by_rank = {{{0}}}, found = {{{0}}};
        struct mapcore_error err = {""};

        assert_ok(by_node_expand(&call, node, 3, add, &found, &err));
        assert_ok(algorithm_expand(&call, add, &by_rank));
        assert_int_equal(memcmp(&found, &by_rank, sizeof(found)) == 0,
                         strcmp(types[i], "allreduce") != 0);
    }
}

/* The version decides. */
static void the_library(void **state)
{
    static const struct {
        const char *version;
        enum algorithm_library library;
    } rows[] = {
        {"Open MPI v5.0.7, package: Debian OpenMPI", ALGORITHM_OPEN_MPI_5},
        {"Open MPI v10.1", ALGORITHM_OPEN_MPI_5},
        {"Open MPI v4.1.4, package: Debian OpenMPI", ALGORITHM_OPEN_MPI_4_1},
        {"Open MPI v4.0.7", ALGORITHM_OPEN_MPI},
        {"Open MPI", ALGORITHM_OPEN_MPI},
        {"MPICH Version: 4.0.2", ALGORITHM_MPICH},
        {NULL, ALGORITHM_MPICH},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(algorithm_library_of(rows[i].version),
                         rows[i].library);
    assert_true(by_node_is("scatter", ALGORITHM_OPEN_MPI_5));
    assert_false(by_node_is("scatter", ALGORITHM_MPICH));
    assert_false(by_node_is("bcast", ALGORITHM_OPEN_MPI));
    assert_false(by_node_is("alltoall", ALGORITHM_OPEN_MPI_5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_it_was_sent),
        cmocka_unit_test(as_it_was_sent_by_rank),
        cmocka_unit_test(uneven_nodes),
        cmocka_unit_test(the_library),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
