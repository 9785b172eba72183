/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_by_node_openmpi.c - what goes between nodes, as Open MPI 5.0.7 sent it,
 * and between ranks, as 4.1.4 did */
#include "config.h"

#include "unit.h"

#include "profiles/collectives/by_node.h"

enum { RANKS = 16 };

/* A line of golden/sent-openmpi.txt. */
struct row {
    char version[16], type[32], dealt[8];
    uint64_t bytes, root;
    uint32_t ranks, nodes;
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

static void check_row(const struct row *row, const char *sent)
{
    const enum algorithm_library library =
        row->version[0] == '5' ? ALGORITHM_OPEN_MPI_5 : ALGORITHM_OPEN_MPI_4_1;
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
                  : strcmp(row->dealt, "cyclic") == 0
                      ? r % row->nodes
                      : r / (row->ranks / row->nodes);
    assert_int_equal(by_node_is(row->type, library), row->nodes > 0);
    assert_ok(by_node_expand(&call, node, row->ranks, add, &found, &err));
    read_sent(&wanted, sent);
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
    FILE *file = fopen(TEST_DATA "/sent-openmpi.txt", "r");
    char line[1024];
    size_t rows = 0;

    assert_non_null(file);
    while (fgets(line, sizeof(line), file)) {
        unsigned long bytes, root;
        struct row row;
        int n = 0;

        if (line[0] == '#')
            continue;
        assert_int_equal(sscanf(line, "%15s %31s %lu %lu %u %u %7s %n",
                                row.version, row.type, &bytes, &root,
                                &row.ranks, &row.nodes, row.dealt, &n),
                         7);
        row.bytes = bytes;
        row.root = root;
        check_row(&row, line + n);
        rows++;
    }
    fclose(file);
    assert_int_equal(rows, 52);
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
        cmocka_unit_test(uneven_nodes),
        cmocka_unit_test(the_library),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
