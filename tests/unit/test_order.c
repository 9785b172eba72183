/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_order.c - task lists, and the partitions behind one of them */
#include "config.h"

#include "mapfixture.h"

#include "map/greedy/order.h"
#include "map/partition/partition.h"
#include "pool/pool.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static const struct map_deadline no_deadline;

static void assert_list(const uint32_t *list,
                        const uint32_t *expected,
                        uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(list[i], expected[i]);
}

/* The list of a kind, in the first pass that begins with start. */
static void make_from(uint32_t *list,
                      const struct mapcore_graph *graph,
                      enum order_kind kind,
                      uint32_t start)
{
    const struct map_problem problem = {.graph = graph};
    struct order_key key = {kind, NULL, 1, 0};
    bool cut;

    do
        assert_ok(order_make(list, &cut, &problem, &key, NULL));
    while (list[0] != start && ++key.pass < 10000);
    assert_int_equal(list[0], start);
}

/* Two components and a lonely task:
 *   0 - 3 - 5    1 - 2 - 6 - 1    4
 *    \- 7 -/                          with 0-7 the heaviest edge of task 0. */
static struct mapcore_graph *two_components(void)
{
    const struct mapcore_edge edges[] = {{0, 3, 10}, {3, 5, 10}, {0, 7, 20},
                                         {7, 5, 10}, {1, 2, 5},  {2, 6, 5},
                                         {6, 1, 5}};

    return graph_of(8, edges, sizeof(edges) / sizeof(*edges));
}

static void test_bfs(void **state)
{
    struct mapcore_graph *graph = two_components();
    uint32_t list[8];

    make_from(list, graph, ORDER_BFS, 0);
    assert_list(list, (const uint32_t[]){0, 3, 7, 5, 1, 2, 6, 4}, 8);
    make_from(list, graph, ORDER_BFS, 6);
    assert_list(list, (const uint32_t[]){6, 1, 2, 0, 3, 7, 5, 4}, 8);
    make_from(list, graph, ORDER_BFS, 4);
    assert_list(list, (const uint32_t[]){4, 0, 3, 7, 5, 1, 2, 6}, 8);
    mapcore_graph_destroy(graph);
}

static void test_bfs_dfs(void **state)
{
    /* A comb: 0-1-2-3 with teeth 0-4, 1-5, 2-6; the back weighs more. From
     * the end of the back, breadth first finds the teeth in the order of the
     * back. */
    const struct mapcore_edge comb[] = {{0, 1, 9}, {1, 2, 9}, {2, 3, 9},
                                        {0, 4, 1}, {1, 5, 1}, {2, 6, 1}};
    struct mapcore_graph *graph = two_components();
    uint32_t list[8];

    make_from(list, graph, ORDER_BFS_DFS, 0);
    assert_list(list, (const uint32_t[]){0, 7, 5, 3, 1, 2, 6, 4}, 8);
    mapcore_graph_destroy(graph);
    graph = graph_of(7, comb, 6);
    make_from(list, graph, ORDER_BFS_DFS, 0);
    assert_list(list, (const uint32_t[]){0, 1, 2, 3, 4, 5, 6}, 7);
    make_from(list, graph, ORDER_BFS_DFS, 4);
    assert_list(list, (const uint32_t[]){4, 0, 1, 2, 3, 5, 6}, 7);
    mapcore_graph_destroy(graph);
}

static void test_random(void **state)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        uint32_t n = 1 + (uint32_t)seed * 7, *list = calloc(n, sizeof(*list));
        struct mapcore_graph *graph = random_graph(n, (uint32_t)seed % 4, seed);

        make_from(list, graph, ORDER_BFS, n / 2);
        assert_permutation(list, n);
        make_from(list, graph, ORDER_BFS_DFS, n / 2);
        assert_permutation(list, n);
        free(list);
        mapcore_graph_destroy(graph);
    }
}

/* Four cliques of four, tasks dealt round, weakly joined: GPART puts each
 * clique into four consecutive places. */
static void test_gpart(void **state)
{
    struct mapcore_edge edges[64];
    struct machine machine = machine_of("flat:4", 4);
    struct mapcore_graph *graph;
    uint32_t list[16];
    size_t n = 0;
    bool cut;

    for (uint32_t a = 0; a < 16; a++)
        for (uint32_t b = a + 1; b < 16; b++)
            if (a % 4 == b % 4)
                edges[n++] = (struct mapcore_edge){a, b, 1000};
    edges[n++] = (struct mapcore_edge){0, 1, 1};
    edges[n++] = (struct mapcore_edge){1, 2, 1};
    graph = graph_of(16, edges, n);
    assert_ok(order_make(
        list, &cut,
        &(struct map_problem){.graph = graph, .alloc = machine.alloc},
        &(struct order_key){ORDER_GPART, NULL, 1, 0}, NULL));
    assert_false(cut);
    assert_permutation(list, 16);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(list[i] % 4, list[i / 4 * 4] % 4);
    machine_graph_end(&machine, graph);
}

static void test_gpart_without_edges(void **state)
{
    const uint32_t slots[] = {3, 0, 5, 1};
    struct machine machine = part_of("flat:4", 4, NULL, slots);
    struct mapcore_graph *graph = graph_of(9, NULL, 0);
    uint32_t list[9];
    bool cut;

    assert_ok(order_make(
        list, &cut,
        &(struct map_problem){.graph = graph, .alloc = machine.alloc},
        &(struct order_key){ORDER_GPART, NULL, 1, 0}, NULL));
    assert_list(list, (const uint32_t[]){0, 1, 2, 3, 4, 5, 6, 7, 8}, 9);
    machine_graph_end(&machine, graph);
}

static void assert_sizes(const uint32_t *part,
                         uint32_t ntasks,
                         const uint32_t *size,
                         uint32_t nparts)
{
    for (uint32_t p = 0; p < nparts; p++) {
        uint32_t n = 0;

        for (uint32_t t = 0; t < ntasks; t++)
            n += part[t] == p;
        assert_int_equal(n, size[p]);
    }
}

static int cut_graph(uint32_t *part,
                     bool *cut,
                     const struct mapcore_graph *graph,
                     uint32_t nparts,
                     const uint32_t *size,
                     uint32_t seed)
{
    const struct partition_problem problem = {graph, nparts, size,
                                              NULL,  seed,   &no_deadline};

    return partition_graph(part, cut, &problem, NULL);
}

static void test_partition_sizes(void **state)
{
    const uint32_t size[] = {7, 1, 16, 2, 30, 1, 5, 2};
    struct mapcore_graph *graph = random_graph(64, 6, 3);
    uint32_t part[64];
    bool cut;

    for (uint32_t seed = 0; seed < 5; seed++) {
        assert_ok(cut_graph(part, &cut, graph, 8, size, seed));
        assert_false(cut);
        assert_sizes(part, 64, size, 8);
    }
    /* Half as many tasks as places: as near to half of each as whole numbers
     * allow, never more than the place has. */
    mapcore_graph_destroy(graph);
    graph = random_graph(32, 6, 4);
    assert_ok(cut_graph(part, &cut, graph, 8, size, 1));
    assert_sizes(part, 32, (const uint32_t[]){3, 1, 8, 1, 15, 0, 3, 1}, 8);
    mapcore_graph_destroy(graph);
    /* More places than tasks, one part, one task. */
    graph = random_graph(3, 2, 4);
    assert_ok(cut_graph(part, &cut, graph, 8, size, 1));
    assert_ok(cut_graph(part, &cut, graph, 1, size, 1));
    assert_sizes(part, 3, (const uint32_t[]){3}, 1);
    mapcore_graph_destroy(graph);
}

/* Weights far beyond 32 bits are scaled, not wrapped. */
static void test_partition_heavy(void **state)
{
    const uint64_t heavy = (uint64_t)1 << 60;
    const struct mapcore_edge edges[] = {
        {0, 2, heavy}, {1, 3, heavy}, {0, 1, 1}, {2, 3, 1}, {0, 3, 1000}};
    const uint32_t size[] = {2, 2};
    struct mapcore_graph *graph = graph_of(4, edges, 5);
    uint32_t part[4];
    bool cut;

    assert_ok(cut_graph(part, &cut, graph, 2, size, 1));
    assert_int_equal(part[0], part[2]);
    assert_int_equal(part[1], part[3]);
    assert_int_not_equal(part[0], part[1]);
    mapcore_graph_destroy(graph);
}

static void on_signal(int signal)
{
    (void)signal;
}

/* METIS leaves no trace in the process: handlers, mask, rand(). */
static void test_partition_manners(void **state)
{
    struct sigaction action = {.sa_handler = on_signal}, after;
    struct mapcore_graph *graph = random_graph(200, 6, 3);
    uint32_t part[200], size[10];
    sigset_t mask;
    int next;
    bool cut;

    for (int i = 0; i < 10; i++)
        size[i] = 20;
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGABRT, &action, NULL);
    srand(42);
    rand();
    next = rand();
    srand(42);
    rand();
    assert_ok(cut_graph(part, &cut, graph, 10, size, 7));
    assert_int_equal(rand(), next);
    sigaction(SIGTERM, NULL, &after);
    assert_true(after.sa_handler == on_signal);
    sigaction(SIGABRT, NULL, &after);
    assert_true(after.sa_handler == on_signal);
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    assert_false(sigismember(&mask, SIGTERM));
    signal(SIGTERM, SIG_DFL);
    signal(SIGABRT, SIG_DFL);
    mapcore_graph_destroy(graph);
}

struct many {
    const struct mapcore_graph *graph;
    uint32_t part[40][120];
};

static bool partition_one(void *arg, size_t index)
{
    struct many *many = arg;
    uint32_t size[8];
    bool cut;

    for (int i = 0; i < 8; i++)
        size[i] = 15;
    return cut_graph(many->part[index], &cut, many->graph, 8, size,
                     (uint32_t)index / 2) == 0 &&
           !cut;
}

/* The same seed cuts alike, also beside other threads. */
static void test_partition_threads(void **state)
{
    struct many *alone = calloc(1, sizeof(*alone));
    struct many *together = calloc(1, sizeof(*together));
    struct mapcore_graph *graph = random_graph(120, 5, 9);
    struct pool *pool;
    struct pool_job job = {.n = 40, .work = partition_one};

    alone->graph = together->graph = graph;
    job.arg = alone;
    assert_int_equal(pool_run(NULL, &job), 40);
    job.arg = together;
    pool = pool_create(4);
    assert_non_null(pool);
    assert_int_equal(pool_run(pool, &job), 40);
    pool_destroy(pool);
    assert_memory_equal(alone->part, together->part, sizeof(alone->part));
    assert_memory_equal(alone->part[0], alone->part[1], sizeof(alone->part[0]));
    assert_memory_not_equal(alone->part[0], alone->part[2],
                            sizeof(alone->part[0]));
    free(alone);
    free(together);
    mapcore_graph_destroy(graph);
}

static bool at_once(void *arg)
{
    (void)arg;
    return true;
}

static void test_partition_cut(void **state)
{
    struct machine machine = machine_of("flat:4", 5);
    struct mapcore_graph *graph = random_graph(20, 4, 9);
    struct map_problem problem = {
        .graph = graph, .alloc = machine.alloc, .deadline = {at_once, NULL}};
    uint32_t list[20];
    bool cut;

    assert_ok(order_cache_create(&problem.orders, NULL));
    for (int i = 0; i < 3; i++) {
        struct order_key key = {i == 1 ? ORDER_BFS : ORDER_GPART, NULL, 1, 0};

        if (i == 2)
            problem.deadline = no_deadline;
        assert_ok(order_make(list, &cut, &problem, &key, NULL));
        assert_int_equal(cut, i == 0);
    }
    assert_permutation(list, 20);
    order_cache_destroy(problem.orders);
    machine_graph_end(&machine, graph);
}

/* A list that was made is given again, until one of another pass takes its
 * place; without a cache they are the same. */
static void test_cache(void **state)
{
    struct machine machine = machine_of("flat:4", 5);
    struct mapcore_graph *graph = random_graph(20, 4, 9);
    struct map_problem problem = {.graph = graph, .alloc = machine.alloc};
    struct map_problem bare = problem;
    uint32_t list[4][20], other[20];
    bool cut;

    assert_ok(order_cache_create(&problem.orders, NULL));
    for (uint32_t i = 0; i < 4; i++) {
        struct order_key key = {ORDER_BFS, NULL, 1, i / 2};

        assert_ok(order_make(list[i], &cut, &problem, &key, NULL));
        assert_ok(order_make(other, &cut, &bare, &key, NULL));
        assert_memory_equal(list[i], other, sizeof(other));
    }
    assert_memory_not_equal(list[0], list[2], sizeof(other));
    order_cache_destroy(problem.orders);
    machine_graph_end(&machine, graph);
}

static int read_order(uint32_t *list,
                      uint32_t n,
                      const char *path,
                      struct mapcore_error *err)
{
    const struct mapcore_graph graph = {.ntasks = n};
    const struct map_problem problem = {.graph = &graph};
    bool cut;

    return order_make(list, &cut, &problem,
                      &(struct order_key){ORDER_CUSTOM, path, 1, 0}, err);
}

static int read_text(uint32_t *list,
                     uint32_t n,
                     const char *text,
                     struct mapcore_error *err)
{
    char path[] = "order-XXXXXX";
    int fd = mkstemp(path), code;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    code = read_order(list, n, path, err);
    unlink(path);
    return code;
}

static void test_file(void **state)
{
    static const struct {
        const char *text, *line, *says;
    } bad[] = {
        {"0\n1\nx\n", ":3: ", "one task number"},
        {"0 1\n2\n", ":1: ", "after the task number"},
        {"0\n1\n3\n", ":3: ", "only tasks 0 to 2"},
        {"0\n# again\n0\n2\n", ":3: ", "twice"},
        {"2\n0\n", ":", "task 1 is missing"},
        {"-1\n", ":1: ", "one task number"},
        {"99999999999\n", ":1: ", "one task number"},
        {"", ":", "0 of 3"},
    };
    struct mapcore_error err;
    uint32_t list[3];

    assert_ok(read_text(list, 3, "# mine\n2\n\n 0 # first\n1\n", &err));
    assert_list(list, (const uint32_t[]){2, 0, 1}, 3);
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        assert_int_equal(read_text(list, 3, bad[i].text, &err), MAPCORE_EPARSE);
        assert_non_null(strstr(err.text, "order-"));
        assert_non_null(strstr(err.text, bad[i].line));
        assert_non_null(strstr(err.text, bad[i].says));
    }
    assert_int_equal(read_order(list, 3, "no/such/file", &err), MAPCORE_EIO);
    assert_non_null(strstr(err.text, "no/such/file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bfs),
        cmocka_unit_test(test_bfs_dfs),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_gpart),
        cmocka_unit_test(test_gpart_without_edges),
        cmocka_unit_test(test_partition_sizes),
        cmocka_unit_test(test_partition_heavy),
        cmocka_unit_test(test_partition_manners),
        cmocka_unit_test(test_partition_threads),
        cmocka_unit_test(test_partition_cut),
        cmocka_unit_test(test_cache),
        cmocka_unit_test(test_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
