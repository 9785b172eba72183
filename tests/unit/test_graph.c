/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_graph.c - task graphs from edges, their sum, and METIS files */
#include "config.h"

#include "mapfixture.h"
#include "scratch.h"

#include <sys/resource.h>

static const struct mapcore_graph_reading metis = {MAPCORE_GRAPH_METIS, 0};

static void edges_are_added_up_and_sorted(void **state)
{
    const struct mapcore_edge edges[] = {
        {3, 1, 5}, {0, 1, 7}, {1, 3, 10}, {2, 2, 99}, /* a self loop */
        {1, 0, 1}, {0, 4, 0},                         /* no bytes */
        {4, 0, 2}, {3, 0, 1},
    };
    struct mapcore_graph *graph;
    const uint32_t *tasks;
    const uint64_t *bytes;
    char text[200];

    assert_ok(mapcore_graph_create(&graph, 5, edges, COUNT(edges), NULL));
    assert_int_equal(mapcore_graph_ntasks(graph), 5);
    assert_int_equal(mapcore_graph_nedges(graph), 4);
    assert_int_equal(mapcore_graph_bytes(graph), 26);
    assert_int_equal(mapcore_graph_neighbours(graph, 0, &tasks, &bytes), 3);
    assert_memory_equal(tasks, ((uint32_t[]){1, 3, 4}), 12);
    assert_memory_equal(bytes, ((uint64_t[]){8, 1, 2}), 24);
    assert_int_equal(mapcore_graph_neighbours(graph, 1, &tasks, &bytes), 2);
    assert_memory_equal(tasks, ((uint32_t[]){0, 3}), 8);
    assert_memory_equal(bytes, ((uint64_t[]){8, 15}), 16);
    assert_int_equal(mapcore_graph_neighbours(graph, 2, &tasks, &bytes), 0);
    assert_string_equal(text_of(graph, text, sizeof(text)),
                        "5 4 001\n2 8 4 1 5 2\n1 8 4 15\n\n1 1 2 15\n1 2\n");
    mapcore_graph_destroy(graph);
    mapcore_graph_destroy(NULL);
}

static void a_graph_may_have_no_edges(void **state)
{
    struct mapcore_graph *graph;
    char text[32];

    assert_ok(mapcore_graph_create(&graph, 3, NULL, 0, NULL));
    assert_int_equal(mapcore_graph_nedges(graph), 0);
    assert_int_equal(mapcore_graph_bytes(graph), 0);
    assert_string_equal(text_of(graph, text, sizeof(text)), "3 0 001\n\n\n\n");
    mapcore_graph_destroy(graph);
}

static void bad_edges_are_refused(void **state)
{
    struct mapcore_edge edges[2] = {{0, 1, INT64_MAX}, {1, 2, 1}};
    struct mapcore_graph *graph = NULL;
    struct mapcore_error err;

    assert_int_equal(mapcore_graph_create(&graph, 0, NULL, 0, &err),
                     MAPCORE_EINVAL);
    assert_int_equal(mapcore_graph_create(&graph, 2, edges, 2, &err),
                     MAPCORE_EINVAL);
    assert_string_equal(err.text, "edge 1: task 2 of a graph of 2 tasks");
    assert_int_equal(mapcore_graph_create(&graph, 3, edges, 2, &err),
                     MAPCORE_ERANGE);
    edges[0].bytes = edges[1].bytes = UINT64_MAX; /* wraps in 64 bits */
    assert_int_equal(mapcore_graph_create(&graph, 3, edges, 2, &err),
                     MAPCORE_ERANGE);
    assert_null(graph);
    edges[0].bytes = INT64_MAX - 1;
    edges[1].bytes = 1;
    assert_ok(mapcore_graph_create(&graph, 3, edges, 2, &err));
    assert_int_equal(mapcore_graph_bytes(graph), INT64_MAX);
    mapcore_graph_destroy(graph);
}

/* Random edges against a dense matrix. */
static void csr_equals_the_matrix(void **state)
{
    enum { N = 40, EDGES = 500 };
    static uint64_t matrix[N][N];
    struct mapcore_edge edges[EDGES];
    struct mapcore_graph *graph;
    uint64_t total = 0;
    size_t nedges = 0;
    struct rng rng;

    rng_init(&rng, 7, 0, 0);
    for (int i = 0; i < EDGES; i++) {
        edges[i] = (struct mapcore_edge){rng_below(&rng, N), rng_below(&rng, N),
                                         rng_below(&rng, 100)};
        if (edges[i].a == edges[i].b)
            continue;
        matrix[edges[i].a][edges[i].b] += edges[i].bytes;
        matrix[edges[i].b][edges[i].a] += edges[i].bytes;
    }
    assert_ok(mapcore_graph_create(&graph, N, edges, EDGES, NULL));
    for (uint32_t a = 0; a < N; a++) {
        size_t at = graph->row[a];

        for (uint32_t b = 0; b < N; b++) {
            if (matrix[a][b] == 0)
                continue;
            assert_true(at < graph->row[a + 1]);
            assert_int_equal(graph->task[at], b);
            assert_int_equal(graph->bytes[at++], matrix[a][b]);
            total += matrix[a][b];
            nedges++;
        }
        assert_int_equal(at, graph->row[a + 1]);
    }
    assert_int_equal(mapcore_graph_bytes(graph), total / 2);
    assert_int_equal(mapcore_graph_nedges(graph), nedges / 2);
    mapcore_graph_destroy(graph);
}

static void graphs_are_added_up(void **state)
{
    struct mapcore_graph *a, *b, *other, *sum = NULL;
    struct mapcore_error err;
    char text[100];

    mapcore_graph_create(&a, 3, &(struct mapcore_edge){0, 1, 5}, 1, NULL);
    mapcore_graph_create(&b, 3, (struct mapcore_edge[]){{1, 0, 2}, {2, 1, 3}},
                         2, NULL);
    mapcore_graph_create(&other, 4, NULL, 0, NULL);
    const struct mapcore_graph *both[] = {a, b}, *unequal[] = {a, other};
    assert_ok(mapcore_graph_sum(&sum, both, NULL, 2, &err));
    assert_string_equal(text_of(sum, text, sizeof(text)),
                        "3 2 001\n2 7\n1 7 3 3\n2 3\n");
    mapcore_graph_destroy(sum);
    sum = NULL;
    assert_int_equal(mapcore_graph_sum(&sum, unequal, NULL, 2, &err),
                     MAPCORE_EINVAL);
    assert_int_equal(mapcore_graph_sum(&sum, both, NULL, 0, &err),
                     MAPCORE_EINVAL);
    assert_null(sum);

    struct mapcore_graph *large;
    mapcore_graph_create(&large, 3, &(struct mapcore_edge){0, 1, INT64_MAX}, 1,
                         NULL);
    const struct mapcore_graph *too_much[] = {a, large};
    assert_int_equal(mapcore_graph_sum(&sum, too_much, NULL, 2, &err),
                     MAPCORE_ERANGE);
    mapcore_graph_destroy(large);
    mapcore_graph_destroy(a);
    mapcore_graph_destroy(b);
    mapcore_graph_destroy(other);
}

/* The graph of the METIS 5 manual, section 4.5, in every format; and what else
 * a file may have. */
static void metis_files_are_read(void **state)
{
    static const char plain[] = "4 3 001\n2 1 3 1\n1 1 3 1\n1 1 2 1\n\n";
    static const char weighted[] = "4 3 001\n2 7 3 8\n1 7 3 9\n1 8 2 9\n\n";
    static const struct {
        const char *file, *expected;
    } cases[] = {
        {"4 3\n2 3\n1 3\n1 2\n\n", plain},
        {"4 3 0\n2 3\n1 3\n1 2\n\n", plain},
        {"4 3 000\n2 3\n1 3\n1 2\n   \n", plain},
        {"4 3 1\n2 7 3 8\n1 7 3 9\n1 8 2 9\n\n", weighted},
        {"4 3 001\n3 8 2 7\n1 7 3 9\n2 9 1 8\n\n", weighted},
        {"4 3 10\n50 2 3\n50 1 3\n50 1 2\n50\n", plain},
        {"4 3 011\n50 2 7 3 8\n50 1 7 3 9\n50 1 8 2 9\n50\n", weighted},
        {"4 3 100\n4 2 3\n4 1 3\n4 1 2\n4\n", plain},
        {"4 3 101\n4 2 7 3 8\n4 1 7 3 9\n4 1 8 2 9\n4\n", weighted},
        {"4 3 110\n4 50 2 3\n4 50 1 3\n4 50 1 2\n4 50\n", plain},
        {"4 3 111 2\n4 5 6 2 7 3 8\n4 5 6 1 7 3 9\n4 5 6 1 8 2 9\n4 5 6\n",
         weighted},
        {"4 3 10 1\n50 2 3\n50 1 3\n50 1 2\n50\n", plain},
        {"4 3 0 0\n2 3\n1 3\n1 2\n\n", plain},
        {"% one\n4 3\n% two\n2 3\n%\n1 3\n1 2\n\n% three\n\n\n", plain},
        {" 4\t3 \r\n\t2  3\r\n1 3\r\n1 2\r\n\r\n", plain},
        /* Edges of weight 0 count as edges in the header, and are left out. */
        {"4 4 1\n2 7 3 8\n1 7 3 9 4 0\n1 8 2 9\n2 0\n", weighted},
        {"3 2 1\n2 9223372036854775806\n1 9223372036854775806 3 1\n2 1\n",
         "3 2 001\n2 9223372036854775806\n1 9223372036854775806 3 1\n2 1\n"},
        {"1 0\n\n", "1 0 001\n\n"},
        {"1 0\n\n\n \n", "1 0 001\n\n"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *path = at(*state, "x.graph");
        struct mapcore_error err = {""};
        struct mapcore_graph *graph;
        char text[200];

        put_text(path, cases[i].file);
        int code = mapcore_graph_read(&graph, path, &metis, &err);
        assert_string_equal(err.text, "");
        assert_int_equal(code, 0);
        assert_string_equal(text_of(graph, text, sizeof(text)),
                            cases[i].expected);
        mapcore_graph_destroy(graph);
    }
}

static void bad_metis_files_are_told(void **state)
{
    static const struct {
        const char *file;
        int code;
        const char *why; /* behind the path */
    } cases[] = {
        {"", MAPCORE_EPARSE, ": empty, not a METIS graph file"},
        {"% x\n", MAPCORE_EPARSE, ": empty, not a METIS graph file"},
        {"\n", MAPCORE_EPARSE, ":1: number of tasks is missing"},
        {"x 1\n", MAPCORE_EPARSE,
         ":1: number of tasks 'x' is not a whole number"},
        {"4\n", MAPCORE_EPARSE, ":1: number of edges is missing"},
        {"0 0\n", MAPCORE_EPARSE, ":1: a graph without tasks"},
        {"-1 0\n", MAPCORE_EPARSE, ":1: number of tasks -1 is negative"},
        {"4294967296 0\n", MAPCORE_ERANGE,
         ":1: number of tasks 4294967296 is too large"},
        {"2 1 2\n", MAPCORE_EPARSE,
         ":1: format '2' is not made of up to three digits 0 or 1"},
        {"2 1 0001\n", MAPCORE_EPARSE,
         ":1: format '0001' is not made of up to three digits 0 or 1"},
        {"2 1 001 1\n", MAPCORE_EPARSE,
         ":1: 1 weights per vertex, but the format says that there are none"},
        {"2 1 011 1 1\n", MAPCORE_EPARSE,
         ":1: more than four numbers in the header"},
        {"2 1\n2\n", MAPCORE_EPARSE,
         ":2: the header speaks of 2 tasks, the file ends after 1"},
        {"1000000000 0\n", MAPCORE_EPARSE,
         ":1: the header speaks of 1000000000 tasks, the file ends after 0"},
        {"2 1\n2\n1\n2\n", MAPCORE_EPARSE,
         ":4: a line behind the last of 2 tasks"},
        {"2 2\n2\n1\n", MAPCORE_EPARSE,
         ":3: the header speaks of 2 edges, the rows hold 1"},
        {"2 18446744073709551615\n2\n1\n", MAPCORE_EPARSE,
         ":3: the header speaks of 18446744073709551615 edges, the rows hold 1"},
        {"2 1\n3\n1\n", MAPCORE_EPARSE,
         ":2: neighbour 3 is not one of the tasks 1 to 2"},
        {"2 1\n0\n1\n", MAPCORE_EPARSE,
         ":2: neighbour 0 is not one of the tasks 1 to 2"},
        {"2 1\n1\n1\n", MAPCORE_EPARSE, ":2: task 1 is its own neighbour"},
        {"2 1\nx\n1\n", MAPCORE_EPARSE,
         ":2: neighbour 'x' is not a whole number"},
        {"2 1\n2.5\n1\n", MAPCORE_EPARSE,
         ":2: neighbour '2.5' is not a whole number"},
        {"2 1 1\n2\n1 4\n", MAPCORE_EPARSE,
         ":2: weight of the edge is missing"},
        {"2 1 1\n2 -4\n1 4\n", MAPCORE_EPARSE,
         ":2: weight of the edge -4 is negative"},
        {"2 1 1\n2 18446744073709551616\n1 4\n", MAPCORE_ERANGE,
         ":2: weight of the edge 18446744073709551616 is too large"},
        {"2 1 1\n2 9223372036854775808\n1 9223372036854775808\n",
         MAPCORE_ERANGE,
         ":2: with this row the weights of all edges exceed 2^63"},
        {"3 2 1\n2 9223372036854775807\n1 9223372036854775807 3 1\n2 1\n",
         MAPCORE_ERANGE,
         ":3: with this row the weights of all edges exceed 2^63"},
        {"2 1 10\n\n1 1\n", MAPCORE_EPARSE,
         ":2: weight of the vertex is missing"},
        {"2 1 100\n1 2\n\n", MAPCORE_EPARSE,
         ":3: size of the vertex is missing"},
        {"% c\n3 1\n2\n\n\n", MAPCORE_EPARSE,
         ":3: task 1 names 2 as its neighbour, but 2 does not name 1"},
        {"3 1\n\n\n1\n", MAPCORE_EPARSE,
         ":4: task 3 names 1 as its neighbour, but 1 does not name 3"},
        {"3 2\n2 3\n1\n2\n", MAPCORE_EPARSE,
         ":2: task 1 names 3 as its neighbour, but 3 does not name 1"},
        {"2 1 1\n2 5\n1 6\n", MAPCORE_EPARSE,
         ":2: the edge between 1 and 2 weighs 5 here, but 6 in line 3"},
        {"2 1\n2 2\n1\n", MAPCORE_EPARSE,
         ":2: task 1 names its neighbour 2 twice"},
        {"2 1\n2\n1 1\n", MAPCORE_EPARSE,
         ":3: task 2 names its neighbour 1 twice"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *path = at(*state, "bad.graph");
        struct mapcore_graph *graph = NULL;
        struct mapcore_error err = {""};

        put_text(path, cases[i].file);
        int code = mapcore_graph_read(&graph, path, &metis, &err);
        assert_memory_equal(err.text, path, strlen(path));
        assert_string_equal(err.text + strlen(path), cases[i].why);
        assert_int_equal(code, cases[i].code);
        assert_null(graph);
    }

    struct mapcore_graph *graph = NULL;
    struct mapcore_error err;
    assert_int_equal(
        mapcore_graph_read(&graph, at(*state, "none"), &metis, &err),
        MAPCORE_EIO);
    put_file(at(*state, "nul"), "2 1\n\0\n", 6);
    assert_int_equal(
        mapcore_graph_read(&graph, at(*state, "nul"), &metis, &err),
        MAPCORE_EPARSE);
    assert_null(graph);
}

/* A header that promises much must not be believed: reading a small file stays
 * within a few megabytes. */
static void headers_allocate_nothing(void **state)
{
    const char *path = at(*state, "big.graph");
    struct mapcore_graph *graph = NULL;
    struct rusage before, after;

    put_text(path, "1000000000 4000000000 001\n2 1\n");
    getrusage(RUSAGE_SELF, &before);
    assert_int_equal(mapcore_graph_read(&graph, path, &metis, NULL),
                     MAPCORE_EPARSE);
    getrusage(RUSAGE_SELF, &after);
    assert_true(after.ru_maxrss - before.ru_maxrss < 16 * 1024);
}

static void written_files_read_back(void **state)
{
    enum { N = 200, EDGES = 2000 };
    struct mapcore_edge edges[EDGES];
    struct mapcore_graph *graph, *again;
    struct rng rng;

    rng_init(&rng, 11, 0, 0);
    for (int i = 0; i < EDGES; i++)
        edges[i] = (struct mapcore_edge){rng_below(&rng, N), rng_below(&rng, N),
                                         rng_next(&rng) >> 12};
    assert_ok(mapcore_graph_create(&graph, N, edges, EDGES, NULL));
    const char *path = at(*state, "r.graph");
    FILE *file = fopen(path, "w");
    assert_ok(mapcore_graph_write(graph, MAPCORE_GRAPH_METIS, file, NULL));
    fclose(file);
    assert_ok(mapcore_graph_read(&again, path, &metis, NULL));
    size_t entries = graph->row[N];
    assert_int_equal(again->total, graph->total);
    assert_memory_equal(again->row, graph->row, (N + 1) * sizeof(size_t));
    assert_memory_equal(again->task, graph->task, entries * sizeof(uint32_t));
    assert_memory_equal(again->bytes, graph->bytes, entries * sizeof(uint64_t));
    mapcore_graph_destroy(again);

    struct mapcore_error err;
    file = fopen("/dev/full", "w");
    assert_non_null(file);
    assert_int_equal(
        mapcore_graph_write(graph, MAPCORE_GRAPH_METIS, file, &err),
        MAPCORE_EIO);
    assert_non_null(strstr(err.text, "No space left"));
    fclose(file);
    mapcore_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_are_added_up_and_sorted),
        cmocka_unit_test(a_graph_may_have_no_edges),
        cmocka_unit_test(bad_edges_are_refused),
        cmocka_unit_test(csr_equals_the_matrix),
        cmocka_unit_test(graphs_are_added_up),
        ON_DISK(metis_files_are_read),
        ON_DISK(bad_metis_files_are_told),
        ON_DISK(headers_allocate_nothing),
        ON_DISK(written_files_read_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
